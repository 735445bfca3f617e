"""A gain that nobody believes yet, in every rendering: closed, by its word, with how to accept it."""

from xml.etree.ElementTree import fromstring

from gate.model import Verdict
from gate.report.html.html import render_html
from gate.report.junit import render_junit
from gate.report.markdown.markdown import render_summary
from gate.report.text.text import render_text
from gate.report.wording.links import Links
from tests.report.build import finding
from tests.report.sample import sample_report

DOUBTED = finding(
    "fast", verdict=Verdict.SUSPICIOUS, code="G046", loss=-0.82, headline="82 % better: how?"
)
REPORT = sample_report(
    findings=(DOUBTED,),
    verdict="suspicious",
    exit_status=5,
    headline="gate closed: 1 suspicious",
)


def test_every_rendering_closes_by_it():
    """Text, page and Markdown have the word, the reason and the command that accepts the level."""
    for shown in (render_text(REPORT), render_html(REPORT), render_summary(REPORT, Links())):
        for words in ("suspicious", "better: how?", "gate baseline accept"):
            assert words in shown


def test_to_junit_it_is_an_error():
    """No reader of the file takes it for green."""
    (case,) = fromstring(render_junit(REPORT)).iter("testcase")
    (error,) = case.iter("error")
    assert error.get("type") == "suspicious"
