"""Handovers that claim to be what they are not, or leave out what would close the gate."""

from __future__ import annotations

import copy
import json

from hostile.making import Hostile, edit, edit_slow, every, put, ses


def again(**changes):
    """The first session once more, with changes."""

    def change(data):
        data["sessions"].append({**copy.deepcopy(data["sessions"][0]), **changes})

    return change


def of(profile, stage=None):
    """Positions of sessions."""

    def found(data):
        return [
            s for s in data["sessions"] if s["profile"] == profile and stage in (None, s["stage"])
        ]

    return found


def without(profile, stage=None):
    """The handover without some sessions."""

    def change(data):
        gone = of(profile, stage)(data)
        data["sessions"] = [one for one in data["sessions"] if one not in gone]

    return change


def each(profile, stage=None, /, **changes):
    """Some sessions with other values."""

    def change(data):
        for one in of(profile, stage)(data):
            one.update(copy.deepcopy(changes))

    return change


def metric(**changes):
    return lambda data: [one.update(changes) for s in data["sessions"] for one in s["metrics"]]


def host(**changes):
    return lambda data: [s["host"].update(changes) for s in data["sessions"]]


def all_trials(**changes):
    return lambda data: [t.update(changes) for s in data["sessions"] for t in s["trials"]]


def swap(data):
    """The slow side is called the base, and the base the head."""
    for one in of("q", "confirm")(data):
        one["side"] = {"head": "base", "base": "head"}[one["side"]]


ASIDE = {"status": "aside", "aside": [{"kind": "steal", "text": "busy"}]}
LEFT_OUT = [
    edit("no sessions", put("sessions", []), status=4),
    edit("no trials at all", ses("trials", []), status=4),
    edit("no plan", ses("planned", []), status=0),
    edit("no metrics", ses("metrics", []), code="G206"),
    edit("no values", all_trials(values=[]), status=4),
    edit("nothing planned", every("planned", "trials", 0), status=0),
    edit("one benchmark left out", lambda d: d["sessions"][0].update(trials=[t for t in d["sessions"][0]["trials"] if t["benchmark"] == "b"]), status=4),
    edit("one trial left out", lambda d: d["sessions"][0]["trials"].pop(), status=4),
    edit("a gate metric left out", lambda d: [t.update(values=t["values"][1:]) for t in d["sessions"][0]["trials"]], status=4),
    edit("every trial failed", all_trials(status="failed"), status=4),
    edit("every trial timed out", all_trials(status="timeout"), status=4),
    edit("every trial set aside", all_trials(**ASIDE), status=4),
    edit("every trial a control", every("planned", "control", True), status=0),
    edit("every metric only watched", metric(role="watch"), status=0),
    edit("metrics unavailable", ses("unavailable", {"wall": "no", "heat": "no"}), status=0),
    edit("every metric without", every("planned", "without", ["wall", "heat"]), status=0),
    edit("a session that is not complete", ses("state", "partial"), status=4),
    edit("a check that failed, all the same fine", put("error", "G262: the host was busy"), status=4),
    edit("no head side", ses("side", "base"), code="G243"),
    edit_slow("the slow profile left out", without("q"), status=4),
    edit_slow("the slow profile renamed", each("q", profile="r"), status=10),
    edit_slow("all profiles renamed", each("q", profile="r"), each("p", profile="s"), status=10),
    edit_slow("the pairs left out", without("q", "confirm"), status=5),
    edit_slow("one side of the pairs left out", lambda d: d["sessions"].pop(), status=5),
    edit_slow("the screen left out", without("q", "screen"), status=4),
    edit_slow("the loss set aside", each("q"), lambda d: [t.update(copy.deepcopy(ASIDE)) for s in of("q")(d) for t in s["trials"]], status=4),
    edit_slow("the loss failed", lambda d: [t.update(status="failed", values=[]) for s in of("q")(d) for t in s["trials"]], status=4),
]  # fmt: skip

