"""Kernels of this very machine: each trial a restart, played down to what the boot loaders print."""

from __future__ import annotations

import json
import os
from dataclasses import replace

import pytest
from builders import run_gate
from subject.played_machine import Down, PlayedMachine

from gate.errors import InputError
from gate.formats.profile.profile_file import read_profile
from gate.formats.session.session_file import read_session
from gate.measure.order import block_order
from gate.subject import metal
from gate.subject.boots import BootStage, forget_boots, read_boots, write_boots

GRUB = 'by = "grub", base = "base entry", head = "head entry"'
BY = {
    "grub": GRUB,
    "systemd-boot": 'by = "systemd-boot", base = "base.conf", head = "head.conf"',
    "efi": 'by = "efi", base = "000b", head = "000A"',
    "kexec": 'by = "kexec", initrd = "{side}/initrd"',
    "command": 'by = "command", once = "cp {side}/name next", restart = "systemctl again"',
}
PROFILE = """harness = "hyperfine"
command = "sleep 0.005"
trials = {{ screen = 2, confirm_pairs = 9 }}
[subject]
kind = "kernel"
metal = {{ {metal} }}
[metric.wall]
tolerance = "300%"
"""
COST = """[output.cost]
pattern = "^cost ([0-9.]+) ms$"
unit = "ms"
better = "lower"
[metric.cost]
"""
SIDES = ("--base", "base", "--head", "head", "--restart", "--quiet")

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root may restart a machine")


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine, and a project on it whose sides are its kernels."""
    played = PlayedMachine(tmp_path, monkeypatch)
    write(played, GRUB)
    return played


def write(machine, text):
    path = machine.root / "profiles" / "p.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(PROFILE.format(metal=text))
    return path


def trials(path):
    return read_session(path).trials


def test_each_trial_is_a_restart_into_the_side(machine):
    """Two trials are two boots of the head, each proven in its trial; the journal is gone then."""
    answer, started = machine.measure("run", "p", *SIDES)
    assert (answer.status, started) == (0, ["head", "head"]), answer
    notes = [one.note for one in trials(machine.root / "reports/sessions/p-001.json")]
    shown = "booted 6.1.0-head build-id cccccccccccc, boot boot"
    assert notes == [shown + "-2", shown + "-3"]
    assert "found with 6.1.0-good" in answer.err
    assert read_boots(machine.state) is None


@pytest.mark.parametrize("loader", BY)
def test_every_boot_loader_is_armed_once(machine, loader):
    """Whatever starts kernels here is told so in its own words, and read back."""
    for name in ("base", "head"):
        (machine.root / name / "name").write_text(name)
    if loader == "efi":  # the firmware knows numbers alone
        machine.script("efibootmgr", '[ "$1" = --bootnext ] && echo "BootNext: 000A" >next; '
                       "cat next; echo head >>next")  # fmt: skip
    write(machine, BY[loader])
    answer, started = machine.measure("run", "p", *SIDES)
    assert (answer.status, started) == (0, ["head", "head"]), answer
    words = {"kexec": "kexec", "command": "again"}.get(loader, "reboot")
    assert (machine.root / "restarts").read_text().split() == [words] * 2


def test_kexec_gets_the_command_line_that_the_machine_was_found_with(machine):
    """With a restart after a panic added, so that a kernel that fails gives the machine back."""
    write(machine, BY["kexec"])
    words = "root=x ro softlockup_panic=1 " + " ".join(f"word{n}" for n in range(200))
    machine.kernels["good"] = replace(machine.running, command_line=f"BOOT_IMAGE=/x {words}")
    machine.start("good")
    machine.script("kexec", 'echo "$*" >>armed; echo "$*" >next; echo 1 >kexec_loaded')
    machine.measure("run", "p", *SIDES)
    armed = (machine.root / "armed").read_text().splitlines()
    side = machine.root / "head"
    line = f"--command-line={words} panic=30 --initrd={side}/initrd {side}/vmlinuz"
    assert armed == [f"--load --kexec-syscall-auto {line}"] * 2


def test_a_check_alternates_boots_in_the_order_of_its_blocks(machine):
    """Screen, then pairs: base and head as they were drawn, each in a boot of its own.

    The head prints a third more than the base, so that no noise of the machine decides.
    """
    machine.script("cost", 'echo "cost $(cat $1/cost).$(date +%N) ms"')
    for name, cost in (("base", 100), ("head", 130)):
        (machine.root / name / "cost").write_text(str(cost))
    path = write(machine, GRUB)
    text = path.read_text().replace('"sleep 0.005"', f'"{machine.programs}/cost {{side}}"')
    path.write_text(text.replace('[metric.wall]\ntolerance = "300%"\n', COST))
    for _ in range(2):
        answer, _started = machine.measure("run", "p", "--side", "base", *SIDES)
        assert answer.status == 0, answer
    sessions = [f"reports/sessions/p-00{n}.json" for n in (1, 2)]
    accept = ("baseline", "accept", *sessions, "--reason", "first", "--by", "me")
    assert run_gate(accept, cwd=machine.root).status == 0
    answer, started = machine.measure("check", "p", *SIDES, "--out", "out")
    assert started[:2] == ["head", "head"], answer
    head, base = (read_session(machine.root / f"out/p/pairs-{s}.json") for s in ("head", "base"))
    order = [side.value for side, _ in block_order(head.seed, "p", 0)]
    assert started[2 : 2 + len(order)] == order
    assert len(started) == 2 + len(head.trials) + len(base.trials)
    boots = [one.note.rsplit(" ", 1)[1] for one in (*head.trials, *base.trials)]
    assert len(set(boots)) == len(boots)
    assert {one.note.split()[1] for one in base.trials} == {"6.1.0-base"}
    assert answer.status == 10, answer
    report = json.loads((machine.root / "out/report.json").read_text())
    assert report["origin"]["restarts"] is True
    (finding,) = report["findings"]
    assert (finding["verdict"], finding["trials_head"]) == ("regressed", 5)
    assert finding["loss"] == pytest.approx(0.3, abs=0.02)
    assert (base.kernel.build_id, head.kernel.build_id) == ("bb" * 20, "cc" * 20)


def test_a_kernel_that_does_not_come_up_is_broken_and_the_machine_its_own_again(machine):
    """Firmware comes back with the known-good kernel: a failed trial that says so, never a number."""
    machine.broken = {"head"}
    answer, started = machine.measure("check", "p", *SIDES, "--out", "out")
    assert (answer.status, started) == (4, ["head", "head"]), answer
    (finding,) = json.loads((machine.root / "out/report.json").read_text())["findings"]
    assert (finding["verdict"], finding["code"]) == ("broken", "G050")
    assert "kernel 6.1.0-head build-id cccccccccccc does not run" in finding["headline"]
    assert "this machine runs 6.1.0-good" in finding["headline"]
    assert read_boots(machine.state) is None


def test_a_machine_that_went_down_in_a_trial_is_told_with_its_last_words(machine, monkeypatch):
    """A panic while measuring fails that trial, quotes what the kernel left, and the next is taken."""
    monkeypatch.setattr(metal, "_PSTORE", machine.root / "pstore")
    crashed = []

    def crash():
        journal = read_boots(machine.state)
        if not crashed:
            crashed.append(machine.running.boot)
            came = replace(machine.running)
            write_boots(machine.state, journal.now(BootStage.MEASURING, came=came, proven=True))
            (machine.root / "pstore").mkdir()
            record = "Panic#1 Part1\n<0>[   12.3] Kernel panic - not syncing: planted\n"
            (machine.root / "pstore" / "dmesg-efi-1").write_text(record)
            machine.start("good")

    answer, started = machine.measure("run", "p", *SIDES, between=crash)
    assert (answer.status, started) == (4, ["head", "head"]), answer
    first, second = trials(machine.root / "reports/sessions/p-001.json")
    assert first.note.startswith("not activated: the machine restarted in the middle of this trial")
    assert "it left: the kernel panicked: Kernel panic - not syncing: planted" in first.note
    assert second.status.value == "ok"


def test_a_gate_that_was_stopped_asks_for_a_boot_of_its_own_again(machine):
    """The same boot is never used twice, also where only the gate was interrupted in it."""
    stopped = []

    def stop():
        if not stopped:
            stopped.append(1)
            came = replace(machine.running)
            write_boots(
                machine.state, read_boots(machine.state).now(BootStage.MEASURING, came=came)
            )

    answer, started = machine.measure("run", "p", *SIDES, between=stop)
    assert (answer.status, started) == (0, ["head"] * 3), answer


def test_an_armed_start_that_nobody_took_is_armed_again(machine):
    """Going on by hand without a restart measures nothing of the wrong kernel."""
    with pytest.raises(Down):
        run_gate(("run", "p", *SIDES), cwd=machine.root)
    before = read_boots(machine.state)
    with pytest.raises(Down):
        run_gate(before.words, cwd=machine.root)
    after = read_boots(machine.state)
    assert (after.doing, len(after.boots)) == (BootStage.ASKED, 2)
    assert not trials(machine.root / "reports/sessions/p-001.json")


def test_nothing_restarts_without_leave(machine):
    """Without --restart the check ends closed, says what it needs, and arms nothing."""
    words = ("check", "p", "--base", "base", "--head", "head", "--out", "out")
    answer = run_gate(words, cwd=machine.root)
    assert answer.status == 5
    assert "error[G269]" in answer.err
    assert "--restart" in answer.err
    assert not (machine.root / "next").exists()
    assert read_boots(machine.state) is None
    assert json.loads((machine.root / "out/report.json").read_text())["gate"] == "closed"


def test_grub_that_cannot_clear_its_entry_is_told(machine):
    """Then there would be no way back from a kernel that hangs: the trial fails, the entry goes."""
    answer, started = machine.measure(
        *("run", "p", *SIDES),
        between=lambda: (machine.root / "next").write_text("next_entry=head entry\n"),
    )
    assert (answer.status, started) == (4, ["head", "head"]), answer
    assert "GRUB did not clear its one-shot entry" in answer.err
    assert (machine.root / "next").read_text() == ""


@pytest.mark.parametrize(
    ("program", "script", "said"),
    [
        ("grub-reboot", "echo no such entry >&2; exit 1", "status 1: no such entry"),
        ("grub-reboot", "true", "GRUB does not show next_entry=head entry"),
        ("systemctl", "echo not allowed >&2; exit 1", "status 1: not allowed"),
    ],
)
def test_what_cannot_be_armed_restarts_nothing(machine, program, script, said):
    """An entry that is not there, or was not written, ends the run; no restart is under way."""
    machine.script(program, script)
    answer, started = machine.measure("run", "p", *SIDES)
    assert (answer.status, started) == (4, []), answer
    assert said in answer.err
    assert read_boots(machine.state) is None
    assert not (machine.root / "restarts").exists()


def test_another_measurement_does_not_take_a_boot_that_is_not_its_own(machine):
    """While one waits for its restart, the next is refused by name, until somebody forgets it."""
    with pytest.raises(Down):
        run_gate(("run", "p", *SIDES), cwd=machine.root)
    path = write(machine, GRUB)
    path.write_text(path.read_text().replace("0.005", "0.004"))
    answer = run_gate(("run", "p", *SIDES, "--out", "other"), cwd=machine.root)
    assert answer.status == 2
    assert "another measurement waits for its restart: gate run p" in answer.err
    forgotten = run_gate(("host", "resume", "--forget"), cwd=machine.root)
    assert forgotten.status == 0
    assert read_boots(machine.state) is None


def test_two_sides_of_one_kernel_are_refused(machine):
    """Base and head with one build-id would compare a kernel with itself."""
    (machine.root / "base" / "vmlinuz").write_bytes((machine.root / "head/vmlinuz").read_bytes())
    (machine.root / "base" / "other").write_text("so that the directories differ")
    answer = run_gate(("run", "p", *SIDES), cwd=machine.root)
    assert answer.status == 2
    assert "both sides are one kernel" in answer.err


def test_several_sessions_at_once_are_refused(machine):
    """What goes on after a restart is one session."""
    answer = run_gate(("run", "p", "--repeat", "2", *SIDES), cwd=machine.root)
    assert answer.status == 2
    assert "one at a time" in answer.err


def test_resuming_without_anything_to_go_on_with(machine):
    """At every start of the machine the unit may ask; nothing is nothing."""
    answer = run_gate(("host", "resume"), cwd=machine.root)
    assert (answer.status, answer.out) == (0, "nothing to go on with\n")


def test_resuming_runs_the_command_and_restarts_into_the_kernel_that_was_there(machine):
    """A real process goes on; when it ends, the machine goes back, by the command it was given."""
    write(machine, BY["command"])
    (machine.root / "head" / "name").write_text("head")
    with pytest.raises(Down):
        run_gate(("run", "p", *SIDES), cwd=machine.root)
    machine.restart()
    journal = read_boots(machine.state)
    back = replace(journal, words=("explain", "G269"), restart=f"touch {machine.root}/back")
    write_boots(machine.state, back.now(BootStage.DONE))
    answer = run_gate(("host", "resume"), cwd=machine.root)
    assert answer.status == 0, answer
    assert "restarting from 6.1.0-head" in answer.out
    assert (machine.root / "back").exists()
    assert read_boots(machine.state) is None


def test_the_unit_starts_this_very_gate(machine):
    """Only where the journal is, after everything else has started."""
    text = run_gate(("host", "resume", "--unit"), cwd=machine.root).out
    assert "ConditionPathExists=/var/lib/driftgate/boots.json\n" in text
    assert "-P -m gate host resume\n" in text
    assert "GATE-HOST-RESUME" not in text


def test_a_journal_that_nobody_understands_is_not_guessed_at(machine):
    """It is an error that names the file, and the way out; nothing is measured or restarted."""
    machine.state.mkdir()
    (machine.state / "boots.json").write_text('{"schema": 1, "boots": []}')
    answer = run_gate(("run", "p", *SIDES), cwd=machine.root)
    assert answer.status == 2
    assert "boots.json: the journal of restarts cannot be used" in answer.err
    forget_boots(machine.state)


def test_a_damaged_journal_is_no_matter_of_other_profiles(machine):
    """What restarts nothing neither reads nor removes it."""
    path = machine.root / "profiles" / "p.toml"
    path.write_text('harness = "hyperfine"\ncommand = "sleep 0.005"\n[metric.wall]\n')
    (machine.root / "baselines").mkdir()
    machine.state.mkdir()
    (machine.state / "boots.json").write_text("{")
    answer = run_gate(("check", "p", "--out", "out", "--allow", "new"), cwd=machine.root)
    assert answer.status == 0, answer
    assert (machine.state / "boots.json").read_text() == "{"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('by = "grub", base = "a"', "grub needs the key head"),
        ('by = "grub", base = "a", head = "a"', "both sides have one boot entry"),
        ('by = "efi", base = "3", head = "0004"', "'3' is no number of a boot option"),
        ('by = "kexec", base = "a"', "metal.base means nothing to kexec"),
        ('by = "command"', "command needs the key once"),
        ('by = "grub", base = "-x", head = "b"', "metal.base: '-x' is no name"),
        ('by = "floppy"', "by"),
    ],
)
def test_what_does_not_make_a_restart_is_refused(tmp_path, text, said):
    """Keys that mean nothing, or are lacking, are told with their line."""
    path = tmp_path / "p.toml"
    path.write_text(PROFILE.format(metal=text))
    with pytest.raises(InputError, match=said) as refused:
        read_profile(path)
    assert refused.value.place.startswith(str(path))


@pytest.mark.parametrize(
    "key", ['modules = ["m"]', 'device = "/dev/nullb0"', 'machine = { memory = "1 GiB" }']
)
def test_what_belongs_to_a_guest_does_not_go_with_metal(tmp_path, key):
    """A machine that starts by itself has no machine beside it."""
    path = tmp_path / "p.toml"
    path.write_text(PROFILE.format(metal=GRUB).replace("metal =", f"{key}\nmetal ="))
    with pytest.raises(InputError, match="does not go with metal"):
        read_profile(path)
