"""Handovers of the wrong shape, or with numbers and times that nobody measures."""

from __future__ import annotations

from hostile.making import edit, edit_slow, every, put, ses, values
from hostile.payloads import MARK

T0 = ("trials", 0)
V0 = ("trials", 0, "values", 0)


def wrong(name, *changes):
    return edit(name, *changes, code="G206")


def gone(*path):
    *path, key = path

    def change(data):
        for part in path:
            data = data[part]
        del data[key]

    return change


def nothing(data):
    """Every value null."""
    if isinstance(data, dict):
        return {key: 1 if key == "schema" else nothing(value) for key, value in data.items()}
    return [nothing(item) for item in data] if isinstance(data, list) else None


def as_text(data):
    """Every number and flag as text."""
    if isinstance(data, dict):
        return {key: 1 if key == "schema" else as_text(item) for key, item in data.items()}
    if isinstance(data, list):
        return [as_text(item) for item in data]
    return str(data) if isinstance(data, int | float) else data


SHAPES = [
    edit("schema 2", put("schema", 2), code="G207"),
    edit("schema 0", put("schema", 0), code="G207"),
    edit("schema true", put("schema", True), code="G207"),
    edit("schema as text", put("schema", "1"), code="G207"),
    edit("schema null", put("schema", None), code="G207"),
    edit("schema of the year 3000", put("schema", 10**300), code="G207"),
    edit("schema that is a hostile text", put("schema", f"\x1b[31m::error::{MARK}"), code="G207"),
    wrong("no schema", gone("schema")),
    edit("schema 2 in a session", ses("schema", 2), status=0),
    wrong("a hostile key", put(f"x\n::error::{MARK}##[error]\x1b[31m\u202e", 1)),
    wrong("a hostile key in a trial", ses(*T0, f"<img src=x> @everyone {MARK}", 1)),
    wrong("everything null", lambda d: d.update(nothing(d))),
    wrong("every number as text", lambda d: d.update(as_text(d))),
    wrong("sessions null", put("sessions", None)),
    wrong("sessions as a table", put("sessions", {"0": {}})),
    wrong("sessions of text", put("sessions", [MARK])),
    wrong("sessions in sessions", lambda d: d["sessions"].append({**d, "sessions": []})),
    wrong("no trials", gone("sessions", 0, "trials")),
    wrong("no host", gone("sessions", 0, "host")),
    wrong("trials as a table", ses("trials", {})),
    wrong("tools as a list", ses("tools", [])),
    wrong("tools with numbers", ses("tools", {"replay": 1})),
    wrong("notes as text", ses("notes", MARK)),
    wrong("true for a number", ses(*V0, "value", True)),
    wrong("text for a number", ses(*V0, "value", "1.0")),
    wrong("NaN as text", ses(*V0, "value", "NaN")),
    wrong("null for a number", ses(*V0, "value", None)),
    wrong("a list for a number", ses(*V0, "value", [1.0])),
    wrong("1 for a flag", ses("sides", 1)),
    wrong("a fraction for a count", ses("planned", 0, "trials", 2.5)),
    wrong("a fraction for a sequence", ses(*T0, "sequence", 0.5)),
    wrong("a negative sequence", ses(*T0, "sequence", -1)),
    wrong("a sequence twice", every("trials", "sequence", 0)),
    wrong("a negative duration", ses(*T0, "duration", -1.0)),
    wrong("a pair of minus one", ses(*T0, "pair", -1)),
    wrong("minus one trial planned", ses("planned", 0, "trials", -1)),
    wrong("a billion trials planned", ses("planned", 0, "trials", 10**9)),
    wrong("no pairs", ses("pairs", 0)),
    wrong("a billion pairs", ses("pairs", 10**9)),
    wrong("a tolerance of 1000 %", ses("metrics", 0, "tolerance", 10.0)),
    wrong("a tolerance of minus 5 %", ses("metrics", 0, "tolerance", -0.05)),
    wrong("a negative resolution", ses(*V0, "resolution", -1.0)),
    wrong("an unknown side", ses("side", MARK)),
    wrong("an unknown state", ses("state", MARK)),
    wrong("an unknown loudness", ses("loud", MARK)),
    wrong("an unknown kind of disturbance", ses(*T0, "aside", [{"kind": MARK, "text": ""}])),
    wrong("a disturbance of a trial that counts", ses(*T0, "aside", [{"kind": "steal", "text": ""}])),
    wrong("a name of 501 letters", ses("planned", 0, "benchmark", "x" * 501)),
    wrong("a note of 4001 letters", ses("notes", ["x" * 4001])),
    wrong("part 2 of 1", put("shard", 2)),
    wrong("part 0", put("shard", 0)),
    wrong("a billion parts", put("shards", 10**9)),
    wrong("a part that is a number too large", put("shards", 10**400)),
]  # fmt: skip

NUMBERS = [
    edit("every value zero", values(0.0), status=4),
    edit("every value negative", values(-1.0), status=4),
    edit("every value minus zero", values(-0.0), status=4),
    edit("every value the smallest", values(5e-324), code="G206"),
    edit("every value the largest", values(1.7e308), code="G206"),
    edit("values of both ends", ses(*V0, "value", 1.7e308), ses("trials", 1, "values", 0, "value", 5e-324), code="G206"),
    edit("a whole number near the end", ses(*V0, "value", 10**308), code="G206"),
    edit("a resolution of 1e308", *(ses("trials", i, "values", 0, "resolution", 1e308) for i in range(6)), code="G206"),
    edit("samples of minus a million", ses(*V0, "samples", -(10**6)), status=0),
    edit("samples of 4000 digits", ses(*V0, "samples", 10**3999), code="G206"),
    edit("a sequence of 4000 digits", ses(*T0, "sequence", 10**3999), code="G206"),
    edit("a pair of 4000 digits", ses(*T0, "pair", 10**3999), ses(*T0, "slot", 10**3999), code="G206"),
    edit("a seed of 4000 digits", ses("seed", -(10**3999)), code="G206"),
    edit("a duration of 1e308", ses(*T0, "duration", 1e308), code="G206"),
    edit("bytes written of minus 1e308", ses("written", -1e308), code="G206"),
    edit("a start in the future", ses("started", "9999-12-31T23:59:59Z"), status=0),
    edit("a start in the year 0", ses("started", "0000-00-00T00:00:00Z"), status=0),
    edit("a start that is no date", ses("started", MARK), ses("ended", ""), status=0),
    wrong("a start of a million letters", ses("started", "2" * 99_999)),
    edit_slow("pairs without partners", lambda d: d["sessions"][-1]["trials"].clear(), status=5),
    edit_slow("every pair number one", lambda d: [t.update(pair=1) for s in d["sessions"] for t in s["trials"] if t["pair"] is not None], status=5),
    edit_slow("pairs in no order", every("trials", "slot", None), status=10),
]  # fmt: skip
EVERY = [*SHAPES, *NUMBERS]
