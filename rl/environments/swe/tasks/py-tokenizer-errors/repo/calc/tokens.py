import re


def tokenize(text):
    """Numbers, names and signs."""
    return re.findall(r"\d+\.?\d*|\w+|\*\*|[-+*/%()]", text)
