"""The kernel that a session ran on: its build, its command line, how it was configured."""

from __future__ import annotations

import base64
import gzip
import struct
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recorded_machine import RecordedMachine

from gate.formats.session.consistency import kernel_complaints
from gate.host.identity.identity import CONFIG, NOTES, RELEASE, VERSION, read_kernel
from gate.linux.machine import ThisMachine
from gate.model.kernel_config import (
    MOST_OPTIONS,
    config_digest,
    config_text,
    options_in,
    public_options,
)

BUILD = bytes.fromhex("6ecd6ec21ec69416e50a8aa6737e500901ddb47a")
TEXT = '# a word\nCONFIG_SMP=y\n# CONFIG_KASAN is not set\nCONFIG_HZ=250\nCONFIG_NAME="a=b c"\n'


def note(name, kind, content):
    """One ELF note as the kernel writes it: name and content padded to four bytes."""
    head = struct.pack("=III", len(name), len(content), kind)
    return head + name + bytes(-len(name) % 4) + content + bytes(-len(content) % 4)


def made(notes=b"", packed=None, **files):
    """A machine of these notes and this configuration, and of files by the names of constants."""
    data = {NOTES: notes, **({CONFIG: packed} if packed is not None else {})}
    return RecordedMachine(
        {
            "files": {RELEASE: "6.8.0-45-generic\n", VERSION: "#45 SMP PREEMPT_DYNAMIC\n", **files},
            "data": {path: base64.b64encode(raw).decode() for path, raw in data.items()},
        }
    )


def test_this_machine_tells_its_kernel():
    """On the real files: the release that uname tells, the build id that the notes hold."""
    kernel = read_kernel()
    uname = subprocess.run(["uname", "-rv"], check=True, capture_output=True, text=True).stdout
    assert f"{kernel.release} {kernel.version}" == " ".join(uname.split())
    assert kernel.build_id.encode() in Path(NOTES).read_bytes().hex().encode()
    assert list(kernel_complaints(kernel)) == []
    assert "console=" not in kernel.command_line


@pytest.mark.skipif(not Path(CONFIG).exists(), reason="this kernel does not tell its configuration")
def test_this_machine_tells_every_option_that_is_set():
    """What `zcat /proc/config.gz` shows set, with the very same values, but for private ones."""
    lines = gzip.decompress(Path(CONFIG).read_bytes()).decode().splitlines()
    every = sorted(line for line in lines if line.startswith("CONFIG_"))
    wanted = [line for line in every if public_options(options_in([line]))]
    assert len(every) - len(wanted) < 20
    told = read_kernel().config
    assert sorted(f"CONFIG_{name}={value}" for name, value in told.items()) == wanted
    assert config_text(told).splitlines() == [f"CONFIG_{n}={told[n]}" for n in sorted(told)]


def test_reading_it_opens_a_few_files_once(monkeypatch):
    """It happens before each measurement, so it is cheap: no file twice, no program, no folder."""
    opened = []
    data = ThisMachine.data
    monkeypatch.setattr(ThisMachine, "data", lambda self, p: (opened.append(p), data(self, p))[1])
    for other in ("names", "real", "ask"):
        monkeypatch.delattr(ThisMachine, other)
    read_kernel()
    assert len(opened) == len({*opened}) <= 6


def test_it_is_read_out_of_notes_command_line_and_configuration():
    """Each part from its file: other notes are stepped over, what is not set is absent."""
    notes = note(b"Linux\0", 257, b"\0" * 5) + note(b"GNU\0", 3, BUILD) + note(b"GNU\0", 3, b"late")
    words = "BOOT_IMAGE=/vmlinuz root=UUID=1 mitigations=off quiet -- init=this"
    kernel = read_kernel(made(notes, gzip.compress(TEXT.encode()), **{"/proc/cmdline": words}))
    assert (kernel.release, kernel.version) == ("6.8.0-45-generic", "#45 SMP PREEMPT_DYNAMIC")
    assert kernel.build_id == BUILD.hex()
    assert kernel.command_line == "mitigations=off quiet"
    assert kernel.config == {"HZ": "250", "NAME": '"a=b c"', "SMP": "y"}


def test_a_configuration_beside_the_image_stands_in():
    """Where the kernel does not tell it, /boot/config-RELEASE does; never one outside of /boot."""
    beside = {"/boot/config-6.8.0-45-generic": TEXT}
    assert read_kernel(made(**beside)).config["HZ"] == "250"
    assert read_kernel(made(packed=b"no gzip", **beside)).config["HZ"] == "250"
    outside = {RELEASE: "/../etc/secret", "/boot/config-/../etc/secret": TEXT}
    assert read_kernel(made(**outside)).config == {}


