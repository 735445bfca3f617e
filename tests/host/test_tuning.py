"""What each name changes, and the rules of putting back, on kernels made of dictionaries."""

from __future__ import annotations

import errno
import os

import pytest
from builders import run_gate
from host.kernel import CPU, NUMA, THP, Kernel
from recorded_machine import RecordedMachine

from gate.errors import CannotJudge, GateError, InputError
from gate.host.journal import Journal, read_journal, write_journal
from gate.host.tuning import restore as restoring
from gate.host.tuning import tuning
from gate.host.tuning.restore import restore
from gate.host.tuning.settings import SettingChange, division, wake_limit, wanted_settings
from gate.host.tuning.tuning import planned_changes, tune_host
from gate.linux.cpu_list import cpu_list_text, cpus_mask, cpus_of, mask_cpus
from gate.linux.processes import start_of

POLICY = f"{CPU}/cpufreq/policy"
EPP = "energy_performance_preference"
TURBO = f"{CPU}/intel_pstate/no_turbo"
SWAPS = "Filename Type Size Used Priority\n"
IRQ = "/proc/irq"


def changes(files, setting, cpus=""):
    """Path -> before and after of what a name changes on a machine with these files."""
    machine = RecordedMachine({"files": {f"{CPU}/online": "0-3", **files}})
    found = wanted_settings(machine, setting, division(machine, cpus))
    return found.lacking or [(one.path, one.before, one.after) for one in found.changes]


def test_lists_and_masks():
    """Every way in which the kernel writes processors is read, and written as it reads it."""
    assert cpus_of("0-2,5\n") == {0, 1, 2, 5}
    assert cpus_of("") == frozenset()
    assert cpu_list_text(frozenset({5, 0, 2, 1, 7, 6})) == "0-2,5-7"
    assert mask_cpus("3,00000001") == {0, 32, 33}
    assert cpus_mask(frozenset({0, 32, 33})) == "3,00000001"
    assert cpus_mask(frozenset({0})) == "1"
    with pytest.raises(ValueError, match="invalid literal"):
        cpus_of("a")


def test_the_preference_before_the_governor():
    """Preferences come first, as none but `performance` is taken once that governor is in force."""
    files = {}
    for number, governor in ((0, "powersave"), (10, "performance"), (2, "powersave")):
        files[f"{POLICY}{number}/scaling_governor"] = governor
        files[f"{POLICY}{number}/scaling_available_governors"] = "performance powersave"
        files[f"{POLICY}{number}/{EPP}"] = "balance_performance"
    assert changes(files, "governor") == [
        (f"{POLICY}0/{EPP}", "balance_performance", "performance"),
        (f"{POLICY}2/{EPP}", "balance_performance", "performance"),
        (f"{POLICY}10/{EPP}", "balance_performance", "performance"),
        (f"{POLICY}0/scaling_governor", "powersave", "performance"),
        (f"{POLICY}2/scaling_governor", "powersave", "performance"),
    ]


def test_a_governor_that_the_kernel_lacks():
    """A machine whose kernel has no `performance` governor cannot be tuned so, and says it."""
    files = {f"{POLICY}0/scaling_governor": "powersave"}
    files[f"{POLICY}0/scaling_available_governors"] = "powersave schedutil"
    assert changes(files, "governor") == "not on this machine"


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({TURBO: "0", f"{CPU}/cpufreq/boost": "1"}, [(TURBO, "0", "1")]),
        ({TURBO: "1"}, []),
        ({f"{CPU}/cpufreq/boost": "1"}, [(f"{CPU}/cpufreq/boost", "1", "0")]),
        (
            {
                f"{CPU}/cpufreq/boost": "1",
                f"{POLICY}0/boost": "1",
                f"{POLICY}1/boost": "0",
            },
            [(f"{POLICY}0/boost", "1", "0")],
        ),
        ({}, "not on this machine"),
    ],
)
def test_turbo_by_one_kind_of_knob(files, expected):
    """The whole driver's knob never overwrites what one policy was set to."""
    assert changes(files, "turbo") == expected


