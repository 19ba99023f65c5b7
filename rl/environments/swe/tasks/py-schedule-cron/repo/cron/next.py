from datetime import timedelta

from .fields import parse


def next_run(spec, after):
    """The next time that fits."""
    minutes, hours, days, months, weekdays = parse(spec)
    at = after
    while True:
        at += timedelta(minutes=1)
        if at.minute in minutes and at.hour in hours and at.day in days and at.month in months and at.weekday() in weekdays:
            return at
