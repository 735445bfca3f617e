"""A guest on this machine's root: what it is told, what it left, and what proves it."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest
from judge.build import session
from vm.made import RELEASE, VERSION, write_side

from gate.errors import InputError, TrialFailed, TrialTimeout
from gate.formats.session.session_file import write_session
from gate.harness.base import Outcome
from gate.harness.guest import booted, instructions
from gate.harness.guest.booted import SESSION, _session
from gate.harness.guest.side_boot import demand_success, guest_exit_status, proof_of
from gate.model import Machine, Side, State
from gate.vm.machine import MachineBoot, machine_command, make_disks, why_not_kvm
from gate.vm.root import lay_out_root, lay_out_share

ROOT = [
    ("virtio_pci", ""), ("9pnet", ""), ("9pnet_virtio", "9pnet"), ("9p", "9pnet"),
    ("overlay", ""), ("helper", ""), ("driver", "helper"), ("nvme", ""),
]  # fmt: skip
NOTES = "040000001400000003000000474e5500" + "ab" * 20
MODULE = "040000001400000003000000474e5500" + "cd" * 20
PROOF = f"release {RELEASE}\nversion {VERSION}\nnotes {NOTES}\n"
LOADED = f"module helper {MODULE}\nmodule driver {MODULE}\n"


@pytest.fixture
def guest(tmp_path):
    """A side with a driver, laid out."""
    write_side(tmp_path / "side", ROOT)
    found = lay_out_root(
        tmp_path / "side", ["driver queue=2"], ["nvme:67108864"], tmp_path / "guest",
        {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"},
    )  # fmt: skip
    (tmp_path / "share").mkdir()
    return found


def ended(guest, tmp_path, *, console="", timed_out=False, **files):
    """What a boot gave that left these files."""
    for name, text in files.items():
        (tmp_path / "share" / name).write_text(text)
    (tmp_path / "console").write_text(console)
    outcome = Outcome(status=0, output="", errors="", timed_out=timed_out, duration=12.0)
    return guest_exit_status(tmp_path / "share", tmp_path / "console", outcome, guest)


def test_a_boot_that_came_to_its_end(guest, tmp_path):
    """Proven before and after: the command's own status counts."""
    whole = {"before": PROOF + LOADED, "after": PROOF}
    assert ended(guest, tmp_path, **whole, status="3\n", err="it said why\n") == 3
    demand_success(tmp_path / "share", 0)
    with pytest.raises(TrialFailed, match=r"in the guest: .*it said why.* \(status 3\)"):
        demand_success(tmp_path / "share", 3)
    modules = "helper cdcdcdcdcdcd, driver cdcdcdcdcdcd"
    assert proof_of(guest) == f"{RELEASE} build-id abababababab, {modules}"


@pytest.mark.parametrize(
    ("before", "after", "status", "said"),
    [
        (PROOF.replace("abab", "0000") + LOADED, PROOF, "0", "running kernel's build-id is"),
        (PROOF + LOADED, PROOF.replace("#7", "#8"), "0", "running kernel's version is"),
        (PROOF.replace("made", "other") + LOADED, PROOF, "0", "running kernel's release is"),
        (PROOF + LOADED.replace("cdcd", "0000"), PROOF, "0", "the loaded module helper has"),
        (PROOF, PROOF, "0", "the module helper was not loaded"),
        (PROOF + LOADED, "", "0", "ended before its trial did"),
        (PROOF + LOADED, PROOF, "", "ended before its trial did"),
        (PROOF + LOADED, PROOF, "²", "ended before its trial did"),
        ("", "", "", "ended before its trial did"),
        (PROOF + "refused driver SW52YWxpZA==\n", PROOF, "0", "driver.* does not load.*Invalid"),
    ],
)
def test_a_boot_that_is_not_proven_gives_nothing(guest, tmp_path, before, after, status, said):
    """Whatever else it left: another kernel, another module, or no word at all."""
    with pytest.raises(TrialFailed, match=said):
        ended(guest, tmp_path, before=before, after=after, status=status)


