"""The function under test: a table to JSON and back."""

import json

REPEATS = 10
TABLE = [{"id": i, "name": f"row {i}", "values": [i, i / 7, -i]} for i in range(300)]


def round_trip(table=TABLE, repeats=REPEATS):
    """Encode and decode the table some times."""
    for _ in range(repeats):
        table = json.loads(json.dumps(table))
    return table
