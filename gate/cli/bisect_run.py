"""`gate bisect-run`: one step of `git bisect run`."""

from __future__ import annotations

import re
import signal
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from gate import vcs
from gate.errors import GateError, InputError, Interrupted
from gate.model import Role, Verdict
from gate.text import one_line
from gate.units import percent

EPILOG = """\b
Examples, from the top of the repository:
  git bisect start BAD GOOD
  git bisect run gate bisect-run build --benchmark build --base ../good --head .
  git bisect run gate bisect-run --out /var/tmp/steps build -- --pairs 60
  gate bisect-run build                      try one step by hand
  git bisect reset

\b
Exit status: 0 the gate was open, 1 a regression was proven, 125 this commit
cannot tell (nothing compared, a measurement failed, cannot judge, or it passed
only at a raised tolerance) and git skips it; 128 and above end the bisection:
usage, an interruption, the gate failed.
"""
_SKIPPED = 125
_ENDS = 128
"""From here on git does not go on; 126 and 127 mean to it that there was no such program."""
_MEANT = {0: (0, "good"), 10: (1, "bad"), 3: (_SKIPPED, "skipped"), 4: (_SKIPPED, "skipped")}
_MEANT[5] = _MEANT[3]
_HELP = re.compile(r"--help|-h.*", re.DOTALL)
_OWN_WORK = "reports/work"
"""Where the work directory of a check stands by default: on the disk that baselines are of."""


class _Ending(GateError):
    """An error that ends the bisection: git would take any smaller status for a bad commit."""

    status = _ENDS + InputError.status


class _EndsOnError(click.Command):
    """A command whose own errors are never taken for a verdict on a commit."""

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **more: Any,
    ) -> click.Context:
        """Parse the words."""
        if args != ["--help"] and any(map(_HELP.fullmatch, args)):
            # Help ends well, and would be taken for a good commit.
            cure = "Ask for it with `gate check --help`."
            raise _Ending("G200", "help is no check.", cure=cure)
        try:
            return super().make_context(info_name, args, parent, **more)
        except click.UsageError as error:
            cure = "See `gate bisect-run --help`."
            raise _Ending("G200", error.format_message(), cure=cure) from error

    def invoke(self, ctx: click.Context) -> Any:
        """Run the step, or end the bisection where there is none to be made."""
        try:
            return super().invoke(ctx)
        except GateError as error:
            raise _Ending(error.code, error.message, cure=error.cure, place=error.place) from error
        except KeyboardInterrupt:
            raise Interrupted(signal.SIGINT, "interrupted.") from None
        except Exception as error:
            said = f"internal error: {type(error).__name__}: {str(error)[:300]}."
            raise _Ending("G299", said) from error


@click.command(
    cls=_EndsOnError,
    epilog=EPILOG,
    context_settings={"ignore_unknown_options": True, "help_option_names": ["--help"]},
)
@click.argument("check", metavar="[--] CHECK ARGUMENTS...", nargs=-1, type=click.UNPROCESSED)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Keep a directory for each step in this one; by default in the temporary directory.",
)
def command(check: tuple[str, ...], out: Path | None) -> int:
    """Run `gate check` with these arguments and answer as `git bisect run` wants it.

    Sessions and reports of each step stay outside of the tree, which git is about to change; the
    last line says where. Give `--base` a checkout of a good commit that stays, and profiles and
    baselines from there too if the tree's own change on the way.
    """
    if "--restart" in check:
        cure = "Check the commits' kernels one by one: gate check --restart."
        raise InputError("G200", "git bisects within one start of the machine.", cure=cure)
    from gate.cli.main import run  # noqa: PLC0415 - which imports this module when it is asked for

    commit = vcs.commit_of(Path(_value(check, "--head") or "."), "HEAD") or "no commit"
    place = _fresh(out, commit[:12])
    work = () if _value(check, "--work") else ("--work", _OWN_WORK)
    status = run(["check", "--no-why", *work, "--out", str(place / "check"), *check])
    answer, word = _MEANT.get(status, (status if status >= _ENDS else _ENDS + status, "stop"))
    if status == 0 and (noise := _too_noisy(place / "check" / "report.json")):
        answer, word = _SKIPPED, f"skipped, as {noise}"
    ending = f"gate check ended with {status}: {word} ({answer} to git); {commit[:12]}, {place}"
    with suppress(OSError):  # the answer stands where nobody reads this
        click.echo(one_line(f"bisect-run: {ending}"), err=True)
    return answer


def _too_noisy(path: Path) -> str:
    """Why a step that passed is not known to be good; empty where it is.

    A tolerance that was raised to what the noise can support lets a pull request through with a
    warning. To git it would call a commit good whose loss nobody excluded, and another one bad.
    """
    from gate.formats.session.session_file import read_report  # noqa: PLC0415 - after measuring

    for one in read_report(path).findings:
        asked, used = one.tolerance, one.tolerance_used or 0.0
        passed = one.role is Role.GATE and one.verdict is Verdict.PASSED
        if not passed or asked is None or used <= asked:
            continue
        if one.loss_high is None or one.loss_high > asked:
            at, wanted = percent(used, signed=False), percent(asked, signed=False)
            return f"{one.benchmark} {one.metric} passed at {at}, too noisy for {wanted}"
    return ""


def _value(words: tuple[str, ...], option: str) -> str:
    """The value that the words give an option; empty where they do not."""
    for word, following in zip(words, (*words[1:], ""), strict=True):
        if word == option or word.startswith(f"{option}="):
            return following if word == option else word.partition("=")[2]
    return ""


def _fresh(out: Path | None, commit: str) -> Path:
    """A directory of this step alone."""
    try:
        if out is not None:
            out.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix=f"gate-bisect-{commit.replace(' ', '-')}-", dir=out))
    except OSError as error:
        why = f"the directory of this step cannot be made: {error.strerror}."
        place, cure = str(out or tempfile.gettempdir()), "Name another with --out DIR."
        raise InputError("G208", why, cure=cure, place=place) from error
