"""`gate` and `python -m gate`."""

from __future__ import annotations

import gc
import signal
import sys

_LASTING = 20_000
"""Objects made before the collector looks: what imports make stays, and is most of a command's."""


def main() -> None:
    """Run the command line and leave with its exit status."""
    gc.set_threshold(_LASTING)
    try:
        from gate.cli.main import run  # noqa: PLC0415 - keeps `import gate` free

        status = run(sys.argv[1:])
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the work is done
    except KeyboardInterrupt:  # while importing, or while an error was being told
        sys.stderr.write("interrupted\n")
        status = 130
    sys.exit(status)


if __name__ == "__main__":
    main()
