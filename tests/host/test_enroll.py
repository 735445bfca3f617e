"""`gate host enroll` and `gate host diff`, on a played machine whose facts move one by one."""

from __future__ import annotations

import json

import pytest
from builders import HOST_CLASS, run_gate, write_replay_project
from played import CPUINFO, FIRMWARE, GOVERNOR, KERNEL, SCHEDULER, cpuinfo, playing

from gate.formats.host.host_file import read_known_host
from gate.model import EpochPolicy, Limits

FILE = f"baselines/{HOST_CLASS}/host.toml"


@pytest.fixture
def gate(tmp_path):
    """One call of the gate on the played machine, some of its files with another text."""

    def call(*arguments, changes=None, env=None):
        with playing(changes):
            return run_gate(arguments, cwd=tmp_path, env=env)

    return call


def known(tmp_path):
    return read_known_host(tmp_path / "baselines", HOST_CLASS)


def test_enroll_writes_what_was_asked_for(gate, tmp_path):
    """The file holds the facts of both tiers and the settings of the command line."""
    answer = gate("host", "enroll", "--tune", "thp", "--tune", "irq", "--epoch", "new-baseline")
    assert (answer.status, answer.err) == (0, "")
    assert answer.out.startswith(f"{FILE}\n  enrolled as lab: 17 stable and 23 epoch facts")
    one = known(tmp_path)
    assert one.stable["disk_firmware"] == "7.2.1"
    assert one.epoch["microcode"] == "0x2b000571"
    assert (one.tune, one.policy) == (("thp", "irq"), EpochPolicy.NEW_BASELINE)


def test_enroll_warns_of_each_unknown_stable_fact(gate):
    """What the machine does not tell cannot tell it apart, and is named as that."""
    warned = [line for line in gate("host", "enroll").out.splitlines() if "warning" in line]
    assert [line.split()[1] for line in warned] == [
        *("architecture", "board", "container", "cpu_cores", "cpu_sockets", "disk_link"),
        *("numa_nodes", "system"),
    ]
    assert all("two machines that differ only there cannot be told apart" in w for w in warned)
    assert json.loads(gate("host", "enroll", "--json").out)["unknown"] == [
        line.split()[1] for line in warned
    ]


def test_enrolling_twice_changes_nothing(gate, tmp_path):
    """The same machine again, or one whose epoch facts moved: said so, and not written."""
    gate("host", "enroll")
    before = (tmp_path / FILE).read_bytes()
    answer = gate("host", "enroll", changes={KERNEL: "6.9\n", CPUINFO: cpuinfo(mhz="3400.000")})
    assert answer.status == 0
    assert "is enrolled already, and every stable fact agrees: nothing was changed" in answer.out
    assert (tmp_path / FILE).read_bytes() == before


def test_update_keeps_the_settings(gate, tmp_path):
    """--update writes the facts anew and keeps policy, tunings and limits as they were edited."""
    gate("host", "enroll", "--tune", "thp", "--epoch", "new-baseline")
    text = (tmp_path / FILE).read_text()
    edited = text.replace('# steal = "5%"', 'steal = "2%"')
    (tmp_path / FILE).write_text(edited.replace('measured_cpus = ""', 'measured_cpus = "1"'))
    answer = gate("host", "enroll", "--update", changes={KERNEL: "6.9\n"})
    assert "17 stable and 23 epoch facts written anew, settings kept" in answer.out
    one = known(tmp_path)
    assert (one.tune, one.policy, one.measured_cpus) == (("thp",), EpochPolicy.NEW_BASELINE, "1")
    assert (one.limits, one.epoch["kernel"]) == (Limits(steal=0.02), "6.9")


def test_settings_are_not_ignored_in_silence(gate, tmp_path):
    """Another setting for a class that is enrolled needs --update, which takes it."""
    gate("host", "enroll", "--tune", "thp")
    answer = gate("host", "enroll", "--tune", "swap")
    assert answer.status == 2
    assert answer.err.startswith(f"error[G200]: {FILE}: this class is enrolled already")
    assert gate("host", "enroll", "--tune", "swap", "--update").status == 0
    assert known(tmp_path).tune == ("swap",)


def test_another_machine_is_refused(gate, tmp_path):
    """Every stable fact that differs is named with both values; --update replaces them."""
    gate("host", "enroll")
    other = {FIRMWARE: "7.9.9\n", CPUINFO: cpuinfo(model="Gold 6530")}
    answer = gate("host", "enroll", changes=other)
    assert answer.status == 2
    assert answer.err.startswith(
        f"error[G031]: {FILE}: this machine is not the one enrolled as lab"
    )
    assert "disk_firmware: theirs 7.2.1, ours 7.9.9" in answer.err
    assert "ours Intel(R) Xeon(R) Gold 6530 (family 6" in answer.err
    assert "Or add --update: nothing was accepted of the class yet." in answer.err
    assert gate("host", "enroll", "--update", changes=other).status == 0
    assert known(tmp_path).stable["disk_firmware"] == "7.9.9"


