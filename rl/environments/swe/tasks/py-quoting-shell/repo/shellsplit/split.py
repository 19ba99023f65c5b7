def split(line, env={}):
    """Words of a command line."""
    words = []
    word = ""
    quote = None
    for char in line:
        if char == quote:
            quote = None
        elif char in "\"'" and not quote:
            quote = char
        elif char == " " and not quote:
            if word:
                words.append(word)
            word = ""
        else:
            word += char
    if word:
        words.append(word)
    return words
