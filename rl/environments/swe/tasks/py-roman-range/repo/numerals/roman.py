from .table import DESCENDING, VALUES


def to_roman(number):
    """The numeral of 1 to 3999."""
    out = ""
    for value, letter in DESCENDING:
        count, number = divmod(number, value)
        out += letter * count
    return out


def parse_roman(text):
    """The number of a numeral, in either case."""
    total = 0
    previous = 0
    for letter in reversed(text.upper()):
        if letter not in VALUES:
            raise ValueError(f"{text!r} is no roman numeral")
        value = VALUES[letter]
        total += value if value >= previous else -value
        previous = max(previous, value)
    return total
