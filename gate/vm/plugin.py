"""Our plugin for QEMU and the guest's mark, built once for a header and kept."""

from __future__ import annotations

import hashlib
import os
import subprocess
from importlib.resources import files
from pathlib import Path

from gate.errors import MeasureError
from gate.scratch import scratch_directory

CODE = "G266"
HEADER = "DRIFTGATE_QEMU_HEADER"
"""The variable that names another qemu-plugin.h."""
_HEADERS = ("/usr/include/qemu-plugin.h", "/usr/local/include/qemu-plugin.h")
_OWN = "qemu-plugin.h"
_CURE = (
    "It comes with QEMU's source (include/qemu/qemu-plugin.h, or include/plugins/ in newer ones): "
    f"put it at {_HEADERS[1]}, or name it in {HEADER}."
)


def compile_plugin(part: str) -> Path:
    """The plugin (`count`) or the guest's mark (`mark`), compiled where it is not yet.

    Raises:
        MeasureError: G266, there is no header or no compiler, or they do not fit.
    """
    source = files("gate.vm") / "guest"
    text = (source / f"{part}.c").read_bytes()
    header = _header() if part == "count" else None
    known = hashlib.sha256(text + (header.read_bytes() if header else b"")).hexdigest()[:16]
    kept = kept_directory() / f"{part}-{known}"
    if kept.is_file():
        return kept
    with scratch_directory("build", kept_directory()) as directory:
        place = Path(directory)
        (place / f"{part}.c").write_bytes(text)
        if header:
            (place / _OWN).write_bytes(header.read_bytes())
            (place / "glib.h").write_bytes((source / "glib.h").read_bytes())
            flags = ["-shared", "-fPIC", "-fvisibility=hidden", f"-I{place}"]
        else:
            flags = ["-static"]
        _compile(["-O2", *flags, "-o", str(place / "made"), str(place / f"{part}.c")])
        (place / "made").replace(kept)
    return kept


def _header() -> Path:
    named = os.environ.get(HEADER, "")
    places = [Path(named)] if named else [*map(Path, _HEADERS), kept_directory() / _OWN]
    for place in places:
        if place.is_file():
            return place
    told = f"{named} is no file" if named else "QEMU's header for plugins is not here"
    raise MeasureError(CODE, f"{told}.", cure=_CURE)


def kept_directory() -> Path:
    """What is built is kept for the user, as other programs keep theirs (XDG)."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    place = (Path(base) if base.startswith("/") else Path.home() / ".cache") / "driftgate"
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"nothing can be kept in {place}: {error.strerror}."
        raise MeasureError(CODE, message, cure="Name another place in XDG_CACHE_HOME.") from error
    return place


def _compile(words: list[str]) -> None:
    try:
        answer = subprocess.run(
            ("cc", *words), capture_output=True, text=True, check=False, timeout=120
        )
    except FileNotFoundError:
        message = "there is no C compiler, and a small program of ours must be built once."
        raise MeasureError(CODE, message, cure="apt install gcc libc6-dev.") from None
    if answer.returncode != 0:
        said = next((line for line in answer.stderr.splitlines() if "error" in line), "")
        message = f"our plugin for QEMU cannot be built: {said[:200]}."
        raise MeasureError(CODE, message, cure=_CURE)