def test_a_fault_of_the_kernel_is_no_success(guest, tmp_path):
    """A command may end well on a kernel that told of a fault: the line is quoted."""
    whole = {"before": PROOF + LOADED, "after": PROOF, "status": "0"}
    console = "[    1.0] BUG: KASAN: use-after-free in driver_queue+0x1/0x2\n"
    with pytest.raises(TrialFailed, match="fault of memory: BUG: KASAN: use-after-free in driver"):
        ended(guest, tmp_path, console=console, **whole)


def test_a_boot_that_hangs_says_where(guest, tmp_path):
    """In the trial, or before the kernel had come up."""
    with pytest.raises(TrialTimeout, match=r"killed after 12\.0 s, before its kernel had booted"):
        ended(guest, tmp_path, timed_out=True, console="Run /init as init process\n")
    with pytest.raises(TrialTimeout, match=r"in the trial.*it said last: waiting"):
        ended(guest, tmp_path, timed_out=True, before=PROOF, console="waiting\n")


def test_what_the_guest_wrote_may_be_no_plain_file(guest, tmp_path):
    """A link in the shared directory is not followed."""
    secret = tmp_path / "secret"
    secret.write_text(PROOF + LOADED)
    (tmp_path / "share" / "before").symlink_to(secret)
    with pytest.raises(TrialFailed, match="ended before its trial did"):
        ended(guest, tmp_path, after=PROOF, status="0")


@pytest.mark.parametrize("harness", [booted, instructions])
def test_profiles_that_take_turns_share_no_guest(harness, tmp_path):
    """What one laid out for its confirmation is not overwritten by the screen of the next."""
    benchmark = object()

    def place(name, side):
        profile = SimpleNamespace(name=name, benchmarks=(benchmark,))
        return harness._place(
            SimpleNamespace(work=tmp_path, profile=profile, benchmark=benchmark, side=side)
        )

    assert len({place(name, side) for name in ("one", "two") for side in Side}) == 4


def test_the_first_file_system_holds_what_the_root_needs(guest):
    """9p, overlay and the disk's driver, in order, with what they need; and busybox."""
    archive = guest.archive.read_bytes()
    for name in ("virtio_pci", "9pnet", "9pnet_virtio", "9p", "overlay", "nvme"):
        assert f"gate/{name}.ko\0".encode() in archive
    assert b"gate/driver.ko" not in archive
    assert [one.name for one in guest.modules] == ["helper", "driver"]
    assert archive.index(b"insmod /gate/9pnet.ko") < archive.index(b"insmod /gate/9p.ko")


def test_what_the_guest_runs_is_quoted(guest, tmp_path):
    """Words with blanks and quotes reach the command as they are."""
    share = tmp_path / "share-2"
    lay_out_share(guest, share, Path("/a dir"), ("sh", "-c", "echo 'x  y'"), Path("/o ut"))
    text = (share / "inside").read_text()
    assert """( cd '/a dir' && exec /usr/bin/env sh -c 'echo '"'"'x  y'"'"'' )""" in text
    assert "mkdir -p '/o ut'; $mount -t 9p -o trans=virtio,version=9p2000.L out '/o ut'" in text
    assert "insmod /run/driftgate/modules/driver.ko queue=2" in text


def test_the_machine_shares_its_root_read_only(guest, tmp_path):
    """Nothing of this machine can be written but the shared directory; paths with commas hold."""
    place = tmp_path / "a,b"
    place.mkdir()
    boot = MachineBoot(
        kernel=guest.kernel, archive=guest.archive, directory=place, share=place / "share",
        machine=Machine(memory=1024, cpus=2, disks=("nvme:67108864", "virtio:1048576")),
        kvm=False, seed=7,
    )  # fmt: skip
    words = machine_command(boot)
    assert "local,id=host,path=/,security_model=none,readonly=on,multidevs=remap" in words
    assert sum("readonly=on" not in word for word in words if "local,id=" in word) == 1
    assert "shift=3,sleep=on" in words
    assert "nvme,drive=d0,serial=GATE0" in words
    assert "virtio-blk-pci,drive=d1,serial=GATE1" in words
    assert any(f"path={place}".replace(",", ",,") in word for word in words)
    make_disks(boot)
    assert [(place / f"disk{n}").stat().st_size for n in (0, 1)] == [67108864, 1048576]