def test_huge_pages_of_every_size():
    """Sizes that have a mind of their own are switched off too; those that inherit follow."""
    sizes = "/sys/kernel/mm/transparent_hugepage/hugepages-"
    files = {
        THP: "[always] madvise never",
        f"{sizes}64kB/enabled": "always inherit [madvise] never",
        f"{sizes}2048kB/enabled": "always [inherit] madvise never",
        f"{sizes}32kB/enabled": "always inherit madvise [never]",
    }
    expected = [(THP, "always", "never"), (f"{sizes}64kB/enabled", "madvise", "never")]
    assert changes(files, "thp") == expected


@pytest.mark.parametrize(
    ("used", "available", "expected"),
    [(0, 1, "changed"), (100, 300, "changed"), (100, 199, "would not fit into memory")],
)
def test_swap_only_when_memory_suffices(used, available, expected):
    """What lies in swap must fit into memory and leave a tenth of it free."""
    row = f"/swap\\040file file 900 {used} 5\n/dev/zram0 partition 900 0 -2\n"
    files = {
        "/proc/swaps": SWAPS + row,
        "/proc/meminfo": f"MemTotal: 1000 kB\nMemAvailable: {available} kB\nHugePages: 0\n",
        "/swap file": "x",
        "/dev/zram0": "x",
    }
    found = changes(files, "swap")
    if expected == "changed":
        assert found == [("/swap file", "on 5", "off"), ("/dev/zram0", "on auto", "off")]
    else:
        assert found == f"{used << 10} bytes lie in swap, and {expected}"
    assert changes({"/proc/swaps": SWAPS}, "swap") == []


def test_a_swap_that_could_not_be_put_back():
    """A deleted swap file, or one of another mount namespace, is left on."""
    row = "/gone\\040(deleted) file 900 0 -2\n"
    found = changes({"/proc/swaps": SWAPS + row}, "swap")
    assert found == "the swap file /gone (deleted) could not be put back"


def test_interrupts_go_where_nothing_is_measured():
    """Each keeps the processors that it may have; one bound to a measured one goes elsewhere."""
    files = {
        f"{IRQ}/default_smp_affinity": "f\n",
        f"{IRQ}/9/smp_affinity_list": "0-3\n",
        f"{IRQ}/10/smp_affinity_list": "2\n",
        f"{IRQ}/11/smp_affinity_list": "1\n",
        f"{IRQ}/12/affinity_hint": "0\n",
    }
    assert changes(files, "irq", "2-3") == [
        (f"{IRQ}/default_smp_affinity", "f", "3"),
        (f"{IRQ}/9/smp_affinity_list", "0-3", "0-1"),
        (f"{IRQ}/10/smp_affinity_list", "2", "0-1"),
    ]
    assert changes(files, "irq", "0-3").startswith("every processor measures")
    files["/proc/77/comm"] = "irqbalance\n"
    assert changes(files, "irq", "2-3").startswith("irqbalance runs")


@pytest.mark.parametrize(
    ("files", "text", "measured"),
    [
        ({f"{CPU}/online": "0-3"}, "", "1-3"),
        ({f"{CPU}/online": "0-3"}, "2,3", "2-3"),
        (
            {f"{CPU}/online": "0-7", f"{CPU}/cpu0/topology/thread_siblings_list": "0,4"},
            "",
            "1-3,5-7",
        ),
        ({f"{CPU}/online": "0-7", f"{CPU}/isolated": "6-9"}, "", "6-7"),
        ({f"{CPU}/online": "0"}, "", "0"),
    ],
)
def test_which_processors_measure(files, text, measured):
    """Those named, else the isolated ones, else all but the first core with all its threads."""
    parts = division(RecordedMachine({"files": files}), text)
    assert cpu_list_text(parts.measured) == measured
    assert not parts.measured & parts.others


