"""`gate build-kernel` on a tree that has a kernel's targets and builds in a blink."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from importlib.resources import files
from pathlib import Path

import pytest
from builders import run_gate, start_gate
from vm.made import RELEASE

from gate.model.kernel_config import options_in
from gate.vm.root import _BUSES, _ROOT

TESTS = Path(__file__).parents[1]
MAKEFILE = f"""
allnoconfig defconfig:
	@if [ -n "$(KCONFIG_ALLCONFIG)" ]; then cat "$(KCONFIG_ALLCONFIG)"; else echo CONFIG_A=y; fi >$(O)/.new
	@mv $(O)/.new $(O)/.config; cat options >>$(O)/.config
olddefconfig:
	@cat options >>$(O)/.config
bzImage:
	@mkdir -p $(O)/kernel $(O)/include/config $(O)/arch/x86/boot $(O)/scripts
	@echo {RELEASE} >$(O)/include/config/kernel.release
	@echo "  CC      kernel/main.o"
	@cc -O2 -c main.c -o $(O)/kernel/main.o
	@cp $(O)/kernel/main.o $(O)/scripts/tool.o
	@nm $(O)/kernel/main.o >$(O)/System.map
	@{sys.executable} image.py $(O)
	@cat slow 2>/dev/null | sh
modules:
	@true
modules_install:
	@mkdir -p $(INSTALL_MOD_PATH)/lib/modules/{RELEASE}/kernel
	@cc -O2 -c module.c -o $(INSTALL_MOD_PATH)/lib/modules/{RELEASE}/kernel/made-up.ko
	@ln -s $(O) $(INSTALL_MOD_PATH)/lib/modules/{RELEASE}/build
"""
IMAGE = f"""
import hashlib, os, sys
sys.path.insert(0, {str(TESTS)!r})
from pathlib import Path
from vm.made import bzimage, kernel
place = Path(sys.argv[1])
said = os.environ["KBUILD_BUILD_TIMESTAMP"] + os.environ.get("KCFLAGS", "")
seen = (place / "kernel/main.o").read_bytes() + said.encode() + str(Path.cwd()).encode()
image = bzimage(kernel(build_id=hashlib.sha1(seen).digest()))
(place / "arch/x86/boot/bzImage").write_bytes(image)
"""
MODULE = "int table = %d;\nint load_one(int a) { return a + %d; }\n"
CODE = "int read_one(int a) { return a + %d; }\nint write_one(int a) { return a * 3; }\n"


def git(tree, *words):
    """One command of git, as somebody."""
    who = ("-c", "user.name=a", "-c", "user.email=a@b")
    return subprocess.run(
        ("git", *who, *words), cwd=tree, check=True, capture_output=True, text=True
    ).stdout


@pytest.fixture
def tree(tmp_path):
    """A repository with the revisions `base` and `head`, which differ in one function."""
    place = tmp_path / "linux"
    (place / "scripts" / "kconfig").mkdir(parents=True)
    (place / "scripts" / "kconfig" / "README").write_text("")
    for name, text in (
        *(("Makefile", MAKEFILE), ("Kbuild", ""), ("image.py", IMAGE)),
        *(("options", "CONFIG_B=y\n"), ("main.c", CODE % 1)),
        ("module.c", MODULE % (1, 1)),
    ):
        (place / name).write_text(text)
    git(place, "init", "-q")
    git(place, "add", "-A")
    git(place, "commit", "-qm", "base")
    git(place, "tag", "base")
    commit(place, "head", **{"main.c": CODE % 2})
    return place


def commit(tree, name, **files):
    """One more revision, with these files."""
    for path, text in files.items():
        (tree / path).write_text(text)
    git(tree, "add", "-A")
    git(tree, "commit", "-qm", name, "--allow-empty")
    git(tree, "tag", name)


def build(tree, base, head, *words):
    """`gate build-kernel` with its output beside the tree."""
    out = tree.parent / "kernels"
    given = ("--source", tree, "--defconfig", "allnoconfig", "--out", out, "-j", "1")
    return run_gate(["build-kernel", base, head, *given, *words], cwd=tree.parent), out


def clean(tree, out):
    """Whether nothing is left of a build but what was asked for."""
    worktrees = git(tree, "worktree", "list").splitlines()
    return len(worktrees) == 1 and not (out / ".build").exists() and not git(tree, "status", "-s")


def test_both_sides_are_built_and_told(tree):
    """Laid out as packages, with what differs between them, and the tree as it was."""
    answer, out = build(tree, "base", "head", "--modules")
    assert answer.status == 0, answer.err
    for side in ("base", "head"):
        assert (out / side / "boot" / f"vmlinuz-{RELEASE}").is_file()
        assert (out / side / "boot" / f"config-{RELEASE}").is_file()
        there = (out / side / "lib" / "modules" / RELEASE).iterdir()
        assert [path.name for path in there] == ["kernel"]
        recorded = json.loads((out / side / "changed-functions.json").read_text())
        assert recorded["functions"] == {"read_one": "changed"}
    assert "the configurations are the same" in answer.out
    assert "1 function of the kernel itself differs: read_one" in answer.out
    assert "CC      kernel/main.o" in (out / "base.log").read_text()
    assert clean(tree, out)


@pytest.mark.parametrize(
    ("module", "said"),
    [
        ((1, 2), "1 function of module made_up differs: load_one"),
        ((2, 1), "module made_up differs otherwise"),
    ],
)
def test_a_patch_of_a_module_alone_is_told(tree, module, said):
    """The kernel itself is the same then, which does not say that the sides are."""
    commit(tree, "patch", **{"main.c": CODE % 1, "module.c": MODULE % module})
    answer, _ = build(tree, "base", "patch", "--modules")
    assert answer.status == 0, answer.err
    assert "the kernel itself is the same to the byte" in answer.out
    assert said in answer.out


def test_the_same_source_gives_the_same_bytes(tree, monkeypatch):
    """Whatever flags and times the caller's environment has."""
    monkeypatch.setenv("KCFLAGS", "-g")
    monkeypatch.setenv("KBUILD_BUILD_TIMESTAMP", str(time.time()))
    answer, out = build(tree, "head", "head")
    images = [
        (out / side / "boot" / f"vmlinuz-{RELEASE}").read_bytes() for side in ("base", "head")
    ]
    assert images[0] == images[1]
    assert "the kernels are the same to the byte" in answer.out