def test_the_disk_of_a_device_is_that_device_past_every_cache(guest, tmp_path):
    """No file is made for it, and what the guest wrote is on it; the other one is thrown away."""
    boot = MachineBoot(
        kernel=guest.kernel, archive=guest.archive, directory=tmp_path, share=None,
        machine=Machine(disks=("virtio:1048576", "nvme:device")),
        kvm=False, seed=7, device="/dev/loop7",
    )  # fmt: skip
    words = machine_command(boot)
    assert "if=none,id=d1,file=/dev/loop7,format=raw,discard=unmap,cache=none" in words
    assert "nvme,drive=d1,serial=GATE1" in words
    make_disks(boot)
    assert (tmp_path / "disk0").exists()
    assert not (tmp_path / "disk1").exists()


def test_a_kernel_without_what_the_root_needs(tmp_path):
    """Told before anything is booted, by the module that is missing."""
    write_side(tmp_path / "side", [("virtio_pci", "")])
    with pytest.raises(InputError, match="no module '9pnet_virtio'") as caught:
        lay_out_root(tmp_path / "side", [], [], tmp_path / "guest", {"PATH": "/bin:/usr/bin"})
    assert caught.value.code == "G265"


def handed_back(tmp_path, **more):
    """What the gate outside makes of the session that a guest left."""
    place = SimpleNamespace(name="p"), SimpleNamespace(name="b")
    context = SimpleNamespace(profile=place[0], benchmark=place[1], side=Side.HEAD)
    write_session(tmp_path / SESSION, session(**{"rows": {"b": (1.0, 1.1)}, **more}))
    return _session(tmp_path, context, 2)


def test_a_guest_hands_back_what_it_was_asked_for(tmp_path):
    """A whole session of this benchmark and side, with as many trials."""
    assert len(handed_back(tmp_path).trials) == 2


@pytest.mark.parametrize(
    "more",
    [
        {"rows": {"b": (1.0,)}},
        {"rows": {"b": (1.0, 1.1, 1.2)}},
        {"rows": {"c": (1.0, 1.1)}},
        {"rows": {}},
        {"side": Side.BASE},
        {"profile": "q"},
        {"state": State.PARTIAL},
    ],
)
def test_a_guest_that_hands_back_less_or_something_else_gives_nothing(tmp_path, more):
    """Fewer trials, more, another benchmark, side or profile, or a session that is not whole."""
    with pytest.raises(TrialFailed, match="the guest handed back"):
        handed_back(tmp_path, **more)


def test_a_trial_that_failed_in_the_guest_fails_outside(tmp_path):
    """With its own words; and a guest that left no session is told too."""
    with pytest.raises(TrialFailed, match="in the guest: "):
        handed_back(tmp_path, rows={"b": (1.0, None)})
    (tmp_path / SESSION).unlink()
    with pytest.raises(TrialFailed, match="handed back no session"):
        _session(tmp_path, None, 2)


@pytest.mark.parametrize(("accelerator", "why"), [("kvm", ""), ("tcg", "asked for")])
def test_kvm_is_probed_only_where_nobody_chose(accelerator, why):
    """What was asked for is taken; only `auto` boots a probe."""
    assert why_not_kvm(accelerator, b"no kernel", {}) == why


def test_what_the_probe_said_appears_whole(tmp_path, monkeypatch):
    """Another gate that looks meanwhile finds no file or all of it: nothing in it means `works`."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("gate.vm.machine.DEVICE", "/dev/null")
    monkeypatch.setattr("gate.vm.machine._probed", lambda *_: "no")
    place, sync, seen = tmp_path / "driftgate", os.fsync, []
    monkeypatch.setattr(
        "os.fsync", lambda file: (seen.append(list(place.glob("kvm-*"))), sync(file))
    )
    assert why_not_kvm("auto", b"no kernel", {}) == "no"
    assert [one.read_text() for one in place.glob("kvm-*")] == ["no"]
    assert seen[0] == []


def test_without_a_device_there_is_no_kvm(tmp_path, monkeypatch):
    """Nothing is booted to find that out."""
    monkeypatch.setattr("gate.vm.machine.DEVICE", tmp_path / "kvm")
    monkeypatch.setattr("gate.vm.machine._probed", lambda *_: pytest.fail("it was probed"))
    assert "that may be used" in why_not_kvm("auto", b"no kernel", {})
