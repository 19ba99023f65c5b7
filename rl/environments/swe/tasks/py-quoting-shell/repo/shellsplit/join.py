def join(words):
    """The line that `split` gives the words of."""
    return " ".join(f'"{word}"' if " " in word else word for word in words)
