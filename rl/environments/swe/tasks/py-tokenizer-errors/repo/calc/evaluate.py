from .errors import CalcError
from .tokens import tokenize


def calc(text, names={}):
    """The value of an expression."""
    tokens = tokenize(text)

    def operand():
        token = tokens.pop(0)
        if token == "(":
            value = total()
            tokens.pop(0)
            return value
        if token == "-":
            return -operand()
        if token in names:
            return names[token]
        return float(token) if "." in token else int(token)

    def product():
        value = operand()
        while tokens and tokens[0] in ("*", "/", "%", "**"):
            sign = tokens.pop(0)
            other = operand()
            value = {"*": value * other, "/": value / other, "%": value % other, "**": value**other}[sign]
        return value

    def total():
        value = product()
        if tokens and tokens[0] in "+-":
            sign = tokens.pop(0)
            other = total()
            value = value + other if sign == "+" else value - other
        return value

    return total()