def test_the_limit_of_waking():
    """The slowest processor's shallowest real sleep stays allowed; without states there is none."""
    files = {
        f"{CPU}/cpu0/cpuidle/state0/latency": "0",
        f"{CPU}/cpu0/cpuidle/state1/latency": "2",
        f"{CPU}/cpu0/cpuidle/state2/latency": "133",
        f"{CPU}/cpu1/cpuidle/state1/latency": "4",
    }
    assert wake_limit(RecordedMachine({"files": files})) == 4
    assert wake_limit(RecordedMachine({"files": {f"{CPU}/cpu0/online": "1"}})) is None


FILES = {
    THP: "always [madvise] never\n",
    TURBO: "0\n",
    NUMA: "1\n",
    f"{IRQ}/default_smp_affinity": "f\n",
    f"{IRQ}/9/smp_affinity_list": "0-3\n",
    f"{IRQ}/10/smp_affinity_list": "0-3\n",
    "/proc/swaps": SWAPS + "/swap file 1024 0 5\n/other file 1024 0 -2\n",
    "/swap": "x",
    "/other": "x",
}
NAMES = ("irq", "thp", "turbo", "numa_balancing", "swap", "governor")


@pytest.fixture
def kernel(monkeypatch):
    """Every knob there is but a governor; turned in this process."""
    return Kernel(FILES).use(monkeypatch)


def plain(files):
    """Files without the brackets, which a dictionary does not put."""
    return {path: text.replace("always [madvise] never", "madvise") for path, text in files.items()}


def test_tuned_and_put_back_the_other_way_round(kernel, tmp_path):
    """The journal names a knob before it is turned, and the last one turned is put back first,
    but for swaps."""
    before = dict(kernel.files)
    with tune_host(NAMES, measured_cpus="3", state=tmp_path) as now:
        assert now.names == ("turbo", "thp", "swap", "irq", "numa_balancing")
        assert now.lacking == ("governor: not on this machine",)
        assert now.notes == (
            "tuned while measuring: turbo, thp, swap, irq, numa_balancing",
            "swap comes back without `discard`, if it had that",
            "not tuned: governor: not on this machine",
        )
        journal = read_journal(tmp_path)
        assert journal.entries == now.changes
        there = [(one.path, one.after) for one in now.changes]
        assert kernel.told == there
        assert kernel.files["/proc/swaps"] == SWAPS
        assert now.moved() == ()
    back = [(one.path, one.before) for one in reversed(now.changes) if one.setting != "swap"]
    assert kernel.told[len(there) :] == [*back, ("/swap", "on 5"), ("/other", "on auto")]
    swap = "/proc/swaps"
    assert set(kernel.files.pop(swap).splitlines()) == set(before.pop(swap).splitlines())
    assert plain(kernel.files) == plain(before)
    assert read_journal(tmp_path) is None


def test_journaled_before_it_is_turned(kernel, tmp_path, monkeypatch):
    """At the moment when a knob is turned, the journal on the disk names it."""
    turn = kernel.turn

    def checked(setting, path, value):
        assert (setting, path) in {(e.setting, e.path) for e in read_journal(tmp_path).entries}
        turn(setting, path, value)

    monkeypatch.setattr(tuning, "turn", checked)
    with tune_host(NAMES, measured_cpus="3", state=tmp_path) as now:
        assert len(now.changes) == 8


def test_nothing_asked_nothing_done(kernel, tmp_path):
    """Without names nothing is read, written or turned."""
    with tune_host((), state=tmp_path / "state") as now:
        assert (now.names, now.notes, now.cpus) == ((), (), "")
    assert not kernel.told
    assert not (tmp_path / "state").exists()


def test_put_back_after_an_exception(kernel, tmp_path):
    """Whatever is raised inside, every knob is put back and the error is the same."""
    with pytest.raises(ZeroDivisionError), tune_host(["thp", "turbo"], state=tmp_path):
        _fail(kernel.files[TURBO])
    assert (kernel.value("thp", THP), kernel.files[TURBO]) == ("madvise", "0\n")
    assert read_journal(tmp_path) is None


def _fail(turbo):
    assert turbo == "1\n"
    raise ZeroDivisionError


