"""What holds for every test: examples, signals, one browser, who shares a worker, what took long."""

from __future__ import annotations

import os
import signal
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import settings

SLOW = 5.0
"""Seconds from which on a test is to be marked `slow`, or `night`: more of them on a busy machine."""

# The machines are shared: how long an example takes says nothing about it.
settings.register_profile("fast", deadline=None, max_examples=25)
settings.register_profile("deep", deadline=None, max_examples=300)
settings.load_profile("fast")  # --hypothesis-profile is loaded later, and wins


def pytest_addoption(parser):
    parser.addoption(
        "--durations-file", type=Path, help="write here how long each phase of each test took"
    )


def pytest_configure(config):
    """Children begin with signals as a terminal leaves them, though nohup or `&` ignored some.

    What has a handler gets its default in a new program, and what is ignored stays ignored. The
    handler does nothing: whoever ran the tests by nohup wants them to go on. The workers of xdist
    are such new programs, and end with the process that started them; a pytest that a test starts
    is none of them.
    """
    is_worker = hasattr(config, "workerinput")
    if is_worker:
        os.environ.pop("PYTEST_XDIST_WORKER", None)
    numbers = [signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM]
    ignored = {one for one in numbers if signal.getsignal(one) is signal.SIG_IGN}
    for number in ignored | ({signal.SIGHUP} if is_worker else set()):
        signal.signal(number, lambda *_: None)


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config, items):
    """Tests of one file share its fixtures, so one worker runs them; slow ones are spread."""
    for item in items:
        marks = {mark.name for mark in item.iter_markers()}
        if not marks & {"xdist_group", "slow", "night"}:
            item.add_marker(pytest.mark.xdist_group(item.location[0]))
    result = yield
    if config.getoption("loadgroup", default=False):  # in a worker of xdist
        for item in items:
            _join_group(item)
    return result


def _join_group(item):
    """Append the group to the test's id, by which xdist spreads tests.

    pytest-xdist 3.8 does so itself, but where pytest 9.2 does not look any more.
    """
    mark = item.get_closest_marker("xdist_group")
    if mark is not None and "@" not in item.nodeid.rpartition("]")[2]:
        item._id = type(item._id).parse(f"{item.nodeid}@{mark.args[0]}")
        assert item.nodeid.endswith(f"@{mark.args[0]}"), "xdist would run it anywhere"


@pytest.fixture(scope="session")
def browser():
    """A headless Chromium, started once for all tests of this process."""
    from tests.report.browser import chromium

    with chromium() as launched:
        yield launched


def pytest_terminal_summary(terminalreporter, config):
    """Store the durations, and name what takes long and does not say so. It fails nothing."""
    reports = [
        report
        for some in terminalreporter.stats.values()
        for report in some
        if isinstance(report, pytest.TestReport)
    ]
    if path := config.getoption("--durations-file"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(durations(reports), encoding="utf-8")
    limit = SLOW * max(1.0, os.getloadavg()[2] / (os.cpu_count() or 1))
    if long := unmarked(reports, limit):
        title = f"over {limit:.0f} s here and not marked `slow` or `night`"
        terminalreporter.section(title, sep="-")
        for seconds, name in long:
            terminalreporter.line(f"{seconds:7.1f} s  {name}")


def durations(reports):
    """A line for each test, the longest first: seconds of set-up, call and teardown, and name."""
    tests = defaultdict(lambda: dict.fromkeys(("setup", "call", "teardown"), 0.0))
    for report in reports:
        tests[name_of(report)][report.when] += report.duration
    rows = sorted(tests.items(), key=lambda row: (-sum(row[1].values()), row[0]))
    return "".join(
        f"{sum(row.values()):8.2f} ={''.join(f' {one:8.2f}' for one in row.values())}  {name}\n"
        for name, row in rows
    )


def unmarked(reports, limit):
    """(seconds, name) of tests that took longer by themselves and bear no mark.

    Set-up does not count: that of a shared fixture falls to whichever test is the first.
    """
    return sorted(
        (
            (report.duration, name_of(report))
            for report in reports
            if report.when == "call" and report.duration > limit
            if not {"slow", "night", "proof"} & report.keywords.keys()
        ),
        reverse=True,
    )


def name_of(report):
    """The test's name without the group that xdist appends."""
    name, at, group = report.nodeid.rpartition("@")
    return name if at and "]" not in group else report.nodeid
