def parse_field(text, low, high):
    """The values that a field allows."""
    if text.startswith("*"):
        return set(range(low, high))
    return {int(part) for part in text.split(",")}


def parse(spec):
    minute, hour, day, month, weekday = spec.split(" ")
    return [
        parse_field(minute, 0, 59),
        parse_field(hour, 0, 23),
        parse_field(day, 1, 31),
        parse_field(month, 1, 12),
        parse_field(weekday, 0, 6),
    ]
