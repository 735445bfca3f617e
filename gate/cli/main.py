"""The command line's outermost ring: lazy commands, and errors to text and status.

Groups of commands that import a command's module only when it runs, so that --help is quick.
"""

from __future__ import annotations

import difflib
import errno
import importlib
import json
import os
import sys
from contextlib import suppress
from keyword import iskeyword
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from gate import __version__
from gate.errors import GateError, InputError, MeasureError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class LazyGroup(click.Group):
    """Commands by name, in the order of the work, each in a module with a `command`."""

    def __init__(self, *args: Any, about: Mapping[str, str], package: str, **kwargs: Any) -> None:
        """`about` says a line of each command, which is a module of the package."""
        super().__init__(*args, **kwargs)
        self._about, self._package = about, package

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of the work."""
        del ctx
        return list(self._about)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, imported."""
        del ctx
        if cmd_name not in self._about:
            return None
        name = cmd_name.replace("-", "_") + ("_" if iskeyword(cmd_name) else "")
        module = importlib.import_module(f"{self._package}.{name}")
        return cast("click.Command", module.command)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command meant, or an error with the name that was probably meant."""
        name = args[0]
        if name in self._about or name.startswith("-"):
            return super().resolve_command(ctx, args)
        close = difflib.get_close_matches(name, self._about, n=1)
        hint = f" Did you mean '{close[0]}'?" if close else ""
        message = f"No such command {name[:80]!r}.{hint}"
        raise click.UsageError(message, ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(self._about.items()))


_COMMANDS = {
    "check": "Measure, judge against the baseline and report: the main job.",
    "compare": "Compare two commands or two trees, without a profile or a baseline.",
    "run": "Measure profiles and write sessions.",
    "boot": "Run a command on a side's kernel, in a machine that is thrown away.",
    "bisect-run": "Check one commit for `git bisect run`.",
    "plan": "Spread the profiles over the machines of one host class.",
    "judge": "Judge sessions against baselines, from files.",
    "report": "Render a report.json as text or HTML.",
    "import": "Turn fio, hyperfine or pytest-benchmark JSON into a session.",
    "baseline": "Accept, show and compare baselines.",
    "publish": "Publish on GitHub: summary, annotations, comment, check; accept a new baseline.",
    "power": "Show which losses can be detected, from a baseline's noise.",
    "host": "Show what this machine is.",
    "calibrate": "Find out how often the gate is right, where the truth is known.",
    "explain": "Explain a code that a finding or an error carries.",
    "schema": "Print the JSON Schema of a file format.",
    "build-kernel": "Build both sides of a kernel patch alike, for booting.",
    "init": "Write a working layout into a repository.",
    "demo": "See the gate stay open and close, measured on this machine.",
}
_HELP = getattr(click.exceptions, "NoArgsIsHelpError", ())
"""Help in place of an error, as click does from 8.2 on."""
_INTERNAL = 1
_USAGE = 2

EPILOG = """\b
Examples:
  gate demo                         see it work on this machine
  gate check                        measure and judge every profile
  gate check smoke-fio --json       one profile, report.json on stdout
  gate baseline accept S.json --reason "new allocator"
  gate explain G060                 what a code means

