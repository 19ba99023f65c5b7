import calendar
from datetime import date


def add_months(day, months):
    """The same day of a later month, or the last there is."""
    month = day.month + months
    year = day.year
    if month > 12:
        year += 1
        month -= 12
    last = calendar.monthrange(year, month)[1]
    return date(year, month, min(day.day, last))


def monthly(start, count, every=1):
    """`count` dates from `start` on, `every` so many months."""
    day = start
    for _ in range(count):
        yield day
        day = add_months(day, every)


def yearly(start, count):
    """`count` dates from `start` on, a year apart."""
    for i in range(count):
        yield start.replace(year=start.year + i)
