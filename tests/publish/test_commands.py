"""Commands and outputs for the runner: nothing in a value can end them or begin another."""

from gate.publish.github.runner_commands import guard_lines, output_lines
from gate.text import command_line


def test_a_value_cannot_end_its_own_output():
    """Each value is one line between marks; the mark is new every time."""
    text = output_lines({"a": "1\nend_0\nb=2", "c": "d"}, mark=iter("01").__next__)
    assert text == "a<<end_0\n1 end_0 b=2\nend_0\nc<<end_1\nd\nend_1\n"
    assert output_lines({"a": "1"}) != output_lines({"a": "1"})


def test_commands_are_escaped_as_github_documents_it():
    line = command_line("error", "50 %\r\na:b,c", title="a:b,c%\n")
    assert line == "::error title=a%3Ab%2Cc%25%0A::50 %25%0D%0Aa:b,c"


def test_guarded_text_has_no_command_on_any_line():
    text = guard_lines("a\r::error::b\n \t::warning::c\n\u00a0::x::\n##[error]d")
    assert not any(line.lstrip().startswith("::") or "##[" in line for line in text.splitlines())
