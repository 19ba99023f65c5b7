from .ops import multiply


def power(m, exponent):
    """`m` to a whole exponent."""
    out = m
    for _ in range(exponent - 1):
        out = multiply(out, m)
    return out
