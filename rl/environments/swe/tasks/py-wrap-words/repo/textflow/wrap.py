def wrap(text, width):
    """Lines of at most `width` characters, broken between words."""
    if width < 1:
        raise ValueError("width must be positive")
    lines = []
    line = ""
    for word in text.split():
        if len(line) + len(word) <= width:
            line += word + " "
        else:
            lines.append(line)
            line = ""
            if len(word) <= width:
                line = word + " "
    if line:
        lines.append(line.rstrip())
    return lines
