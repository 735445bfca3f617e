"""The words of the report come from one page, `docs/glossary.md`, whole and in order."""

from pathlib import Path

from markupsafe import escape

from gate.model import Verdict
from gate.report.html.html import glossary, render_html
from tests.report.sample import sample_report

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "glossary.md").read_text(encoding="utf-8")


def test_nothing_of_the_page_is_lost():
    """Put together again, headings, words and meanings are the whole text of the page."""
    parts = [PAGE.partition("\n")[0]]
    for heading, words in glossary().items():
        parts += [f"## {heading}", *(f"- **{word}**: {text}" for word, text in words.items())]
    assert " ".join(parts).split() == PAGE.split()


def test_every_verdict_is_explained_worst_first():
    """The page has each verdict of the model once, and says whether it closes the gate."""
    words = glossary()["Verdicts, worst first"]
    assert list(words) == [verdict.value for verdict in reversed(Verdict)]
    for verdict in Verdict:
        says = "Leaves the gate open" if verdict.opens else "Closes the gate"
        assert says in words[verdict.value]


def test_the_report_shows_every_word():
    """Each heading, word and meaning stands in the HTML report."""
    html = render_html(sample_report()).replace("\u00a0", " ")
    assert len(glossary()) == 2
    for heading, words in glossary().items():
        assert f"<h3>{heading}</h3>" in html
        for word, meaning in words.items():
            assert f"<dt>{word}</dt><dd>{escape(meaning)}</dd>" in html