\b
Exit status: 0 open, 2 usage, 3 nothing compared, 4 a measurement failed,
5 cannot judge, 6 publishing failed, 10 regression proven, 130 and 143 interrupted.
"""


@click.group(
    cls=LazyGroup,
    about=_COMMANDS,
    package="gate.cli",
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
)
@click.version_option(__version__, prog_name="gate")
def gate() -> None:
    """Close a pull request only when it is really slower, or really costs more CPU.

    driftgate runs fio, hyperfine and pytest-benchmark on a machine that it knows, compares the
    result with baselines stored in the repository, and says open or closed.
    """
    try:
        Path.cwd()
    except OSError as error:
        raise InputError(
            "G201",
            f"the working directory cannot be used: {error.strerror}.",
            cure="Change to one that exists.",
        ) from error


def run(arguments: Sequence[str]) -> int:
    """Run one command; the exit status is the answer, and never 0 by accident."""
    status = _run(arguments)
    return status if _flushed() else status or _INTERNAL


def _run(arguments: Sequence[str]) -> int:
    try:
        status = gate.main(
            args=list(arguments), prog_name="gate", standalone_mode=False, obj=tuple(arguments)
        )
    except click.ClickException as error:
        if isinstance(error, _HELP):
            error.show()
            return _USAGE
        _print_error("G200", _usage(error), _USAGE, arguments)
        return _USAGE
    except (click.Abort, KeyboardInterrupt):
        _print_line("interrupted")
        return 130
    except GateError as error:
        _print_error(error.code, error, error.status, arguments)
        return error.status
    except (BrokenPipeError, SystemExit):
        # Whoever read our output has gone, at which click exits; it was not "open".
        return _INTERNAL
    except Exception as error:
        if os.environ.get("GATE_TRACEBACK"):
            raise
        if lacking := _lacking(error):
            _print_error("G287", lacking, MeasureError.status, arguments)
            return MeasureError.status
        _print_error("G299", _internal(error), _INTERNAL, arguments)
        return _INTERNAL
    return status if isinstance(status, int) else 0


def _flushed() -> bool:
    """Whether all that was printed for others has left.

    What a stream cannot take goes nowhere: Python would try again at the very end, and make an
    exit status of its own of it.
    """
    left = True
    for stream in filter(None, (sys.stdout, sys.stderr)):
        try:
            stream.flush()
        except OSError:
            left = left and stream is sys.stderr
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, stream.fileno())
            os.close(null)
    return left


def _print_line(text: str) -> None:
    """One line on stderr; the status stands where nobody can read it."""
    with suppress(OSError):
        click.echo(text, err=True)


def _usage(error: click.ClickException) -> str:
    """What click says, in one paragraph with the place to look for more."""
    what = error.format_message().strip()
    context = error.ctx if isinstance(error, click.UsageError) else None
    path = context.command_path if context else "gate"
    return f"{path}: {what}{'' if what.endswith(('.', '?', ')')) else '.'} See `{path} --help`."


def _lacking(error: Exception) -> str:
    """What the machine did not give us, if that is what an error says."""
    number = error.errno if isinstance(error, OSError) else None
    if number in {errno.EMFILE, errno.ENFILE}:
        return f"too many open files: {_where(error)}. Raise the limit: ulimit -n 1024."
    if number in {errno.ENOMEM, errno.EAGAIN} or isinstance(error, MemoryError):
        what = "too many processes, or " if number == errno.EAGAIN else ""
        return f"{what}too little memory: {_where(error)}. End what needs it, or raise the limits."
    if number in {errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EINTR}:
        full = number in {errno.ENOSPC, errno.EDQUOT}
        why = "no space left" if full else f"the system failed ({os.strerror(number or 0)})"
        return f"{why}: {_where(error)}. See which file system it is with df, and the kernel's log."
    return ""


def _internal(error: Exception) -> str:
    return (
        f"internal error at {_where(error)}: {type(error).__name__}: {str(error)[:300]}. "
        "Please report it; GATE_TRACEBACK=1 shows more."
    )


def _where(error: Exception) -> str:
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    return f"{last.tb_frame.f_code.co_filename}:{last.tb_lineno}" if last else "unknown place"


def _print_error(code: str, error: Exception | str, status: int, arguments: Sequence[str]) -> None:
    """The error as one paragraph on stderr and, for machines that asked, as JSON on stdout."""
    from gate.text import one_line  # noqa: PLC0415 - most commands print no error

    text = "".join(c if c.isprintable() else " " for c in str(error)).replace("##[", "## [")
    _print_line(one_line(f"error[{code}]: {text}"))
    if "--json" in arguments:
        answer = {
            "schema": 1,
            "gate": "closed",
            "verdict": "error",
            "exit_status": status,
            "error": {"code": code, "message": text},
        }
        shown = json.dumps(answer, indent=1, ensure_ascii=False)
        with suppress(OSError):  # the same to a parser, inert to a runner
            click.echo(shown.replace("##[", "##\\u005b"))
