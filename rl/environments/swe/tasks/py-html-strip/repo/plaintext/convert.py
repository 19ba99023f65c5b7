import re


def to_text(html):
    """The text of a mail in HTML."""
    return re.sub(r"<[^>]*>", "", html).strip()
