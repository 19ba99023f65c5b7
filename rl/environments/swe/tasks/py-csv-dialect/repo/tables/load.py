import csv
import io

from .decode import decode


def load(data):
    """Rows of an exported table as dicts."""
    rows = list(csv.reader(io.StringIO(decode(data))))
    header = rows[0]
    return [dict(zip(header, row)) for row in rows[1:]]
