"""`[subject]` of a profile: what goes together, and errors that name line and cure."""

from __future__ import annotations

import pytest

from gate.errors import InputError
from gate.formats.profile.profile_file import read_profile
from gate.model import Activation, Machine, SubjectKind, Untouched

HEAD = 'harness = "hyperfine"\ncommand = "true"\n[metric.wall]\n'


METAL = 'metal = { by = "grub", base = "a", head = "b" }\n'


def read(tmp_path, text, head=HEAD):
    """A profile with this subject."""
    path = tmp_path / "profiles" / "p.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"{head}[subject]\n{text}")
    return read_profile(path)


def test_a_profile_without_one_activates_nothing(tmp_path):
    """The default kind is what profiles have always been, with the same digest."""
    bare = read(tmp_path, "")
    assert bare.subject == Activation()
    path = tmp_path / "profiles" / "p.toml"
    path.write_text(HEAD)
    assert read_profile(path).digest == bare.digest


def test_a_kernel_gets_a_machine_with_usual_figures(tmp_path):
    """Sizes are read in units, disks are bytes."""
    subject = read(tmp_path, 'kind = "kernel"\n').subject
    assert subject.machine == Machine(memory=2048, cpus=1, trials=3, accelerator="auto")
    text = 'kind = "kernel"\ndevice = "/dev/nvme0n1"\n'
    text += 'machine = { memory = "1 GiB", disks = ["nvme:64 MiB"], trials = 1 }\n'
    subject = read(tmp_path, text).subject
    assert subject.machine == Machine(memory=1024, disks=("nvme:67108864",), trials=1)


def test_what_a_subject_is_belongs_to_what_is_run(tmp_path):
    """Another parameter of a module is another workload: its baseline does not fit any more."""
    digests = {
        read(tmp_path, f'kind = "module"\nmodules = ["m {parameter}"]\n').digest
        for parameter in ("", "a=1", "a=2")
    }
    assert len(digests) == 3
    assert read(tmp_path, 'kind = "module"\nmodules = ["m"]\n').subject.kind is SubjectKind.MODULE


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('kind = "module"\n', "kind module needs the key modules"),
        ('kind = "custom"\nactivate = "x"\n', "kind custom needs the key prove"),
        ('modules = ["x"]\n', "subject.modules means nothing to command, which has untouched"),
        ('kind = "module"\nmodules = ["x"]\nprove = "y"\n', "subject.prove means nothing to mod"),
        ('kind = "module"\nmodules = [" "]\n', "subject.modules: ' ' is no module"),
        ('kind = "module"\nmodules = ["x"]\ndevice = "/dev/sda"\n', "is not in memory"),
        ('kind = "module"\nmodules = ["x"]\ndevice = "/dev/nvme0n1"\n', "is not in memory"),
        ('kind = "kernel"\ndevice = "/dev/sda"\n', "is none of the machine's own"),
        ('kind = "kernel"\nmachine = { memory = "1 MiB" }\n', "subject.machine.memory must be"),
        ('kind = "kernel"\nmachine = { disks = ["sata:1GiB"] }\n', "'sata:1GiB' is no disk"),
        ('kind = "kernel"\nmachine = { disks = ["nvme:1KiB"] }\n', "subject.machine.disks must be"),
        ('kind = "custom"\nactivate = "x"\nprove = "y"\ntimeout = "0 s"\n', "timeout must be"),
        ('kind = "magic"\n', "kind"),
    ],
)
def test_what_does_not_go_together_is_refused(tmp_path, text, said):
    """Never taken in silence: the error names the key and the file's line."""
    with pytest.raises(InputError) as caught:
        read(tmp_path, text)
    assert said in str(caught.value)
    assert ":" in caught.value.place


IN = 'kind = "kernel"\nmachine = { disks = ["virtio:device"] }\n[storage]\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (IN + 'precondition = ["fill"]\n', "no [storage] device is named for the disk"),
        (IN + 'device = "scratch"\nfilesystem = "ext4"\n', "without a file system"),
        (IN.replace("device", "1 GiB") + 'device = "scratch"\n', "[storage] stands outside"),
        (IN.replace('"]', '", "nvme:device"]') + 'device = "scratch"\n', "cannot be two disks"),
        ('kind = "module"\nmodules = ["m"]\n[storage]\ndevice = "scratch"\n', "its devices are"),
    ],
)
def test_what_a_machine_cannot_have_of_the_storage_is_refused(tmp_path, text, said):
    """Neither a state that the guest would never see, nor a disk with nothing behind it."""
    with pytest.raises(InputError) as caught:
        read(tmp_path, text)
    assert said in str(caught.value)


def test_a_machine_gets_the_device_of_the_storage(tmp_path):
    """With the steps that do the same to a whole device, whoever writes to it."""
    text = 'device = "scratch"\nprepare = ["blkdiscard", "drop_caches"]\n'
    profile = read(tmp_path, IN + text)
    assert profile.subject.machine.disks == ("virtio:device",)


@pytest.mark.parametrize("harness", ["replay", "instructions"])
def test_harnesses_that_activate_nothing(tmp_path, harness):
    """Recorded values have no subject to load, and counted instructions boot on their own."""
    head = {
        "replay": 'harness = "replay"\nreplay = "r.json"\nbenchmarks = ["p"]\n[metric.wall]\n',
        "instructions": 'harness = "instructions"\ncommand = "dd count={operations}"\n'
        "[guest]\noperations = [1, 2]\n[metric.kernel_instructions_per_io]\n",
    }[harness]
    (tmp_path / "profiles").mkdir()
    (tmp_path / "profiles" / "r.json").write_text(
        '{"schema": 1, "metrics": {"wall": {"unit": "s", "better": "lower"}}, '
        '"benchmarks": {"p": {"base": {}, "head": {"wall": [1.0]}}}}'
    )
    with pytest.raises(
        InputError, match=f"kind module does not go with this profile: {harness} activates none"
    ):
        read(tmp_path, 'kind = "module"\nmodules = ["x"]\n', head)


def test_what_becomes_of_an_empty_pass_is_no_other_workload(tmp_path):
    """Baselines hold when the policy changes; where nothing is loaded or booted there is none."""
    text = 'kind = "module"\nmodules = ["m"]\n'
    closes = read(tmp_path, text + 'untouched = "close"\n')
    assert closes.subject.untouched is Untouched.CLOSE
    assert closes.digest == read(tmp_path, text).digest
    for other in (
        'kind = "custom"\nactivate = "x"\nprove = "x"\nuntouched = "close"\n',
        'kind = "kernel"\nuntouched = "note"\n' + METAL,
    ):
        with pytest.raises(InputError, match=r"subject\.untouched"):
            read(tmp_path, other)


def test_the_name_of_a_boot_entry_is_no_other_workload(tmp_path):
    """A renamed entry starts the kernel that proves itself; another command line runs another."""
    metal = 'kind = "kernel"\nmetal = { by = %s }\n'

    def digest(text):
        return read(tmp_path, metal % text).digest

    grub = '"grub", base = "base", head = "pr-%d"'
    assert digest(grub % 17) == digest(grub % 18)
    assert digest('"kexec", initrd = "{side}/a"') == digest('"kexec", initrd = "{side}/b"')
    assert digest('"kexec"') == digest('"kexec", restart = "reboot -f"')
    texts = (grub % 17, '"kexec"', '"kexec", command_line = "quiet"')
    assert len({digest(text) for text in texts}) == 3
