"""Contexts for the harness tests, with a plain subprocess runner."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gate.harness.base import Command, Outcome, TrialContext
from gate.model import Benchmark, Better, Metric, Profile, Side, Work

if TYPE_CHECKING:
    from collections.abc import Callable

RECORDED = Path(__file__).parent.parent / "data" / "tool-output"


def run(command: Command) -> Outcome:
    """Run a process in a session of its own and kill the whole group when its time is up."""
    started = time.monotonic()
    child = subprocess.Popen(
        command.argv,
        cwd=command.directory,
        env=dict(command.environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    timed_out = False
    try:
        output, errors = child.communicate(timeout=command.timeout)
    except subprocess.TimeoutExpired:
        timed_out = True
        # fio's workers leave the group (setsid): only fio itself can end them, so ask first.
        os.killpg(child.pid, signal.SIGTERM)
        try:
            output, errors = child.communicate(timeout=3)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            output, errors = child.communicate()
    return Outcome(
        status=child.returncode,
        output=output.decode("utf-8", "replace"),
        errors=errors.decode("utf-8", "replace"),
        timed_out=timed_out,
        duration=time.monotonic() - started,
    )


@pytest.fixture
def recorded() -> Callable[[str], str]:
    """Text of a recorded tool output by its file name."""
    return lambda name: (RECORDED / name).read_text(encoding="utf-8")


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., TrialContext]:
    """Builder of trial contexts below a temporary directory."""
    work, scratch = tmp_path / "work", tmp_path / "scratch"
    work.mkdir()
    scratch.mkdir()

    def build(
        work_spec: Work, *, metrics: tuple[str, ...] = (), harness: str = "fio", **more: Any
    ) -> TrialContext:
        benchmark = Benchmark(name=more.get("name", "b"), params=more.get("params", {}))
        profile = Profile(
            name="p",
            path="profiles/p.toml",
            root=str(more.get("root", tmp_path)),
            harness=harness,
            about="",
            digest="0",
            work=work_spec,
            benchmarks=(benchmark,),
            metrics=tuple(Metric(name=one, unit="s", better=Better.LOWER) for one in metrics),
            timeout=more.get("timeout", 60.0),
        )
        return TrialContext(
            profile=profile,
            benchmark=benchmark,
            side=more.get("side", Side.HEAD),
            side_directory=more.get("side_directory"),
            environment={**os.environ, **more.get("environment", {})},
            work=work,
            scratch=scratch,
            index=more.get("index", 0),
            run=more.get("run", run),
        )

    return build


@pytest.fixture
def figures() -> Callable[[tuple[Any, ...]], dict[str, float]]:
    """Values by metric name."""
    return lambda values: {value.metric: value.value for value in values}
