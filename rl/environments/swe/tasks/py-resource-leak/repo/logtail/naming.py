def numbered(prefix):
    """prefix.1, prefix.2, ..."""
    number = 0
    while True:
        number += 1
        yield f"{prefix}.{number}"
