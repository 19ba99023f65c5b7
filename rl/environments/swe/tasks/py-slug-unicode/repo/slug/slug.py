import re


def slugify(title, max_length=60):
    """The part of a URL that names an article."""
    text = title.lower()
    text = re.sub(r"[^a-z0-9\s-]", "", text)
    text = re.sub(r"[\s-]+", "-", text).strip("-")
    return text[:max_length]
