"""Hostile texts in every field, and every hostile text where a reader would see it."""

from __future__ import annotations

from hostile.making import edit, put, ses
from hostile.payloads import MARK, MIXED, PATHS, PAYLOADS

BILL = {
    "window": 1.0,
    "life": 1.0,
    "operations": 1.0,
    "transferred": 0.0,
    "busy": 0.5,
    "idle_reference": 0.0,
    "contexts": {},
    "per_cpu": [0.5],
    "owners": {"kthreads": {MIXED: 0.1}},
    "switches": 1.0,
    "source": MIXED,
}
FAILED = {"status": "failed", "values": []}


def told(text):
    """The text wherever a closed gate's report would show it: note, reason, name, fact, tool."""

    def change(data):
        session = data["sessions"][0]
        session["trials"][0].update(FAILED, note=text)
        session["disturbances"] = [text]
        session["notes"] = [text]
        session["tuned"] = [text]
        session["subject"].update(description=text, proof=text)
        session["tools"][text] = text
        for tier in ("stable", "epoch", "live"):
            session["host"][tier][text] = text
        data["version"] = data["error"] = text

    return change


def unknown(text, *, profile="unheard"):
    """A second session of a profile that the base branch does not have, with names of its own."""

    def change(data):
        session = {**data["sessions"][0], "profile": profile, "id": "another"}
        session["metrics"] = [
            {**session["metrics"][0], "name": text, "unit": text, "role": "gate"},
        ]
        session["planned"] = [{"benchmark": text, "trials": 3}]
        session["trials"] = [
            {**trial, "benchmark": text, "values": [{"metric": text, "value": 1.0}]}
            for trial in session["trials"][:3]
        ]
        data["sessions"].append(session)

    return change


def second(change):
    """The same sitting once more, changed: what comes after the screen must be of one piece."""

    def both(data):
        other = {**data["sessions"][0], "id": "another", "started": "9999-01-01T00:00:00Z"}
        change(other)
        data["sessions"].append(other)

    return both


SEEN = [
    edit(f"told: {name}", told(text), unknown(text), status=4) for name, text in PAYLOADS.items()
]
"""Texts that reach the report, or would."""

WHERE = {
    "profile": (lambda text: ses("profile", text), 4),
    "host class": (lambda text: ses("host", "host_class", text), 5),
    "control": (lambda text: ses("controls", {text: [1.0]}), 0),
}
"""Names that are names of files, and what comes of one that is strange and yet none of a path."""
NAMES = [
    edit(f"{where} is a path: {name}", change(text), code="G206")
    if "/" in text
    else edit(f"{where} is strange: {name}", change(text), status=status)
    for where, (change, status) in WHERE.items()
    for name, text in PATHS.items()
]
FIELDS = [
    edit("field: profile", ses("profile", MIXED), code="G206"),
    edit("field: id", ses("id", MIXED), code="G206"),
    edit("field: a printable id", ses("id", f"<img src=x> @everyone ##[error]{MARK}"), status=0),
    edit("field: profile digest", ses("profile_digest", MIXED), status=5),
    edit("field: harness", ses("harness", MIXED), status=5),
    edit("field: boot", ses("boot", MIXED), status=0),
    edit("field: started and ended", ses("started", MIXED), ses("ended", MIXED), status=0),
    edit("field: loudness", ses("loud", MIXED), code="G206"),
    edit("field: side", ses("side", MIXED), code="G206"),
    edit("field: description", ses("subject", "description", MIXED), status=0),
    edit("field: commit", ses("subject", "commit", MIXED), code="G243"),
    edit("field: proof", ses("subject", "proof", MIXED), status=0),
    edit("field: proofs that differ", second(lambda s: s.update(subject={**s["subject"], "proof": MIXED})), status=5),
    edit("field: host class", ses("host", "host_class", MIXED), code="G206"),
    edit("field: fingerprint", ses("host", "fingerprint", MIXED), status=0),
    edit("field: fingerprints that differ", second(lambda s: s.update(host={**s["host"], "fingerprint": MIXED})), status=5),
    edit("field: a stable fact", ses("host", "stable", "cpu_model", MIXED), status=5),
    edit("field: name of a stable fact", ses("host", "stable", MIXED, MIXED), status=5),
    edit("field: an epoch fact", ses("host", "epoch", "kernel", MIXED), status=5),
    edit("field: name of an epoch fact", ses("host", "epoch", MIXED, MIXED), status=5),
    edit("field: a fact of the moment", ses("host", "live", MIXED, MIXED), status=0),
    edit("field: a kernel", ses("kernel", {"release": MIXED, "version": MIXED, "build_id": "", "command_line": MIXED, "config": {"A": "y"}}), status=0),
    edit("field: build id of a kernel", ses("kernel", {"release": "6", "version": "", "build_id": MIXED, "command_line": ""}), code="G206"),
    edit("field: an option of a kernel", ses("kernel", {"release": "6", "version": "", "build_id": "", "command_line": "", "config": {"A": MIXED}}), code="G206"),
    edit("field: name of an option of a kernel", ses("kernel", {"release": "6", "version": "", "build_id": "", "command_line": "", "config": {MIXED: "y"}}), code="G206"),
    edit("field: version of a tool", ses("tools", "replay", MIXED), status=5),
    edit("field: name of a tool", ses("tools", MIXED, "1"), status=5),
    edit("field: disturbance", ses("disturbances", [MIXED]), status=5),
    edit("field: note of the session", ses("notes", [MIXED]), status=0),
    edit("field: tuned", ses("tuned", [MIXED]), status=0),
    edit("field: why a metric is not there", ses("unavailable", {"heat": MIXED, MIXED: MIXED}), status=0),
    edit("field: name of a control", ses("controls", {MIXED: [1.0]}), code="G206"),
    edit("field: planned benchmark", ses("planned", 0, "benchmark", MIXED), status=0),
    edit("field: planned group", ses("planned", 0, "group", MIXED), code="G206"),
    edit("field: planned without", ses("planned", 0, "without", [MIXED]), status=0),
    edit("field: name of a metric", ses("metrics", 0, "name", MIXED), status=5),
    edit("field: unit of a metric", ses("metrics", 0, "unit", MIXED), status=5),
    edit("field: what a metric is made of", ses("metrics", 0, "derived", {"of": MIXED, "over": MIXED, "take": "knee"}), status=5),
    edit("field: benchmark of a trial", ses("trials", 0, "benchmark", MIXED), status=4),
    edit("field: start of a trial", ses("trials", 0, "started", MIXED), status=0),
    edit("field: note of a trial that counts", ses("trials", 0, "note", MIXED), status=0),
    edit("field: metric of a value", ses("trials", 0, "values", 0, "metric", MIXED), status=4),
    edit("field: why a trial was set aside", lambda d: d["sessions"][0]["trials"].append({**d["sessions"][0]["trials"][0], "sequence": 99, "status": "aside", "aside": [{"kind": "steal", "text": MIXED}]}), status=0),
    edit("field: payer of a CPU bill", ses("trials", 0, "cpu", BILL), status=0),
    edit("field: version of the handover", put("version", MIXED), status=0),
    edit("field: error of the handover", put("error", MIXED), status=4),
    edit("a profile that the base branch does not have", unknown(MIXED), status=5),
    edit("a hostile name of such a profile", unknown(MIXED, profile=f'"><img src=x> @everyone %0A {MARK}'), status=5),
]  # fmt: skip
EVERY = [*SEEN, *NAMES, *FIELDS]
