"""Whether a fio job may be run: it must touch nothing outside the work directory.

fio opens, creates, overwrites and trims whatever a job names, as whoever runs it, and a
section called [/dev/sda] is enough. So every line must be understood: an option that is in no
list is refused, and a line is refused too when fio might read it in another way than we do.
A device that the guard found nothing against may be opened in one way: `filename=${GATE_DEVICE}`.
Files that are in the work directory already must be what they seem.
"""

from __future__ import annotations

import os
import re
import stat
from fnmatch import fnmatch
from typing import TYPE_CHECKING

from gate.formats.strict import quote
from gate.harness.fio.job import VARIABLE, JobLine, lines_of, split_option
from gate.harness.fio.options import (
    CHECKED,
    DEVICE_ENGINES,
    ENGINES,
    HARMLESS,
    MEMORY,
    NOT_ON_DEVICES,
    PATHS,
    REFUSED,
)
from gate.linux.mounts import mounts_below

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


def irregular(path: str) -> str:
    """Why what is there must not be opened for writing; empty for a plain file or none at all."""
    try:
        seen = os.stat(path)
    except FileNotFoundError:
        # A link that leads nowhere: its target would be made.
        return "is a link to nothing" if os.path.islink(path) else ""
    except OSError:
        return "is no plain file"
    if not stat.S_ISREG(seen.st_mode):
        return "is no plain file"
    return "is a file that has another name elsewhere" if seen.st_nlink > 1 else ""


# fio reads lines into a buffer of fixed size; the rest of a longer line would be a new line.
_LONGEST_LINE = 1000
_LONGEST_SECTION = 200
_NAME = re.compile(r"[a-z][a-z0-9_-]*")
_COLON = re.compile(r"(?<!\\):")
# A slash that begins a path; the one in bssplit=4k/60 follows a digit or a letter.
_ROOTED = re.compile(r"(?<![0-9A-Za-z])/|/\.\.|\.\./")
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
DEVICE = "GATE_DEVICE"
_DEVICE_PATH = re.compile(r"/dev(/[A-Za-z0-9_-]+)+")
_LEFT_BEHIND = ("local-*-verify.state", "*.received", "*.expected")
"""Files that fio writes beside its data, by its own choice of name."""
_KEYWORD = re.compile(r"\$(?:jobname|jobnum|filenum|clientuid)", re.IGNORECASE)


def unsafe(
    text: str, work: Path, environment: Mapping[str, str], device: str = ""
) -> list[tuple[int, str]]:
    """Every line of the job that must not be run, with the reason; empty when it may run.

    `device` is the block device that the job may open, by its real path; empty for none.
    """
    if found := list(_unreadable(text)):
        return found
    options: list[tuple[JobLine, str, str]] = []
    sections: list[JobLine] = []
    on_device = False
    for line in lines_of(text):
        if line.section is not None:
            sections.append(line)
            whys = _section(line, work)
        elif DEVICE in line.content:
            on_device = True
            whys = _device(line, environment, device)
        else:
            expanded, why = _expand(line.content, environment)
            option = split_option(expanded)
            options += [] if why else [(line, *option)]
            whys = iter([why]) if why else _option(*option)
        found += [(line.number, why) for why in whys]
    found += _unfit_for_device(options) if on_device else []
    found += _Paths(work, sections, options).findings()
    return sorted(set(found))


def opens_device(text: str) -> bool:
    """Whether a job opens the allowed device."""
    return any(line.section is None and DEVICE in line.content for line in lines_of(text))


def _device(line: JobLine, environment: Mapping[str, str], device: str) -> Iterator[str]:
    """Why a line that names the allowed device must not be used."""
    if not device:
        yield f"{DEVICE} is there only for the job of a profile with [storage] device"
    elif line.option != ("filename", f"${{{DEVICE}}}"):
        yield f"the device is named by filename=${{{DEVICE}}} alone, with nothing before or behind"
    elif environment.get(DEVICE) != device or not _DEVICE_PATH.fullmatch(device):
        yield f"{quote(device)} is no path that fio would open as it stands"


def _unfit_for_device(options: list[tuple[JobLine, str, str]]) -> Iterator[tuple[int, str]]:
    """What means something else as soon as a file is a device."""
    for line, name, value in options:
        if name in NOT_ON_DEVICES:
            yield line.number, f"{quote(name)} {NOT_ON_DEVICES[name]}"
        elif name == "ioengine" and value not in DEVICE_ENGINES:
            yield line.number, f"the I/O engine {quote(value)} is for files, and this is a device"


def _unreadable(text: str) -> Iterator[tuple[int, str]]:
    """Lines that fio and this module might read differently."""
    first = next(iter(lines_of(text)), None)
    if first is None or first.section is None:
        yield (first.number if first else 1), "the job file does not begin with a [section]"
    for number, raw in enumerate(text.split("\n"), start=1):
        if len(raw.encode("utf-8", "replace")) > _LONGEST_LINE:
            yield number, f"the line is longer than {_LONGEST_LINE} bytes"
        elif _CONTROL.search(raw.removesuffix("\r")):
            yield number, "the line holds a control character"


