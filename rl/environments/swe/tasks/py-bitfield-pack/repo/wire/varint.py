def write(number):
    out = b""
    while number:
        out = bytes([number & 0x7F | (0x80 if out else 0)]) + out
        number >>= 7
    return out


def read(data, at):
    """The number and where it ends."""
    number = 0
    while data[at] & 0x80:
        number = number << 7 | data[at] & 0x7F
        at += 1
    return number << 7 | data[at], at + 1
