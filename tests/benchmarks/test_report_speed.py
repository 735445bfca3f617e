"""The speed of large reports, as benchmarks; targets are stated, never asserted: machines are shared.

Run with `make bench`. Without it each runs once, to see that it still works, on a report of a tenth
of the size: what 10,000 findings take of memory and disk is tests/report's. Targets on a machine of two cores, for 10,000 findings with 20 trials each:
rendered in 10 s, also in the worst case (all regressed, long names, a history of 20 sessions),
first paint of the page after 2 s, an answer of the filter or of sorting after 200 ms.
"""

import pytest

from gate.report.html.downloads import downloads
from gate.report.html.html import render_html
from tests.report.large import MANY, usual, worst

PAINTED = """new Promise((done) => new PerformanceObserver((list) => {
  if (list.getEntriesByName("first-contentful-paint").length) done(true);
}).observe({ type: "paint", buffered: true }))"""
SEARCH = """(text) => new Promise((done) => {
  const box = document.querySelector(".filter input");
  box.value = text;
  box.dispatchEvent(new Event("input", { bubbles: true }));
  requestAnimationFrame(() => setTimeout(() => done(document.querySelector(".filter [role=status]").textContent)));
})"""
SORT = """(column) => new Promise((done) => {
  document.querySelectorAll(".findings .sorts button")[column].click();
  requestAnimationFrame(() => setTimeout(() => done(document.querySelector(".filter [role=status]").textContent)));
})"""
"""Both answer after the frame that shows the change was drawn."""
REPORTS = {"usual": usual, "worst": worst}


@pytest.fixture(scope="module")
def many(request):
    """How many findings the reports hold: 10,000 where their speed is measured."""
    return MANY if request.config.getoption("benchmark_enable") else MANY // 10


@pytest.mark.parametrize("name", REPORTS)
def test_rendering_ten_thousand_findings(benchmark, name, many):
    """The page of 10,000 findings, the files inside it included; target 10 s."""
    html = benchmark.pedantic(render_html, args=(REPORTS[name](many),), rounds=3)
    assert html.count("<tr class=v-") == many


@pytest.mark.parametrize("name", REPORTS)
def test_embedding_ten_thousand_findings(benchmark, name, many):
    """The files inside the page alone; a part of the rendering without a target of its own."""
    made = benchmark.pedantic(downloads, args=(REPORTS[name](many),), rounds=3)
    assert [one.name.partition(".")[0] for one in made] == ["report", "findings", "trials"]


@pytest.fixture(scope="module", params=REPORTS)
def path(request, tmp_path_factory, many):
    """A page of 10,000 findings."""
    file = tmp_path_factory.mktemp("speed") / "report.html"
    file.write_text(render_html(REPORTS[request.param](many)), encoding="utf-8")
    return file


def test_first_paint_of_ten_thousand_findings(benchmark, browser, path):
    """From the request to the first text on the screen; target 2 s."""

    context = browser.new_context(viewport={"width": 1280, "height": 900})

    def fresh():
        return (context.new_page(),), {}

    def painted(page):
        page.goto(path.as_uri(), wait_until="commit")
        return page.evaluate(PAINTED)

    assert benchmark.pedantic(painted, setup=fresh, rounds=5)
    context.close()


@pytest.fixture(scope="module")
def page(browser, path):
    """The page with its table in sight and both folds open."""
    with browser.new_page(viewport={"width": 1280, "height": 900}) as opened:
        opened.goto(path.as_uri())
        opened.evaluate("document.querySelector('.filter').scrollIntoView({ behavior: 'instant' })")
        yield opened


def test_filtering_ten_thousand_findings(benchmark, page, many):
    """From the input to the frame that shows the answer, each round another text; target 200 ms."""
    texts = iter(["b", "benchmark-0", "benchmark-0012", "none of them", "cpu", "1", ""] * 9)

    def settled():
        page.wait_for_timeout(500)
        return (SEARCH, next(texts)), {}

    benchmark.pedantic(page.evaluate, setup=settled, rounds=21)
    assert str(many) in page.evaluate(SEARCH, "cpu")


def test_sorting_ten_thousand_findings(benchmark, page):
    """From the click to the frame that shows the new order; target 200 ms."""
    columns = iter([2, 2, 1, 1, 0, 3] * 9)

    def settled():
        page.wait_for_timeout(800)
        return (SORT, next(columns)), {}

    said = benchmark.pedantic(page.evaluate, setup=settled, rounds=12)
    assert "orted by" in said
