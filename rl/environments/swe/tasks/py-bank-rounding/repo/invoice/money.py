def cents(amount):
    """Rounded to two places."""
    return round(amount, 2)