def test_configurations_that_differ_are_told(tree, tmp_path):
    """One text for both, which the trees take differently; and what a tree does not take."""
    commit(tree, "other", options="CONFIG_B=m\nCONFIG_C=y\n")
    fragment = tmp_path / "fragment"
    fragment.write_text("CONFIG_A=y\nCONFIG_B=y\n")
    answer, out = build(tree, "base", "other", "--fragment", fragment)
    assert "the configurations differ in 2 options" in answer.out
    assert (out / "config-difference.txt").read_text() == " B y -> m\n+C y\n"
    assert "warning: head: the tree did not take CONFIG_B=y" in answer.err


def test_a_whole_configuration_is_taken_as_it_is(tree, tmp_path):
    """By --config, brought through olddefconfig; a fragment wins over it."""
    (tmp_path / "whole").write_text('CONFIG_A=m\nCONFIG_LOCALVERSION="-x"\n')
    (tmp_path / "more").write_text("CONFIG_A=y\n")
    answer, out = build(
        tree, "base", "head", "--config", tmp_path / "whole", "--fragment", tmp_path / "more"
    )
    assert answer.status == 0
    text = (out / "head" / "boot" / f"config-{RELEASE}").read_text()
    assert text.rindex("CONFIG_A=y") > text.index("CONFIG_A=m")
    assert "# CONFIG_MODULE_SIG is not set" in text


def test_two_directories_without_a_repository(tree, tmp_path):
    """They are copied, so that nothing is written into them."""
    for name in ("base", "head"):
        git(tree, "worktree", "add", "--detach", str(tmp_path / name), name)
        (tmp_path / name / ".git").unlink()
    git(tree, "worktree", "prune")
    before = sorted(path.name for path in (tmp_path / "base").iterdir())
    answer = run_gate(
        ["build-kernel", "base", "head", "--defconfig", "allnoconfig", "--out", "k"], cwd=tmp_path
    )
    assert answer.status == 0, answer.err
    assert "1 function of the kernel itself differs: read_one" in answer.out
    assert sorted(path.name for path in (tmp_path / "base").iterdir()) == before


def test_what_does_not_compile_quotes_the_first_error(tree):
    """With the log's name; the sides that were there stay, and nothing else is left."""
    _, out = build(tree, "base", "head")
    before = (out / "base" / "changed-functions.json").read_bytes()
    commit(tree, "wrong", **{"main.c": "int read_one(int a) { return b; }\n"})
    answer, _ = build(tree, "base", "wrong")
    assert answer.status == 4
    assert "error[G282]" in answer.err
    assert "main.c:1:" in answer.err
    assert "undeclared" in answer.err
    assert "head.log" in answer.err
    assert (out / "base" / "changed-functions.json").read_bytes() == before
    assert clean(tree, out)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("base", "nowhere"), "there is no revision 'nowhere'"),
        (("base", "--upload-pack=x"), "No such option"),
        (("base", "empty"), "no source of a Linux kernel"),
        (("base", "head", "--defconfig", "../x"), "is no configuration"),
        (("base", "head", "--config", "gone"), "no such file"),
    ],
)
def test_wrong_words_build_nothing(tree, words, said):
    """Status 2, before anything is written."""
    git(tree, "rm", "-q", "Kbuild")
    commit(tree, "empty")
    answer, out = build(tree, *words)
    assert answer.status == 2
    assert said in answer.err
    assert not (out / "base.log").exists()


OPTIONS = {
    "virtio_pci": "VIRTIO_PCI",
    "9pnet_virtio": "NET_9P_VIRTIO",
    "9p": "9P_FS",
    "overlay": "OVERLAY_FS",
    "virtio_blk": "VIRTIO_BLK",
    "nvme": "BLK_DEV_NVME",
}


def test_a_guest_has_what_its_root_and_disks_are_made_of():
    """Built in, so that a side without any module boots too."""
    text = (files("gate.vm") / "guest" / "guest.config").read_text(encoding="utf-8")
    options = options_in(text.splitlines())
    for name in (*_ROOT, *_BUSES.values()):
        assert options.get(OPTIONS[name]) == "y", name


def runs(number):
    """Whether a process lives; one that is dead may still wait to be collected."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_leaves_nothing_behind(tree, number):
    """No make, no worktree, no half side."""
    commit(tree, "slow", slow="echo $$ >../pid; exec sleep 100\n")
    out = tree.parent / "kernels"
    words = ["build-kernel", "base", "slow", "--source", tree, "--out", out]
    child = start_gate([*words, "--defconfig", "allnoconfig"], cwd=tree.parent)
    told = out / ".build" / "pid"
    until = time.monotonic() + 60
    while not (told.is_file() and told.read_text().strip()) and time.monotonic() < until:
        time.sleep(0.05)
    sleeper = int(told.read_text())
    child.send_signal(number)
    child.communicate(timeout=30)
    assert child.returncode == 128 + number
    assert not runs(sleeper)
    assert clean(tree, out)
    assert not (out / "head").exists()
