from datetime import timedelta


def business_days(start, end):
    """Days from Monday to Friday, both ends included."""
    return [start + timedelta(i) for i in range((end - start).days) if (start + timedelta(i)).weekday() < 5]
