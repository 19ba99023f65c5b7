FILTERS = {"upper": str.upper, "lower": str.lower, "strip": str.strip, "title": str.title}