def test_a_knob_that_refuses(kernel, tmp_path):
    """An interrupt that belongs to its driver is told and the others are steered; a name all of
    whose knobs refuse is not called tuned."""
    kernel.refuses = {f"{IRQ}/10/smp_affinity_list": errno.EIO, THP: errno.EROFS}
    with tune_host(["irq", "thp"], measured_cpus="3", state=tmp_path) as now:
        assert now.names == ("irq",)
        irq = f"{IRQ}/10/smp_affinity_list = 0-2: Input/output error (1 of 3 knobs)"
        assert now.lacking == (
            f"thp: the kernel refused {THP} = never: Read-only file system",
            f"irq: the kernel refused {irq}",
        )
        assert len(read_journal(tmp_path).entries) == 2
    assert kernel.files[f"{IRQ}/9/smp_affinity_list"] == "0-3\n"


def test_a_journal_that_cannot_be_written(kernel, tmp_path):
    """Where the change cannot be written down it is not made."""
    state = tmp_path / "state"
    state.write_text("a file in the way")
    with pytest.raises(GateError), tune_host(["thp"], state=state):
        pass
    assert not kernel.told


def test_somebody_else_meanwhile(kernel, tmp_path):
    """A knob that shows a third value is left, told and kept; the others are put back."""
    told = []
    with tune_host(["thp", "turbo"], state=tmp_path, tell=told.append) as now:
        kernel.files[THP] = "[always] madvise never\n"
        assert now.moved() == (f"{THP} was tuned to never, and is always",)
    why = "somebody else changed it meanwhile; before the gate it was madvise"
    assert told == [f"put back: {TURBO} = 0", f"LEFT AS IT IS: {THP} = always: {why}"]
    assert kernel.value("thp", THP) == "always"
    left = (SettingChange(setting="thp", path=THP, before="madvise", after="never"),)
    assert read_journal(tmp_path).entries == left
    assert restore(tmp_path).left[0].change == left[0]
    assert restore(tmp_path, force=True).back == left
    assert kernel.value("thp", THP) == "madvise"
    assert read_journal(tmp_path) is None


def test_keeping_what_somebody_else_set(kernel, tmp_path):
    """Told to keep it, restoring forgets the entry and turns nothing."""
    with tune_host(["thp"], state=tmp_path):
        kernel.files[THP] = "[always] madvise never\n"
    count = len(kernel.told)
    assert restore(tmp_path, keep=True).left
    assert (len(kernel.told), read_journal(tmp_path)) == (count, None)


def test_what_was_left_is_not_forgotten_by_new_tuning(kernel, tmp_path):
    """An entry that was left stays through another tuning, unless that turns the same knob."""
    with tune_host(["thp", "turbo"], state=tmp_path):
        kernel.files[THP] = "[always] madvise never\n"
        kernel.files[TURBO] = "2\n"
    with tune_host(["thp"], state=tmp_path):
        paths = {one.path: one.before for one in read_journal(tmp_path).entries}
        assert paths == {TURBO: "0", THP: "always"}
    assert kernel.value("thp", THP) == "always"
    assert [one.path for one in read_journal(tmp_path).entries] == [TURBO]


@pytest.mark.parametrize("cut", range(8))
def test_an_interrupted_restore_goes_on(cut, kernel, tmp_path, monkeypatch):
    """A restore that was cut off at any knob, done again, ends with everything as before."""
    left = iter(range(cut))

    def turn(*words):
        if next(left, None) is None:
            raise KeyboardInterrupt
        kernel.turn(*words)

    before = {path: kernel.value("thp", path) for path in FILES}
    with (
        monkeypatch.context() as patch,
        pytest.raises(KeyboardInterrupt),
        tune_host(NAMES, measured_cpus="3", state=tmp_path),
    ):
        patch.setattr(restoring, "turn", turn)
    assert len(read_journal(tmp_path).entries) == 8
    restored = restore(tmp_path)
    assert (len(restored.back), restored.left) == (8 - cut, ())
    assert {path: kernel.value("thp", path) for path in FILES} == before
    assert kernel.value("swap", "/swap") == "on 5"


