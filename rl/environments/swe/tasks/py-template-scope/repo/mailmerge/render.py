from .filters import FILTERS


def render_all(template, rows, defaults={}):
    """A letter for each row."""
    values = defaults
    letters = []
    for row in rows:
        values.update(row)
        text = template
        for key, value in values.items():
            text = text.replace("{" + key + "}", str(value))
            for name, function in FILTERS.items():
                text = text.replace("{" + key + "|" + name + "}", function(str(value)))
        letters.append(text)
    return letters