def _expand(content: str, environment: Mapping[str, str]) -> tuple[str, str]:
    """Replace ${NAME} as fio does it, name part included; or say why it cannot be done."""
    unset = [name for name in VARIABLE.findall(content) if name not in environment]
    if unset:
        return "", f"the environment variable {quote(unset[0])} is not set"
    expanded = VARIABLE.sub(lambda match: environment[match[1]], content)
    if _CONTROL.search(expanded):
        return "", "an environment variable in it holds a control character"
    return expanded, ""


def _section(line: JobLine, work: Path) -> Iterator[str]:
    name = line.section or ""
    if not line.content.endswith("]") or not name or set(name) & set("[]"):
        yield "the [section] line is malformed"
    elif len(name) > _LONGEST_SECTION:
        yield f"the section name is longer than {_LONGEST_SECTION} characters"
    elif "/" in name:
        yield f"fio would open the section name {quote(name)} as a path"
    elif line.opens_job and (why := irregular(os.path.join(work, name))):
        yield f"fio would open the section name {quote(name)}, which {why}"


def _option(name: str, value: str) -> Iterator[str]:
    """Why an option must not be used, whatever stands around it."""
    if name in REFUSED or name.startswith("include"):
        yield f"{quote(name)} is refused: {REFUSED.get(name, REFUSED['include'])}"
    elif not _NAME.fullmatch(name) or name not in HARMLESS | PATHS | CHECKED:
        yield f"{quote(name)} is not an option that the gate knows to be safe"
    elif name == "ioengine" and value not in ENGINES:
        yield f"the I/O engine {quote(value)} is not one of those that stay inside their files"
    elif name == "mem" and value not in MEMORY:
        yield f"mem={quote(value)} may name a file or a device"
    elif name == "name" and ("/" in value or "$" in value):
        yield "a job name must not hold a path"
    elif name in CHECKED and "'" in value:
        yield f"{name} reads a file when its value stands in single quotes"
    elif name in HARMLESS and name != "description" and _ROOTED.search(value):
        yield f"{name} holds a path"


class _Paths:
    """Every file that the job can open, by its options and by what is there already."""

    def __init__(
        self, work: Path, sections: list[JobLine], options: list[tuple[JobLine, str, str]]
    ) -> None:
        self._work = os.path.realpath(work)
        self._mounts = mounts_below(self._work)
        self._sections = [line for line in sections if line.opens_job]
        self._options = [(line, name, value) for line, name, value in options if name in PATHS]
        # Which file goes with which directory depends on the section: every pair is checked.
        self._directories = [""] + [
            part
            for _, name, value in self._options
            if name == "directory"
            for part in _parts(value)
        ]

    def findings(self) -> Iterator[tuple[int, str]]:
        """Find the lines that reach outside the work directory, with the reason."""
        for line, name, value in self._options:
            if "$" in (_KEYWORD.sub("", value) if name == "filename_format" else value):
                yield line.number, f"{name} holds a $ that fio may replace"
                continue
            for part in _parts(value):
                if why := self._reason(name, part):
                    yield line.number, f"{name}={quote(part)} {why}"
        for line in self._sections:
            if why := self._existing(f"{_literal(line.section or '')}.*"):
                yield line.number, f"the files of this job: {why}"
        for pattern in _LEFT_BEHIND if self._sections else ():
            if why := self._existing(pattern):
                yield self._sections[0].number, f"files that fio leaves: {why}"

    def _reason(self, name: str, part: str) -> str:
        if part == "-":
            return "is standard input or output"
        if ".." in part.split("/"):
            return "leads upwards"
        if any(one.startswith("~") for one in part.split("/")):
            return "holds a ~, which fio takes for a plain name"
        if name == "filename_format":
            if part.startswith("/"):
                return "is an absolute path"
            return self._existing(_KEYWORD.sub("*", _literal(part)))
        directories = [""] if name == "directory" else self._directories
        whys = (self._place(directory, part, name) for directory in directories)
        return next((why for why in whys if why), "")

    def _place(self, directory: str, part: str, name: str) -> str:
        base = os.path.join(self._work, directory)
        # With a directory fio glues an absolute name below it; without, it takes it as it is.
        for path in (os.path.join(base, part), f"{base}/{part}"):
            real = os.path.realpath(path)
            if real != self._work and not real.startswith(f"{self._work}{os.sep}"):
                return "leads outside the work directory"
            if any(real == one or real.startswith(f"{one}{os.sep}") for one in self._mounts):
                return "lies on something that was mounted inside the work directory"
            if name != "directory" and (why := irregular(path)):
                return why
        return ""

    def _existing(self, pattern: str) -> str:
        """Say what is wrong with files that are there and that generated names can meet."""
        for directory in self._directories:
            folder, _, last = pattern.rpartition("/")
            place = os.path.join(self._work, directory, folder)
            try:
                names = os.listdir(place)
            except OSError:
                continue
            for name in sorted(names):
                where = os.path.join(directory, folder)
                if fnmatch(name, last) and (why := self._place(where, name, "filename")):
                    return f"{quote(name)} is there and {why}"
        return ""


def _parts(value: str) -> list[str]:
    """Split a list of paths at its colons; a backslash guards a colon that is meant."""
    return [part.replace("\\:", ":").strip() for part in _COLON.split(value) if part.strip()]


def _literal(name: str) -> str:
    return re.sub(r"([*?[])", r"[\1]", name)
