"""300 handovers that nobody measured: none opens the gate as if it were nothing.

What cannot be found out is a forged number: a handover whose head is said to be as fast as the base
is one of a change that costs nothing. Docs say so: docs/security-model.md.
"""

import json

import pytest
from builders import run_gate
from hostile.forging import EVERY, FASTER, LOOKS, forged, trials

BATCH = 30
JUDGE = ("judge", "--merge-base", "main", "--proposed", "change", "--json")


def test_there_are_as_many_as_were_promised(honest):
    """300, at least 60 of them edited to look faster, each another file, and always the same."""
    made = [json.dumps(one.data) for one in forged(honest.slow)]
    assert len(set(made)) == EVERY >= 300
    assert FASTER >= 60
    assert len(LOOKS) >= 20
    assert json.dumps(honest.slow) not in made
    assert made == [json.dumps(one.data) for one in forged(honest.slow)]


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(EVERY // BATCH))
def test_none_opens_the_gate_without_being_named(tmp_path, roots, honest, batch):
    """It is refused or closed; or each row of the forged profile is told to be a gain."""
    for one in list(forged(honest.slow))[batch * BATCH : (batch + 1) * BATCH]:
        path = tmp_path / "session.json"
        path.write_text(json.dumps(one.data), encoding="utf-8")
        answer = run_gate([*JUDGE, "--session", path], cwd=roots[True].root)
        assert answer.status in {0, 2, 3, 4, 5, 10}, (one.name, answer)
        if answer.status == 2:
            assert answer.err.startswith("error[G"), (one.name, answer)
        if answer.status == 0:
            _expect_named(one, [row for row in answer.json["findings"] if row["profile"] == "q"])


def _expect_named(one, rows):
    """A gain is told, and where the pairs that came with it show a loss, that too."""
    assert rows, one.name
    assert {row["verdict"] for row in rows} == {"improved"}, (one.name, rows)
    sides = [
        [value["value"] for trial in trials(one.data, side, "confirm") for value in trial["values"]]
        for side in ("base", "head")
    ]
    if all(sides) and min(sides[1]) > 1.1 * max(sides[0]):
        assert all("pairs" in " ".join(row["warnings"]) for row in rows), (one.name, rows)