CLAIMS = [
    edit("another host class", host(host_class="other"), status=5),
    edit("another machine", host(stable={"cpu_model": "faster"}), status=5),
    edit("no facts of the machine", host(stable={}, epoch={}, live={}, fingerprint=""), status=5),
    edit("another kernel", host(epoch={"kernel": "9.9"}), status=5),
    edit("another profile text", ses("profile_digest", "sha256:" + "0" * 64), status=5),
    edit("no profile text", ses("profile_digest", ""), status=5),
    edit("another harness", ses("harness", "fio"), status=5),
    edit("another version of the harness", ses("tools", "replay", "2"), status=5),
    edit("other units", metric(unit="kg"), status=5),
    edit("units that differ from trial to trial", lambda d: d["sessions"][0]["metrics"].append({**d["sessions"][0]["metrics"][0], "name": "wall2"}), status=0),
    edit("better is higher", metric(better="higher"), status=5),
    edit("a tolerance of 500 %", metric(tolerance=5.0), status=0),
    edit("a floor of a million", metric(floor=1e6), status=0),
    edit("imported numbers", ses("source", "imported"), status=0),
    edit("numbers with a planted loss", ses("planted", 0.5), status=0),
    edit("a planted loss that is negative", ses("planted", -1e308), code="G206"),
    edit("the same id twice", again(), code="G206"),
    edit("the same profile twice", again(id="another"), status=0),
    edit("300 sessions of one profile", lambda d: [again(id=f"i{n}")(d) for n in range(300)], status=0),
    edit("sessions of 300 unknown profiles", lambda d: [again(id=f"i{n}", profile=f"u{n}")(d) for n in range(300)], status=5),
    edit("part 1 of 2, the other never sent", put("shards", 2), status=4),
    edit("part 256 of 256", put("shards", 256), put("shard", 256), status=4),
    edit("version 99", put("version", "99.0.0"), status=0),
    edit("a whole sitting of confirming", ses("stage", "confirm"), status=4),
    edit("trials of the other stage", all_trials(stage="confirm"), status=4),
    edit("sides where there are none", ses("sides", True), status=0),
    edit_slow("better is higher in the slow profile", lambda d: [m.update(better="higher") for s in of("q")(d) for m in s["metrics"]], status=5),
    edit_slow("a tolerance of 500 % in the slow profile", lambda d: [m.update(tolerance=5.0) for s in of("q")(d) for m in s["metrics"]]),
    edit_slow("a floor of a million in the slow profile", lambda d: [m.update(floor=1e6) for s in of("q")(d) for m in s["metrics"]]),
    edit_slow("only watched in the slow profile", lambda d: [m.update(role="watch") for s in of("q")(d) for m in s["metrics"]]),
    edit_slow("no sides in the slow profile", each("q", sides=False)),
    edit_slow("one pair is the limit", each("q", pairs=1)),
    edit_slow("the sides changed places", swap, status=0),
    edit_slow("the slow profile on another host class", lambda d: [s["host"].update(host_class="other") for s in of("q")(d)], status=10),
    edit_slow("the slow session also as a session of p", lambda d: d["sessions"].append({**copy.deepcopy(of("q", "screen")(d)[0]), "profile": "p", "id": "x"}), status=10),
    edit_slow("an error beside the loss", put("error", "G262: interrupted"), status=10),
    edit_slow("disturbed beside the loss", each("q", disturbances=["the host was busy"]), status=5),
]  # fmt: skip


def of_the_baseline(path, honest):
    """The session says that it is one of those that were accepted."""
    data = copy.deepcopy(honest.fine)
    data["sessions"][0]["id"] = honest.accepted[0]
    path.write_text(json.dumps(data), encoding="utf-8")


EVERY = [*LEFT_OUT, *CLAIMS, Hostile("the id of an accepted session", of_the_baseline, status=5)]
