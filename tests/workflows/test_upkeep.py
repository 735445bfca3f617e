"""What runs on the default branch: sessions that enter the baseline, and the A/A record."""

import datetime as dt
import re

import pytest
from workflows import events
from workflows.acting import REPOSITORY
from workflows.users import User

TWO = pytest.mark.parametrize("user", ["two-stages"], indirect=True)
AA = "      profiles: first\n"
DATE = re.compile(r"\b(20\d\d)(-?)(\d\d)\2(\d\d)(?=T)")


def the_day_before(found: re.Match[str]) -> str:
    """Of one day the gate adds one session, and the baseline here was taken today."""
    year, dash, month, day = found.groups()
    then = dt.date(int(year), int(month), int(day)) - dt.timedelta(days=1)
    return then.strftime(f"%Y{dash}%m{dash}%d")


def carried(user: User, hub, branch: str) -> tuple[list[str], str]:
    """Files that a branch changes, and the text of the baseline there."""
    user.git("fetch", "--quiet", "origin")
    changed = user.git("diff", "--name-only", f"origin/main...origin/{branch}").splitlines()
    return changed, user.git("show", f"origin/{branch}:{changed[0]}")


@pytest.mark.night
@TWO
def test_a_push_that_passes_proposes_its_session(user, hub):
    """One pull request that adds the session, and nothing else."""
    name = "baselines/lab/first.toml"
    older = DATE.sub(the_day_before, (user.clone / name).read_text())
    after = user.change_on_main({name: older, "notes.md": "on main\n"})
    payload = events.push("0" * 40, after)
    acted = hub.act("push", payload, user, run=301, workflow="driftgate-baseline.yml")
    acted.expect(measure="success", add="success")
    (pull,) = hub.repository(REPOSITORY)["pulls"]
    assert pull["base"]["ref"] == "main"
    changed, text = carried(user, hub, pull["head"]["ref"])
    assert changed == ["baselines/lab/first.toml"]
    assert after[:12] in text


@pytest.mark.night
@TWO
def test_a_first_baseline_is_taken_by_hand(user, hub):
    """`sittings: 2` measures two sessions, and a pull request proposes them with the reason."""
    user.change_on_main({"baselines/lab/first.toml": None})
    payload = events.workflow_dispatch(sittings="2", reason="we begin here")
    acted = hub.act("workflow_dispatch", payload, user, run=301, workflow="driftgate-baseline.yml")
    acted.expect(measure="success", add="success")
    (pull,) = hub.repository(REPOSITORY)["pulls"]
    changed, text = carried(user, hub, pull["head"]["ref"])
    assert changed == ["baselines/lab/first.toml"]
    assert "we begin here" in text


@pytest.mark.night
@TWO
def test_rounds_whose_answer_is_known_leave_a_record(world, user, hub):
    """Once a week; the summary tells, and the record can be committed."""
    user.change_on_main({".github/workflows/driftgate-aa.yml": (AA, f"{AA}      rounds: 1\n")})
    acted = hub.act("schedule", events.schedule(), user, run=301, workflow="driftgate-aa.yml")
    acted.expect(aa="success")
    assert "How often the gate is right" in acted.summaries["aa"]
    (record,) = (world.artifacts / "301/driftgate-calibration").rglob("calibration.toml")
    assert "first" in record.read_text()
