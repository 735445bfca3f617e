"""What is read of a side's directory: its kernel, its modules, and every way to lack one."""

from __future__ import annotations

import lzma
from dataclasses import replace

import pytest
from judge.build import reviewed
from vm.made import RELEASE, VERSION, bzimage, elf, kernel, module, note, write_side

from gate.errors import InputError
from gate.harness.guest.booted import kernel_of
from gate.linux.kernel_modules import enters_unpacked
from gate.model import Activation, Machine
from gate.model.kernel_config import is_option
from gate.vm.image import find_image, read_image
from gate.vm.modules import ModuleTree


def test_an_image_tells_release_version_and_build_id(tmp_path):
    """They stand in the packed kernel; the draft of its version is passed over."""
    write_side(tmp_path)
    image, inside = read_image(find_image(tmp_path))
    assert (image.release, image.version, image.build_id) == (RELEASE, VERSION, "ab" * 20)
    assert inside == kernel()


def test_ubuntus_kernel_is_what_it_says_when_it_runs(tmp_path):
    """Its draft has a number but no date, and its package's version is no part of `uname -v`."""
    made = kernel(draft="#7 SMP ", more=" (Ubuntu 6.1.0-7.7-generic 6.1.1)")
    (tmp_path / "bzImage").write_bytes(made)
    image, _ = read_image(find_image(tmp_path))
    assert image.version == VERSION


def test_an_uncompressed_kernel_is_an_image_too(tmp_path):
    """A vmlinux is read as it stands."""
    (tmp_path / "bzImage").write_bytes(kernel("5.4.0"))
    image, _ = read_image(find_image(tmp_path))
    assert image.release == "5.4.0"


def test_no_kernel_two_kernels_and_no_kernel_at_all(tmp_path):
    """Each is refused, and the message names the place."""
    with pytest.raises(InputError, match="holds no kernel image"):
        find_image(tmp_path)
    for name in ("vmlinuz", "bzImage"):
        (tmp_path / name).write_bytes(bzimage(kernel()))
    with pytest.raises(InputError, match="2 kernel images: bzImage, vmlinuz"):
        find_image(tmp_path)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "neither a bzImage nor a vmlinux"),
        (b"text" * 500, "neither a bzImage nor a vmlinux"),
        (bzimage(kernel())[:1100], "cannot be read: it is cut off"),
        (bzimage(b"no kernel"), "no kernel image for x86-64"),
    ],
)
def test_what_is_no_kernel_is_refused(tmp_path, content, words):
    """Empty, text, cut off, or something else inside: G265, never a traceback."""
    path = tmp_path / "vmlinuz"
    path.write_bytes(content)
    with pytest.raises(InputError, match=words) as caught:
        read_image(path)
    assert caught.value.code == "G265"


def test_what_no_build_id_proves_is_refused(tmp_path):
    """A kernel or a module without one could be any other of its name."""
    (tmp_path / "vmlinuz").write_bytes(bzimage(kernel(build_id=b"")))
    with pytest.raises(InputError, match="without a build-id, so nothing proves that it runs"):
        read_image(find_image(tmp_path))
    write_side(tmp_path / "side", [("a", "")])
    place = tmp_path / "side" / "lib" / "modules" / RELEASE / "kernel" / "a.ko"
    place.write_bytes(module(build_id=b""))
    with pytest.raises(InputError, match="the module has no build-id"):
        ModuleTree(tmp_path / "side", RELEASE).loaded(["a"])


def test_an_exchanged_image_is_refused(tmp_path):
    """Also one of the same size and name."""
    write_side(tmp_path)
    image, _ = read_image(find_image(tmp_path))
    image.demand_unchanged()
    image.path.write_bytes(bzimage(kernel(build_id=b"\xac" * 20)))
    with pytest.raises(InputError, match="was exchanged since it was read"):
        image.demand_unchanged()
    image.path.unlink()
    with pytest.raises(InputError, match="is gone"):
        image.demand_unchanged()


def test_modules_come_after_those_that_they_need(tmp_path):
    """Each once, in the order of loading, with its own parameters; built-in ones not at all."""
    write_side(tmp_path, [("a", "b,c-d,ext4"), ("b", "c_d"), ("c-d", "")])
    found = ModuleTree(tmp_path, RELEASE).loaded(["a one=1 two=2", "b"])
    assert [(one.name, one.parameters) for one in found] == [
        ("c_d", ()),
        ("b", ()),
        ("a", ("one=1", "two=2")),
    ]
    assert {one.build_id for one in found} == {"cd" * 20}


def test_modules_that_need_each_other_end(tmp_path):
    """A circle, which no kernel has, is no endless loop."""
    write_side(tmp_path, [("a", "b"), ("b", "a")])
    assert [one.name for one in ModuleTree(tmp_path, RELEASE).loaded(["a"])] == ["b", "a"]


def test_an_updated_module_comes_first_packed_or_not(tmp_path):
    """What stands below updates/ is loaded in place of the kernel's own, as by depmod."""
    write_side(tmp_path, [("a", "")])
    updates = tmp_path / "lib" / "modules" / RELEASE / "updates"
    updates.mkdir()
    (updates / "a.ko.xz").write_bytes(lzma.compress(module(build_id=b"\x11" * 20)))
    (only,) = ModuleTree(tmp_path, RELEASE).loaded(["a"])
    assert only.build_id == "11" * 20


def test_a_module_that_is_not_there_is_named_with_who_needs_it(tmp_path):
    """A missing module never means that the rest is measured without it."""
    write_side(tmp_path, [("a", "gone")])
    with pytest.raises(InputError, match="no module 'gone', which a needs"):
        ModuleTree(tmp_path, RELEASE).loaded(["a"])
    with pytest.raises(InputError, match="no module 'other', and the kernel has none"):
        ModuleTree(tmp_path, RELEASE).loaded(["other x=1"])


def test_a_kernel_without_pvh_is_booted_packed():
    """Its note says where it is entered; the one that a made-up kernel has is another."""
    assert not enters_unpacked(kernel())
    assert enters_unpacked(
        elf().replace(note(b"Xen\0", 6, b"linux\0\0\0"), note(b"Xen\0", 18, bytes(8)))
    )


def test_a_session_tells_of_the_kernel_that_was_booted(tmp_path):
    """Release, build-id and options of the side's kernel, as a session may hold them."""
    write_side(tmp_path)
    config = 'CONFIG_A=y\nCONFIG_B="text"\nCONFIG_EMPTY=""\n# CONFIG_C is not set\n'
    (tmp_path / "boot" / f"config-{RELEASE}").write_text(config + 'CONFIG_BUILD_SALT="x"\n')
    profile = replace(reviewed("b"), subject=Activation(machine=Machine(command_line="quiet")))
    told = kernel_of(tmp_path, profile)
    assert (told.release, told.build_id) == (RELEASE, "ab" * 20)
    assert told.command_line == "quiet"
    assert told.config == {"A": "y", "B": '"text"', "EMPTY": '""'}
    assert all(is_option(name, value) for name, value in told.config.items())