def test_another_boot_forgot(kernel, tmp_path):
    """After a restart nothing is written, and the journal is closed with a note."""
    own = os.getpid()
    entry = SettingChange(setting="thp", path=THP, before="always", after="madvise")
    write_journal(tmp_path, Journal(boot="old", pid=own, start=start_of(own), entries=(entry,)))
    told = restore(tmp_path)
    assert told.lines() == ("the machine was restarted, which forgot the tuning of 1 settings",)
    assert not kernel.told
    assert read_journal(tmp_path) is None


def test_a_knob_that_is_gone(kernel, tmp_path):
    """A knob whose driver was removed meanwhile is told, and keeps nothing open."""
    with tune_host(["turbo", "thp"], state=tmp_path):
        del kernel.files[TURBO]
    assert read_journal(tmp_path) is None
    assert kernel.value("thp", THP) == "madvise"


def test_swaps_come_back_in_their_order(kernel, tmp_path):
    """Swaps without a priority are used in the same order as before, whatever their rows' order."""
    rows = "/a file 1024 0 -3\n/b file 1024 0 5\n/c file 1024 0 -2\n/d file 1024 0 -4\n"
    kernel.files |= {"/proc/swaps": SWAPS + rows, "/a": "x", "/b": "x", "/c": "x", "/d": "x"}
    with tune_host(["swap"], state=tmp_path):
        assert kernel.files["/proc/swaps"] == SWAPS
    assert set(kernel.files["/proc/swaps"].splitlines()) == set((SWAPS + rows).splitlines())


GOVERNOR = f"{POLICY}1/scaling_governor"


@pytest.fixture
def governed(kernel):
    """The same kernel with one policy."""
    kernel.files[GOVERNOR] = "powersave\n"
    return kernel


def test_a_knob_that_falls_silent_is_still_put_back(governed, tmp_path, monkeypatch):
    """A knob that cannot be read after it was turned is not called tuned, stays in the journal,
    is told as long as it is silent, and is put back as soon as it can be read."""

    def turn(*words):
        governed.turn(*words)
        governed.silent.add(GOVERNOR)

    monkeypatch.setattr(tuning, "turn", turn)
    told = []
    with tune_host(["governor"], state=tmp_path, tell=told.append) as now:
        assert now.names == ()
        why = "it cannot be read any more"
        assert now.lacking == (f"governor: the kernel refused {GOVERNOR} = performance: {why}",)
        assert [one.path for one in read_journal(tmp_path).entries] == [GOVERNOR]
    why = "it cannot be read now; before the gate it was powersave"
    assert told == [f"LEFT AS IT IS: {GOVERNOR} = unreadable: {why}"]
    governed.silent.clear()
    assert [one.path for one in restore(tmp_path).back] == [GOVERNOR]
    assert governed.files[GOVERNOR] == "powersave\n"
    assert read_journal(tmp_path) is None


def test_a_knob_turned_in_spite_of_an_error_is_put_back(governed, tmp_path, monkeypatch):
    """Where the kernel took the value and still reported an error, the old value comes back."""

    def turn(*words):
        governed.turn(*words)
        raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))

    monkeypatch.setattr(tuning, "turn", turn)
    with tune_host(["governor"], state=tmp_path) as now:
        assert (now.names, len(now.lacking)) == ((), 1)
        assert governed.files[GOVERNOR] == "performance\n"
    assert governed.files[GOVERNOR] == "powersave\n"
    assert read_journal(tmp_path) is None


@pytest.mark.parametrize("forget", [False, True])
def test_a_processor_that_was_offline_meanwhile(forget, governed, tmp_path):
    """A policy that went with its processor is told and kept, and put back once it has returned
    as the gate set it; told to keep it, restoring forgets it."""
    told = []
    with tune_host(["governor", "irq"], measured_cpus="3", state=tmp_path, tell=told.append):
        away = {path: governed.files.pop(path) for path in (GOVERNOR, f"{IRQ}/9/smp_affinity_list")}
    why = "it may come back as the gate set it; a restart of the machine forgets it"
    assert told[-2:] == [
        f"LEFT AS IT IS: {IRQ}/9/smp_affinity_list = not there: {why}; before the gate it was 0-3",
        f"LEFT AS IT IS: {GOVERNOR} = not there: {why}; before the gate it was powersave",
    ]
    assert {one.path for one in read_journal(tmp_path).entries} == set(away)
    assert len(restore(tmp_path, force=True, keep=forget).left) == 2
    governed.files |= away
    restore(tmp_path)
    assert governed.files[GOVERNOR] == ("performance\n" if forget else "powersave\n")
    assert read_journal(tmp_path) is None


