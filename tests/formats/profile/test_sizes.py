"""Sizes: a patch laid over the whole document, by laws that hold for any document."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.formats.profile.sizes import merge_documents

KEYS = st.sampled_from("abc")
LEAVES = st.integers(0, 3) | st.lists(st.integers(0, 3), max_size=2)
TABLES = st.recursive(
    st.dictionaries(KEYS, LEAVES, max_size=3),
    lambda inner: st.dictionaries(KEYS, LEAVES | inner, max_size=3),
    max_leaves=8,
)
TEXT = """\
harness = "fio"
job = "jobs/p.fio"
parameters = { runtime = 10, size = "1g" }
matrix = { iodepth = [1, 32, 128], bs = ["4k"] }
trials = { screen = 5 }
[metric.iops]
tolerance = "5%"
[size.small]
parameters = { runtime = 1 }
matrix = { iodepth = [1, 32] }
[size.small.metric.iops]
tolerance = "20%"
[size.empty]
"""


@given(TABLES)
def test_empty_patch(document):
    """An empty size changes nothing."""
    assert merge_documents(document, {}) == document


@given(TABLES, TABLES)
def test_idempotent(document, patch):
    """A size laid over twice is the size laid over once."""
    once = merge_documents(document, patch)
    assert merge_documents(once, patch) == once


@given(TABLES, TABLES)
def test_patch_wins_and_keeps(document, patch):
    """Each leaf of the patch is in the result, and each leaf that no key of the patch reaches."""
    result = merge_documents(document, patch)

    merged_leaves, wanted = leaves(result), leaves(patch)
    assert wanted.items() <= merged_leaves.items()
    for path, value in leaves(document).items():
        replaced = path in tables(patch) or any(path[: len(one)] == one for one in wanted)
        if not replaced:
            assert merged_leaves[path] == value


def leaves(table, path=()):
    """Every value that is no table, by its path; lists as text, so that they compare."""
    found = {}
    for key, value in table.items():
        here = (*path, key)
        found |= leaves(value, here) if isinstance(value, dict) else {here: str(value)}
    return found


def tables(table, path=()):
    """Every table below this one, by its path."""
    found = {}
    for key, value in table.items():
        if isinstance(value, dict):
            found |= {(*path, key): ""} | tables(value, (*path, key))
    return found


def test_sibling_keys_stay():
    """A table of the patch keeps the keys of the document's table that it does not name."""
    document = {"a": {"b": 1, "c": [1, 2]}, "d": 2}
    assert merge_documents(document, {"a": {"c": [3]}}) == {"a": {"b": 1, "c": [3]}, "d": 2}


@given(TABLES, TABLES)
def test_pure(document, patch):
    """Neither the document nor the patch is changed."""
    before = copy.deepcopy((document, patch))
    merge_documents(document, patch)
    assert (document, patch) == before


def test_tables_merge_and_lists_are_replaced(read):
    """A small size replaces the keys that it names, in tables too, and keeps all others."""
    full, small, empty = (read(TEXT, size) for size in ("full", "small", "empty"))
    assert (full.size, small.size, empty.size) == ("full", "small", "empty")
    assert full.work.parameters == {"runtime": "10", "size": "1g"}
    assert small.work.parameters == {"runtime": "1", "size": "1g"}
    assert [one.name for one in small.benchmarks] == ["p[iodepth=1,bs=4k]", "p[iodepth=32,bs=4k]"]
    assert (full.metrics[0].tolerance, small.metrics[0].tolerance) == (0.05, 0.2)
    assert small.trials.screen == 5
    assert empty.digest == full.digest
    assert small.digest != full.digest


def test_measured_in_a_size(tmp_path):
    """`gate run --size small` measures the small size, and its digest is not the full one's."""
    from builders import write_replay_project

    names = {"b": (1.0, 1.0, 1.0), "c": (1.0, 1.0, 1.0)}
    project = write_replay_project(tmp_path, head=names, tail='[size.small]\nbenchmarks = ["c"]')
    import json

    digests = []
    for arguments, wanted in (((), ["b", "c"]), (("--size", "small"), ["c"])):
        answer = project.gate("run", "p", "--json", "--quiet", *arguments)
        assert answer.status == 0, answer
        session = json.loads((tmp_path / answer.json["sessions"][0]["path"]).read_text())
        assert [one["benchmark"] for one in session["planned"]] == wanted
        digests.append(session["profile_digest"])
    assert digests[0] != digests[1]


@pytest.mark.parametrize("size", ["full", "small"])
def test_judged_in_a_size(tmp_path, size):
    """A session of the small size is compared only with profiles of the small size."""
    from builders import write_replay_project

    tail = '[size.small]\nbenchmarks = ["b"]'
    project = write_replay_project(
        tmp_path, head={"b": (1.0, 1.0, 1.0), "c": (1.0, 1.0, 1.0)}, tail=tail
    )
    answer = project.gate("run", "p", "--size", "small", "--json", "--quiet")
    session = answer.json["sessions"][0]["path"]
    judged = project.gate(
        "judge", "--session", session, "--profiles", "profiles", "--size", size, "--json"
    )
    codes = {one["code"] for one in judged.json["findings"]}
    assert ("G032" in codes) == (size == "full")
