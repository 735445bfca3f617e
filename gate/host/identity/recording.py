"""What of a recording may leave the machine: everything that a fact is read from, and no names.

Serial numbers are never asked for. What comes along with a fact (UUIDs, addresses, paths, names of
volumes and of servers) is replaced, so that the recording still gives the same facts.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gate.host.identity.facts import CONTAINERS, short
from gate.host.identity.facts_disk import matters
from gate.host.identity.facts_epoch import COMMAND_LINE, normal_command_line
from gate.linux.mounts import MOUNTINFO, mounts_carrying
from gate.text import NAMES_ONE

if TYPE_CHECKING:
    from gate.linux.machine import MachineRecorder
    from gate.linux.mounts import Mount

WORK = Path("/srv/work")
"""Where the work directory is in every recording."""
_BACKING = "/loop/backing_file"
_SERIAL = re.compile(r"^Serial\s*:.*\n?|identification = \w+, *", re.MULTILINE | re.IGNORECASE)
_SERIAL_KEY = re.compile(
    r'"(serial_number|sn|wwn|eui64|nguid|subnqn|logical_unit_id)"\s*:\s*("[^"]*"|\{[^}]*\})'
)
_KEPT_LINKS = ("/sys/", "/.dockerenv", "/run/.containerenv")


def publishable_recording(
    recorder: MachineRecorder, work: Path, *, about: str, source: str
) -> dict[str, Any]:
    """A recording for others to play, out of what was asked when the facts of `work` were read."""
    files = {path: _nameless_file(path, text) for path, text in recorder.files.items() if text}
    mounted = _chain(recorder, str(WORK), work)
    for path in [one for one in files if one.endswith(_BACKING)]:
        # A path of the user's; only what it lies on is of interest.
        shown = "/" + path.removesuffix(_BACKING).rpartition("/")[2]
        mounted += _chain(recorder, shown, Path(files[path].strip()))
        files[path] = shown
    files[MOUNTINFO] = "\n".join(mounted)
    data = {
        "about": short(about),
        "source": source,
        "files": files,
        "links": {a: b for a, b in recorder.links.items() if b and a.startswith(_KEPT_LINKS)},
        "names": {path: list(names) for path, names in recorder.listed.items() if names},
        "commands": {
            asked: _SERIAL_KEY.sub(r'"\1": ""', said)
            for asked, said in recorder.commands.items()
            if said
        },
    }
    parsed: dict[str, Any] = json.loads(_nameless(json.dumps(data)))
    return parsed


def _nameless_file(path: str, text: str) -> str:
    if path == COMMAND_LINE:
        return normal_command_line(text)
    if path == "/proc/cpuinfo":
        return _SERIAL.sub("", text)
    if path.endswith("/dm/uuid"):
        return text.partition("-")[0] + "-"
    if path == "/proc/1/cgroup":
        return " ".join(dict.fromkeys(re.findall(CONTAINERS, text)))
    if path == "/proc/swaps":
        return re.sub(r"^/\S*?(zram[0-9]*)?(?=\s)", r"/\1", text, flags=re.MULTILINE)
    return text


def _chain(recorder: MachineRecorder, point: str, place: Path) -> list[str]:
    """Lines of mountinfo for a place and what it stands on, with places of our own."""
    found = mounts_carrying(recorder, place)
    lines = []
    for number, mount in enumerate(found):
        here = f"{point}-{number}" if number else point
        options = [one for one in mount.options if matters(one)]
        options += [f"upperdir={point}-{number + 1}"] if number + 1 < len(found) else []
        kind = f"{mount.kind} {_source(recorder, mount)}"
        lines.append(f"1 0 {mount.device} / {here} {','.join(options) or 'rw'} - {kind}")
    return lines


def _source(recorder: MachineRecorder, mount: Mount) -> str:
    """The kernel's names of the devices; a volume or a server may be called after its owner."""
    if not mount.device.startswith("0:"):
        known = recorder.links.get(f"/sys/dev/block/{mount.device}", "")
        return f"/dev/{known.rpartition('/')[2]}" if known else mount.kind
    parts = [one for one in mount.source.split(":") if one.startswith("/dev/")]
    return ":".join(recorder.real(one) or one for one in parts) or mount.kind


def _nameless(text: str) -> str:
    """Each UUID, address or long id replaced by its number, the same one everywhere."""
    numbers: dict[str, int] = {}

    def number(match: re.Match[str]) -> str:
        count = numbers.setdefault(match[0].lower(), len(numbers) + 1)
        digits = re.sub("[0-9a-fx]", "0", match[0].lower())
        return f"{digits[: -len(str(count))]}{count}"

    return NAMES_ONE.sub(number, text)