def test_the_journal_of_a_living_gate(kernel, tmp_path):
    """What another gate that still runs has tuned is neither put back nor tuned over."""
    entry = SettingChange(setting="thp", path=THP, before="always", after="madvise")
    init = Journal(boot="boot-1", pid=1, start=start_of(1), entries=(entry,))
    write_journal(tmp_path, init)
    for attempt in (lambda: restore(tmp_path, force=True), lambda: _enter(tmp_path)):
        with pytest.raises(CannotJudge, match="process 1 has tuned this host"):
            attempt()
    assert not kernel.told
    assert read_journal(tmp_path) == init


def _enter(state):
    with tune_host(["turbo"], state=state):
        pass


@pytest.mark.parametrize(
    ("names", "cpus", "message"),
    [
        (["thp", "governer"], "", "'governer' cannot be tuned"),
        (["thp"], "2,9", "processor 9 is not there, only 0-3"),
        (["thp"], "a", "the measured processors"),
    ],
)
def test_what_cannot_be_meant(names, cpus, message, kernel, tmp_path):
    """An unknown name or processor is an error before anything is turned."""
    with (
        pytest.raises(InputError, match=message),
        tune_host(names, measured_cpus=cpus, state=tmp_path),
    ):
        pass
    assert not kernel.told


def test_pinning_changes_nothing_on_the_host(kernel, tmp_path):
    """Pinning only says where harnesses run; no journal is needed for it."""
    with tune_host(["pinning"], measured_cpus="1-2", state=tmp_path) as now:
        assert (now.names, now.cpus) == (("pinning",), "1-2")
        assert read_journal(tmp_path) is None
    assert planned_changes(["pinning", "thp"], "").names == ("thp", "pinning")


def test_a_dry_run_shows_and_changes_nothing(tmp_path):
    """Every name is told, with its values before and after or why not, for people and machines."""
    answer = run_gate(["host", "tune", "--dry-run", "--json"], cwd=tmp_path)
    assert answer.status == 0, answer.err
    told = answer.json
    assert all(one["before"] != one["after"] for one in told["changes"])
    text = run_gate(["host", "tune", "--dry-run"], cwd=tmp_path)
    for one in told["changes"]:
        assert f"{one['path']}: {one['before']} -> {one['after']}" in text.out
    for name, why in told["lacking"].items():
        assert f"{name:<15} not tuned: {why}" in text.out
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["tune", "thpp"], "'thpp' cannot be tuned. There are governor, turbo"),
        (["tune", "--cpus", "x", "--dry-run"], "--cpus: 'x' is no list."),
        (["tune", "thp", "--"], "there is no command after"),
        (["tune", "--json", "--", "true"], "--json and a command would both write"),
        (["restore", "--force", "--keep"], "--force and --keep exclude each other."),
    ],
)
def test_wrong_words_on_the_command_line(words, message, tmp_path):
    """Each is a usage error that says what is wrong."""
    answer = run_gate(["host", *words], cwd=tmp_path)
    assert answer.status == 2
    assert message in answer.err


def test_somebody_turns_what_was_set_so_already(kernel, tmp_path):
    """A knob that needed no turning is watched like one that was turned, and is left alone."""
    kernel.files[TURBO] = "1\n"
    with tune_host(["turbo"], state=tmp_path) as now:
        assert (now.names, now.changes) == (("turbo",), ())
        assert now.moved() == ()
        kernel.files[TURBO] = "0\n"
        assert now.moved() == (f"{TURBO} was 1, and is 0",)
    assert (kernel.files[TURBO], kernel.told) == ("0\n", [])