def test_accepted_sessions_keep_their_machine(tmp_path):
    """Where sessions were accepted, not even --update puts another machine under them."""
    project = write_replay_project(tmp_path)
    with playing():
        project.accept()
    before = (tmp_path / FILE).read_bytes()
    for more in ([], ["--update"]):
        with playing({FIRMWARE: "7.9.9\n"}):
            answer = project.gate("host", "enroll", *more)
        assert answer.status == 2
        assert "Sessions of p were accepted of the class" in answer.err
        assert "Give this machine a class of its own: --host-class NAME." in answer.err
    assert (tmp_path / FILE).read_bytes() == before


def test_accepting_enrolls(tmp_path):
    """The first acceptance of a class writes the same file as enrolling it, tunings apart."""
    project = write_replay_project(tmp_path)
    with playing():
        project.accept()
        accepted = (tmp_path / FILE).read_text()
        (tmp_path / FILE).unlink()
        project.gate("host", "enroll")
    assert (tmp_path / FILE).read_text() == accepted


def test_a_baseline_without_its_host_file_is_refused(tmp_path):
    """Nobody knows what the machine must be, so nothing is judged; the cure is named."""
    project = write_replay_project(tmp_path)
    project.accept()
    (tmp_path / FILE).unlink()
    answer = project.gate("check", "p", "--out", "out")
    assert answer.status == 2
    assert answer.err.startswith(f"error[G201]: {FILE}: there is no such file")
    assert "gate host enroll" in answer.err


def test_diff_agrees(gate):
    """The enrolled machine agrees, also with another clock, load and bogomips."""
    gate("host", "enroll")
    answer = gate("host", "diff", changes={CPUINFO: cpuinfo(mhz="3400.000")})
    assert (answer.status, answer.out) == (0, f"lab: all 40 facts agree ({FILE})\n")


def test_diff_names_what_differs(gate):
    """Each fact with its tier, both values, what it is, and what it means to a check."""
    gate("host", "enroll")
    answer = gate("host", "diff", changes={FIRMWARE: "7.9.9\n", KERNEL: "6.9\n"})
    assert answer.status == 5
    assert answer.out == (
        f"lab: 2 facts differ ({FILE})\n"
        "\n"
        "stable disk_firmware (the drive's own software: it decides on cache, flash and\n"
        "pauses)\n"
        "  theirs 7.2.1 (host.toml)\n"
        "  ours   7.9.9\n"
        "  means  another machine: a check on it is refused\n"
        "\n"
        "epoch kernel (release of the kernel: scheduler, file systems and drivers come\n"
        "with it)\n"
        "  theirs 6.8.0-45-generic (host.toml)\n"
        "  ours   6.9\n"
        "  means  a check judges nothing until a session of it is accepted\n"
    )


def test_diff_asks_the_newest_accepted_session(tmp_path):
    """Epoch facts are those of the newest session, whatever host.toml said when it was written."""
    project = write_replay_project(tmp_path)
    with playing():
        project.accept()
    moved = {SCHEDULER: "none [mq-deadline]\n"}
    with playing(moved):
        answer = project.gate("host", "diff", "--json")
        assert answer.status == 5
        assert answer.json["differs"] == [
            {
                "key": "disk_scheduler",
                "theirs": "none",
                "ours": "mq-deadline",
                "tier": "epoch",
                "against": "p",
                "means": "a check judges nothing until a session of it is accepted",
                "about": "I/O scheduler of the drive: order, merging and cost of every request",
            }
        ]
        path = project.session()
        assert project.gate("baseline", "accept", path, "--reason", "moved").status == 0
        assert project.gate("host", "diff").status == 0


def test_diff_leaves_out_what_a_check_tunes(gate):
    """Between checks a tuned setting is as its owner wants it, which tells nothing of a check."""
    gate("host", "enroll", "--tune", "governor")
    answer = gate("host", "diff", changes={GOVERNOR: "powersave\n"})
    assert (answer.status, answer.out.count("\n")) == (0, 2)
    assert "all 37 facts agree" in answer.out
    assert "a check tunes governor, which was not compared" in answer.out.replace("\n", " ")


def test_diff_against_any_file(gate, tmp_path):
    """A host file that somebody sent is compared with wherever it stands."""
    gate("host", "enroll")
    sent = tmp_path / "sent.toml"
    sent.write_bytes((tmp_path / FILE).read_bytes())
    assert gate("host", "diff", "sent.toml").status == 0
    answer = gate(
        "host", "diff", "sent.toml", changes={FIRMWARE: "7.9.9\n"}, env={"GATE_HOST_CLASS": "x"}
    )
    assert (answer.status, "7.2.1 (host.toml)" in answer.out) == (5, True)
    both = gate("host", "diff", "sent.toml", "--host-class", "lab")
    assert (both.status, "exclude each other" in both.err) == (2, True)


def test_diff_of_a_class_that_was_never_enrolled(gate):
    """Refused with the classes that there are, and how this one becomes one."""
    gate("host", "enroll")
    answer = gate("host", "diff", "--host-class", "other")
    assert answer.status == 2
    assert answer.err.startswith("error[G201]: baselines/other/host.toml: host class other is not")
    assert "--host-class: lab." in answer.err