PRIVATE = {
    "CMDLINE": '"root=/dev/vda quiet"',
    "BUILTIN_CMDLINE": '"quiet"',
    "DEFAULT_HOSTNAME": '"lab7"',
    "BUILD_SALT": '"6.1-lab7"',
    "BOOT_CONFIG_EMBED_FILE": '"boot.conf"',
    "INITRAMFS_SOURCE": '"initramfs.list"',
    "EXTRA_FIRMWARE_DIR": '"firmware"',
    "MODULE_SIG_KEY": '"certs/signing_key.pem"',
    "SYSTEM_TRUSTED_KEYS": '"certs/lab.pem"',
    "SYSTEM_REVOCATION_KEYS": '"certs/old.pem"',
    "UEVENT_HELPER_PATH": '"/home/me/helper"',
    "LOCALVERSION": '"-0123456789ABCDEF0123456789abcdef"',
    "A_UUID": '"6a2b3c4d-0000-1111-2222-333344445555"',
    "A_MAC": '"52:54:00:12:34:56"',
    "A_KEY": '"pkcs11:object=k;pin-value=1234"',
    "A_WORD": '"user.password=hunter2"',
    "AN_ADDRESS": '"http://me:hunter2@lab/"',
}


@pytest.mark.parametrize("name", PRIVATE)
def test_no_option_tells_of_a_person_a_place_or_a_secret(name):
    """Left out when it is read, from the kernel itself or from beside its image."""
    text = f"CONFIG_{name}={PRIVATE[name]}\n{TEXT}"
    wanted = {"HZ": "250", "NAME": '"a=b c"', "SMP": "y"}
    assert read_kernel(made(packed=gzip.compress(text.encode()))).config == wanted
    assert read_kernel(made(**{"/boot/config-6.8.0-45-generic": text})).config == wanted


def test_an_option_that_only_sounds_so_stays():
    """What tells how a kernel works is kept: keys in names, and what a version was made by."""
    config = {
        "KEYS": "y",
        "MODULE_SIG_KEY_TYPE_RSA": "y",
        "CMDLINE_BOOL": "y",
        "PAGE_OFFSET": "0xffff800000000000",
        "CC_VERSION_TEXT": '"gcc (GCC) 15.3.0"',
        "LSM": '"landlock,lockdown,yama,integrity,bpf"',
    }
    assert public_options(config) == config


def test_a_machine_that_tells_no_release_has_no_kernel():
    """Nothing is made up: without a release there is no kernel to be told of."""
    assert read_kernel(RecordedMachine({})) is None


@pytest.mark.parametrize(
    "notes",
    [
        b"",
        b"\x04\0\0\0",
        note(b"GNU\0", 3, BUILD)[:-1],
        struct.pack("=III", 0xFFFFFFFF, 0xFFFFFFFF, 3) + b"GNU\0" + BUILD,
        note(b"GNU\0", 3, b""),
        note(b"GNU\0", 3, b"x" * 65),
        note(b"GNU\0", 1, BUILD),
        note(b"Xen\0", 3, BUILD),
    ],
    ids=["none", "short", "cut", "boundless", "empty", "long", "other kind", "other name"],
)
def test_spoilt_notes_tell_no_build_id(notes):
    """Whatever is no whole GNU build id gives an empty one, and nothing is raised."""
    assert read_kernel(made(notes)).build_id == ""


@given(st.binary(max_size=200))
def test_no_bytes_are_too_odd(raw):
    """Any notes and any packed configuration are read to an end, into what a session may hold."""
    kernel = read_kernel(made(raw, raw))
    assert list(kernel_complaints(kernel)) == []


def test_a_configuration_that_unpacks_without_end_is_cut():
    """A stream of 64 MiB is unpacked up to its cap, and at most 30,000 options are kept."""
    bomb = gzip.compress(b"x" * (64 << 20))
    assert read_kernel(made(packed=bomb)).config == {}
    many = "".join(f"CONFIG_O{n}=y\n" for n in range(MOST_OPTIONS + 5))
    assert len(read_kernel(made(packed=gzip.compress(many.encode()))).config) == MOST_OPTIONS


OPTIONS = st.dictionaries(
    st.from_regex(r"[A-Za-z0-9_]{1,20}", fullmatch=True),
    st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=20),
)


@given(OPTIONS)
def test_text_and_options_are_two_forms_of_one_thing(config):
    """Options written and read again are the same; the digest does not hang on their order."""
    assert options_in(config_text(config).splitlines()) == config
    turned = dict(reversed(config.items()))
    assert config_text(turned) == config_text(config)
    assert config_digest(turned) == config_digest(config)


@given(OPTIONS, OPTIONS)
def test_other_options_have_another_digest(one, other):
    """Equal digests are those of equal configurations; an unknown one has none."""
    assert (config_digest(one) == config_digest(other)) == (one == other)
    assert (config_digest(one) == "") == (one == {})


def test_the_real_machine_reads_bytes_as_they_are(tmp_path):
    """Bytes that are no text come back unchanged; what cannot be read is empty."""
    raw = bytes(range(256)) * 300
    (tmp_path / "raw").write_bytes(raw)
    machine = ThisMachine()
    assert machine.data(str(tmp_path / "raw")) == raw
    assert (machine.data(str(tmp_path)), machine.data("/nowhere\0")) == (b"", b"")
