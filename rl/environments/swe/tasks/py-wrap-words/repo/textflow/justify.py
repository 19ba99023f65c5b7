from .wrap import wrap


def justify(text, width):
    """Wrapped lines padded to `width`, the last one as it is."""
    lines = wrap(text, width)
    return [_pad(line, width) for line in lines[:-1]] + lines[-1:]


def _pad(line, width):
    words = line.split()
    if len(words) < 2:
        return line
    blanks = width - sum(len(word) for word in words)
    each, more = divmod(blanks, len(words) - 1)
    gaps = [" " * (each + (i < more)) for i in range(len(words) - 1)]
    return "".join(word + gap for word, gap in zip(words, gaps + [""]))
