"""What actions/upload-artifact does, into a directory: STANDIN_ARTIFACTS/RUN/NAME/FILE.

A new artifact appears by one rename, so that a server that looks there meanwhile sees all or none.
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path


def found(patterns: str) -> list[tuple[Path, Path]]:
    """Files, each with its name in the artifact: below their least common directory."""
    files: dict[Path, None] = {}
    roots: list[Path] = []
    for pattern in filter(None, map(str.strip, patterns.splitlines())):
        path = Path(pattern).absolute()
        matches = [path] if path.exists() else list(Path("/").glob(str(path).lstrip("/")))
        for one in matches:
            below = [p for p in sorted(one.rglob("*")) if p.is_file()] if one.is_dir() else [one]
            files.update(dict.fromkeys(below))
            roots.append(one if one.is_dir() else one.parent)
    if not files:
        return []
    root = Path(os.path.commonpath(roots))
    return [(one, one.relative_to(root)) for one in files]


def main() -> None:
    files = found(os.environ["FILES"])
    if not files:
        text = f"No files were found with the provided path: {os.environ['FILES']}."
        if os.environ["NONE"] == "error":
            sys.exit(f"::error::{text}")
        sys.stdout.write(f"::{os.environ['NONE'].replace('warn', 'warning')}::{text}\n")
        return
    archive = os.environ["ARCHIVE"] == "true"
    if not archive and len(files) != 1:
        sys.exit("::error::archive: false takes one file")
    name = os.environ["NAME"] if archive else files[0][0].name
    run = os.environ["GITHUB_RUN_ID"]
    place = Path(os.environ["STANDIN_ARTIFACTS"], run, name)
    if place.exists():
        if os.environ["OVERWRITE"] != "true":
            sys.exit(f"::error::Conflict: an artifact with this name already exists: {name}")
        shutil.rmtree(place)
    number = 1 + sum(1 for _ in Path(os.environ["STANDIN_ARTIFACTS"]).glob("*/*"))
    place.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(dir=os.environ["STANDIN_ARTIFACTS"], prefix=".new-"))
    for source, target in files:
        (fresh / target).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, fresh / target)
    fresh.rename(place)
    url = f"{os.environ['GITHUB_SERVER_URL']}/{os.environ['GITHUB_REPOSITORY']}/actions/runs/{run}/artifacts/{number}"
    with Path(os.environ["GITHUB_OUTPUT"]).open("a", encoding="utf-8") as stream:
        stream.write(f"artifact-id={number}\nartifact-url={url}\n")
    sys.stdout.write(f"Artifact {name} has been successfully uploaded\n")


main()
