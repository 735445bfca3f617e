"""The profiles that come with the gate, from a wheel or from a checkout."""

from __future__ import annotations

import re
from pathlib import Path

import gate
from gate.errors import InputError
from gate.formats import disk, names
from gate.formats.profile.profile_file import read_profile


def shipped_profiles() -> Path:
    """The directory of the shipped profiles."""
    package = Path(gate.__file__).resolve().parent
    for place in (package / "shipped" / "profiles", package.parent / "profiles"):
        if (place / "smoke-command.toml").is_file():
            return place
    raise InputError(
        "G201",
        "the shipped profiles are not part of this installation.",
        cure="Install the wheel or run from a checkout.",
        place=str(package),
    )


def shipped_names() -> tuple[str, ...]:
    """The profiles that others may take into their project; those of the demo are its own."""
    found = sorted(path.stem for path in shipped_profiles().glob("*.toml"))
    return tuple(name for name in found if not name.startswith("smoke-"))


def files_of(name: str) -> dict[str, str]:
    """A shipped profile with the jobs and scripts that it runs: path in a project -> text."""
    known = shipped_names()
    if name not in known:
        raise names.unknown_profile(name, known, " is shipped")
    source = shipped_profiles()
    text = disk.read_text(source / f"{name}.toml", "profile")
    text = re.sub(r"\A#:schema .*", "#:schema profile.schema.json", text)
    taken = [source / job for job in re.findall(r"\bjobs/[\w.-]+\.fio\b", text)]
    taken += [
        source.parent / script for script in read_profile(source / f"{name}.toml").input_files
    ]
    return {f"profiles/{name}.toml": text} | {
        f"profiles/{path.relative_to(source)}": disk.read_text(path, "file") for path in taken
    }
