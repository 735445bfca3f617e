"""`gate` and `python -m gate`."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and leave with its exit status."""
    from gate.cli.main import run  # noqa: PLC0415 - keeps `import gate` free

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
