"""Anything in any one field: never an internal error, and never a gate that opens because of it."""

from __future__ import annotations

import copy
import json

from builders import run_gate
from examples import examples
from hostile.payloads import MIXED, PAYLOADS
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

STATUSES = {0, 2, 3, 4, 5, 10}
NUMBERS = (0, -1, 1, 2, 3, 10**6, 10**18, 10**30, 0.0, -0.5, 1e-300, 1e-99, 1e99, 1e300)
ODD = (
    None,
    True,
    False,
    [],
    {},
    [[]],
    "",
    "b",
    "wall",
    "head",
    "base",
    "confirm",
    "failed",
    "aside",
)
CHARS = "ab1 .:/\\|`<>&\"'@#[](){}*_-=%$!\n\r\t\0\x1b\x9b\u200d\u202e\u2028\ud800\ufffe\U0001f600é"
HOSTILE = st.one_of(  # of our own parts: hypothesis draws its numbers from what is imported so far
    st.sampled_from([MIXED, *PAYLOADS.values()]),
    st.sampled_from([*NUMBERS, *ODD]),
    st.lists(st.sampled_from(CHARS), max_size=20).map("".join),
    st.builds(
        lambda part, power: part * 10.0**power,
        st.sampled_from([-9.5, 1.0, 3.7]),
        st.sampled_from(range(-320, 305, 7)),
    ),
)


WHICH = st.integers(0, 1 << 20)


def leaves(data, path=()):
    """The path of every value in a handover."""
    yield path
    items = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in items:
        if isinstance(value, dict | list):
            yield from leaves(value, (*path, key))
        else:
            yield (*path, key)


def chosen(paths, number):
    """One of the paths, each kind of field as often as any other."""
    found = {}
    for path in paths:
        shape = tuple("#" if isinstance(part, int) else part for part in path)
        found.setdefault(shape if "host" not in shape else shape[:4], []).append(path)
    kinds = list(found.values())
    kind = kinds[number % len(kinds)]
    return kind[number // len(kinds) % len(kind)]


def changed(data, path, value):
    """A copy with another value at a path."""
    if not path:
        return value
    data = copy.deepcopy(data)
    place = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return data


def judged(roots, slow, data, tmp):
    """The exit status of the judge."""
    path = tmp / "session.json"
    path.write_text(json.dumps(data), encoding="utf-8", errors="surrogatepass")
    arguments = ["judge", "--session", path, "--merge-base", "main", "--out", tmp / "out"]
    answer = run_gate(arguments, cwd=roots[slow].root)
    assert answer.status in STATUSES, answer
    if answer.status != 2:
        ended = run_gate(
            ["report", tmp / "out/report.json", "--junit", tmp / "j", "--comment", tmp / "c"]
        )
        assert ended.status == 0, ended
    return answer.status


_FIXED = examples(
    1,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@_FIXED
@given(number=WHICH, value=HOSTILE)
def test_nothing_in_one_field_of_a_good_handover_makes_an_internal_error(
    number, value, roots, honest, tmp_path
):
    """Open stays open, or it closes or is refused: 1 and 6 are never the answer."""
    path = chosen(leaves(honest.fine), number)
    judged(roots, False, changed(honest.fine, path, value), tmp_path)


def measured(path):
    """Whether a path is a measured number, or what says which side and pair it is of."""
    told = {"value", "values", "trials", "sessions", "side", "profile", "sequence", "pair", "slot"}
    return not path or bool(told & {path[-1]})


@_FIXED
@given(number=WHICH, value=HOSTILE)
def test_nothing_in_one_field_hides_a_loss(number, value, roots, honest, tmp_path):
    """A handover with a loss never opens, whatever is said in one field that is no number."""
    path = chosen([one for one in leaves(honest.slow) if not measured(one)], number)
    assert judged(roots, True, changed(honest.slow, path, value), tmp_path) != 0
