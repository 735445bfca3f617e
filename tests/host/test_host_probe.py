"""The noise probe: its pieces of work, how they take turns, and what it says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

import pytest

from gate.errors import InputError, MeasureError
from gate.host import controls as probe
from gate.host.controls import BLOCK, ProbeRun
from gate.measure.process.stop import Stop
from gate.pipeline import noise_probe


def works(*, fails=False):
    def steady(times):
        if fails:
            raise OSError(28, "No space left on device")
        time.sleep(0.001)
        return ProbeRun(0.4 * times * (1 + 0.01 * (time.monotonic_ns() % 7)))

    return dict.fromkeys(("CPU", "memory", "file"), steady)


def test_pieces_take_turns_each_in_a_fresh_process(monkeypatch, tmp_path):
    """Each trial runs in a process of its own, never in ours; all pieces have as many trials."""
    seen = tmp_path / "seen"

    def piece(name):
        def run_it(times):
            with seen.open("a") as stream:
                stream.write(f"{name} {os.getpid()} {times}\n")
            return ProbeRun(0.1 * times, 10 * times)

        return run_it

    names = ("CPU", "memory", "file")
    monkeypatch.setattr(noise_probe, "pieces", lambda _: {name: piece(name) for name in names})
    found = noise_probe.probe(tmp_path, 0.0, Stop(), quiet=True)
    rows = [line.split() for line in seen.read_text().splitlines()]
    trials = rows[3:]
    assert [row[0] for row in trials] == list(names) * 5
    assert len({row[1] for row in trials}) == 15
    assert str(os.getpid()) not in {row[1] for row in rows}
    assert {row[2] for row in trials} == {"4"}, "0.1 s a part makes 4 parts for 0.4 s"
    assert [one.trials for one in found.noises.values()] == [5, 5, 5]
    assert found.written == sum(10 * int(row[2]) for row in rows), "the calibration's too"


def test_the_measuring_process_stays_light(monkeypatch, tmp_path):
    """Neither numpy nor scipy is loaded into the process that probes, not even for the figures."""
    code = (
        "import sys; from pathlib import Path; from gate.pipeline import noise_probe as probing; import gate.cli.host.check;"
        "from gate.measure.process.stop import Stop;"
        "from gate.host.controls import ProbeRun;"
        "probing.pieces = lambda _: {'file': lambda n: ProbeRun(0.4 * n)};"
        "found = probing.probe(Path('.'), 0.0, Stop(), quiet=True);"
        "assert found.noises['file'].noise > 0;"
        "assert not {'numpy', 'scipy', 'jinja2'} & set(sys.modules), 'heavy'"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, timeout=120)


def test_the_result_says_noise_and_losses(monkeypatch, tmp_path):
    """The text names each piece's noise and the losses for 1, 3, 10 and 30 trials, in 80 columns."""
    monkeypatch.setattr(noise_probe, "pieces", lambda _: works())
    found = noise_probe.probe(tmp_path, 0.2, Stop(), quiet=True)
    lines = list(noise_probe.as_text(found))
    assert all(len(one) <= 80 for one in lines)
    assert lines[0].startswith("noise of a trial: CPU ")
    assert lines[2].split() == ["1", "trial", "3", "trials", "10", "trials", "30", "trials"]
    assert [line.split()[0] for line in lines[3:6]] == ["CPU", "memory", "file"]
    data = json.loads(json.dumps(noise_probe.as_data(found), allow_nan=False))
    assert [one["name"] for one in data["pieces"]] == ["CPU", "memory", "file"]
    assert set(data["pieces"][0]["detectable"]) == {"1", "3", "10", "30"}
    assert (data["alpha"], data["beta"]) == (0.01, 0.025)


def test_work_that_fails_is_an_error(monkeypatch, tmp_path):
    """A piece that cannot write ends the probe with G244 and the reason, and gives no figure."""
    monkeypatch.setattr(noise_probe, "pieces", lambda _: works(fails=True))
    with pytest.raises(MeasureError, match="No space left on device") as caught:
        noise_probe.probe(tmp_path, 0.0, Stop(), quiet=True)
    assert caught.value.code == "G244"


def test_a_full_disk_is_refused_before_anything_is_written(monkeypatch, tmp_path):
    """With less than 64 MiB of room the probe refuses with G244, and the directory stays empty."""

    class Full:
        f_bavail, f_frsize = 16383, 4096

    monkeypatch.setattr(probe.os, "statvfs", lambda _: Full)
    with pytest.raises(InputError) as caught:
        probe.pieces(tmp_path)
    assert caught.value.code == "G244"
    assert not list(tmp_path.iterdir())


def test_files_are_overwritten_and_removed(tmp_path):
    """The file piece takes 4 MiB whatever the number of writes, and leaves nothing behind."""
    ran = probe.write_blocks(tmp_path / "one", 3)
    assert (ran.seconds > 0, ran.written) == (True, (1024 + 3) * BLOCK)
    assert not list(tmp_path.iterdir())
    order = {turn * probe._STRIDE % probe._BLOCKS for turn in range(1024)}
    assert len(order) == 1024


def test_what_stands_at_the_file_is_never_overwritten(tmp_path):
    """A link that somebody put there first is not followed."""
    target = tmp_path / "target"
    target.write_text("precious")
    (tmp_path / "probe").symlink_to(target)
    with pytest.raises(FileExistsError):
        probe.write_blocks(tmp_path / "probe", 1)
    assert target.read_text() == "precious"


@pytest.mark.parametrize(
    ("part", "times", "written"),
    [(0.05, 8, 1 + 4), (1.0, 1, 1), (1e-9, probe._MOST_WRITES, (4**7 - 1) // 3)],
)
def test_trials_are_sized_once(part, times, written):
    """A part of 50 ms is repeated 8 times for 0.4 s, a long one once, a tiny one within bounds.

    What finding that out has written is counted: one byte a part here.
    """
    sized = probe.calibrate_repetitions(probe.FILE, lambda n: ProbeRun(part * n, n))
    assert sized == (times, written)


def test_the_controls_are_the_pieces(tmp_path):
    """Processor and memory pieces are the built-in controls, and take longer when repeated."""
    found = probe.pieces(tmp_path)
    assert list(found) == ["CPU", "memory", "file"]
    for name in ("CPU", "memory"):
        few, many = (min(found[name](times) for _ in range(5)) for times in (0, 3))
        assert few < many, "the least of five: no neighbour takes time from all of them"
