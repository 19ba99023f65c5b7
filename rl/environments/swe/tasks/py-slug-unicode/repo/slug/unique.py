def unique(slug, taken, max_length=60):
    """`slug`, or with the first free number from 2 behind it."""
    number = 1
    while slug in taken:
        number += 1
        slug = f"{slug}-{number}"
    return slug
