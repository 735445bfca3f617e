"""What a command answers reaches a terminal, a parser and a CI runner as it should."""

from __future__ import annotations

import json

import pytest

from gate.cli.answer import print_answer

HOSTILE = "::error::a\x1b[2J\u202e##[group]"


def test_lines_are_no_commands_and_move_no_cursor(capsys):
    """Without --json the lines are printed, one each, and nothing in them acts."""
    print_answer([HOSTILE, "", "plain"], json_=False, name=HOSTILE)
    assert capsys.readouterr().out == ".:error::a [2J ## [group]\n\nplain\n"


def test_json_is_the_same_to_a_parser_and_inert_to_a_runner(capsys):
    """With --json one value is printed, in ASCII, whatever strings it holds."""
    print_answer([HOSTILE], json_=True, name=HOSTILE, sum=1.5)
    shown = capsys.readouterr().out
    assert shown.isascii()
    assert "##[" not in shown
    assert "\x1b" not in shown
    assert json.loads(shown) == {"schema": 1, "name": HOSTILE, "sum": 1.5}


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_what_is_no_number_is_never_printed_as_json(number):
    """A figure that JSON has no word for is an error, and no word of its own."""
    with pytest.raises(ValueError, match="JSON compliant"):
        print_answer([], json_=True, figure=number)
