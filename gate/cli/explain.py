"""`gate explain`: the page of a code."""

from __future__ import annotations

import difflib
import textwrap
from dataclasses import asdict

import click

from gate.cli import options
from gate.cli.answer import print_json, print_lines
from gate.docs import PAGES
from gate.errors import InputError

EPILOG = """\b
Examples:
  gate explain G060
  gate explain          every code with its title
"""


@click.command(epilog=EPILOG)
@click.argument("code", required=False)
@options.as_json
def command(code: str | None, *, json_: bool) -> int:
    """Explain CODE: what it means and what to do about it; without CODE, list them all."""
    if code is None:
        titles = {name: page.title for name, page in sorted(PAGES.items())}
        if json_:
            print_json(titles)
        else:
            print_lines(f"{name}  {title}" for name, title in titles.items())
        return 0
    page = PAGES.get(code.upper())
    if page is None:
        close = difflib.get_close_matches(code.upper(), PAGES, n=1)
        hint = f'Did you mean "{close[0]}"?' if close else "`gate explain` lists them all."
        raise InputError("G200", f"there is no code {code[:40]}.", cure=hint)
    if json_:
        print_json({"code": code.upper()} | asdict(page))
        return 0
    click.echo(f"{code.upper()}  {page.title}")
    for heading, text in (("", page.meaning), ("Why: ", page.why), ("What to do: ", page.cure)):
        click.echo("\n" + textwrap.fill(heading + text, 80))
    click.echo("\nExample:\n" + textwrap.indent(page.example, "    "))
    return 0
