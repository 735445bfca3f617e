"""Runs every test: first those that bear company, beside each other, then the others alone.

    tests.py [PYTEST ARGUMENT...]

Tests that measure, watch the machine or send signals want it for themselves. A folder that is named
in no group is run alone, so none is ever left out.
"""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

TESTS = Path("tests")
BESIDE = (
    ("docs", "judge", "model", "power", "published", "stats"),
    ("bad_input", "hostile", "publish", "report", "trust", "workflows"),
    ("github", "kernel"),
)
"""Folders whose tests hold on a busy machine; each group about as long as the other."""
NO_TESTS = 5
"""Exit status of pytest where a selection leaves nothing."""


def main(arguments: list[str]) -> int:
    """Run all groups, also after a failure; 0 only if every one of them passed."""
    found = sorted({path.relative_to(TESTS).parts[0] for path in TESTS.rglob("test_*.py")})
    named = {name for group in BESIDE for name in group}
    alone = [name for name in found if name not in named]
    together = [start(group, arguments) for group in BESIDE]
    statuses = [one.wait() for one in together]
    statuses.append(start(alone, arguments).wait())
    # A selection may leave nothing of a group; a group that is empty by itself is a mistake.
    bad = [one for one in statuses if one and not (arguments and one == NO_TESTS)]
    if not bad and all(statuses):
        return NO_TESTS
    return abs(bad[0]) if bad else 0


def start(names: Sequence[str], arguments: list[str]) -> subprocess.Popen[bytes]:
    """One pytest of its own."""
    paths = [str(TESTS / name) for name in names]
    return subprocess.Popen([sys.executable, "-m", "pytest", *paths, *arguments])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
