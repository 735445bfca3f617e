"""Names and sentences that a stranger would put into a session."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Any, cast

from gate.model import Better, Evidence, Verdict
from gate.model.report_rows import (
    Accepted,
    Alike,
    Bill,
    Difference,
    Latency,
    Level,
    Origin,
    Quantile,
    SetAside,
    Share,
    Sweep,
    SweepPoint,
    TextChange,
)
from gate.model.session import Side, Stage

if TYPE_CHECKING:
    from gate.model import Report

SHA = "4d7c2e9a1b3f5d7c9e0a2b4c6d8e0f1a3b5c7d9e"

HOSTILE = (
    "<script>alert(1)</script>",
    "<!-- driftgate:gate --> --> <!--",
    "<details><summary>x</summary>",
    "</details></summary></td></table>",
    "<img src=http://example.com/a.png onerror=alert(1)>",
    "![x](http://example.com/a.png)",
    "[click](http://example.com) [a][b] [b]: http://example.com",
    "[click](javascript:alert(1))",
    "http://example.com https://example.com/a?b=c#d ftp://example.com",
    "www.example.com example.com a.b@example.com mailto:a@example.com xmpp:a@example.com",
    "<http://example.com> <a@example.com>",
    "@octocat (@octocat) x@octocat @org/team, @octocat's \\@octocat &#64;octocat",
    "#123 (#123) GH-123 gh-1, acme/tool#1 acme/tool@" + SHA + " JIRA-77",
    '!123 ~bug %"v 1" %12 &4 $17 ^alert#1 *iteration:1 [vulnerability:1]',
    f"{SHA} {SHA[:7]} ({SHA[:8]}) {SHA[:7]}..{SHA[7:14]} {SHA.upper()}",
    ":smile: :+1: a:tada:b ::include{file=x} :::note",
    "*a* **b** ***c*** _d_ __e__ ~~f~~ ~g~ ==h== ++i++ snake_case_word _x_y_",
    "a | b || c \\| d | --- | :-: |",
    "|---|---|",
    "``` x ``` `` ` `a` ```` b",
    "`",
    "``",
    "`a` `b",
    "x`@octocat`y `@octocat` (`#1`), `a|b`",
    "```sh",
    "~~~",
    "$x$ $$y$$ $`z`$ \\(a\\) \\[b\\] ${HOME}",
    "[^1] [^1]: note",
    "# heading",
    "## @octocat",
    "- [ ] task [x] done",
    "- a",
    "+ a",
    "1. a",
    "1) a",
    "---",
    "===",
    "> quote",
    ">>> quote",
    "    indented",
    "/close",
    "/assign @octocat",
    "\\",
    "a\\",
    "&lt;b&gt; &amp; &copy; &#35;1 &#x40;octocat",
    "abc\u202egpj.exe \u2066x\u2069",
    "zero\u200bwidth\ufeff @\u200boctocat",
    "\x1b[31mred\x1b[0m \x1b]8;;http://example.com\x07link\x1b]8;;\x07",
    "nul\x00 bell\x07",
    "a\nb\r\n\r\n# c\n\n<b>d</b>\n|e|f|",
    "::error::x\n::set-output name=a::b",
    "##[error]x",
    "]]> <![CDATA[ <?xml ?> &xxe;",
    "N" * 5000,
    "`" * 5000,
    "|" * 5000,
    "@a " * 2000,
    "",
    " ",
    "\u200b",
)

LAID_OUT = {
    "html": "<b>bold</b><script>alert(1)</script><style>*{display:none}</style>",
    "attribute": "\" onmouseover=alert(1) style='position:fixed' x='</svg></title>",
    "long": "N" * 10_000,
    "long words": "benchmark-" * 1000,
    "wide": "計測" * 400,
    "bidi": "abc\u202egpj.exe \u2066שלום עולם\u2069 مرحبا",
    "emoji": "👩‍👩‍👧‍👦🏳️‍🌈🔥" * 12,
    "newlines": "first\nsecond\r\n\n\tthird",
    "marks": "Z\u0334\u0310\u0311\u0348a\u0334\u0310\u0311l\u0334g\u0348o " * 9,
}
"""Names that try to break a layout."""
_OURS = {
    "Report": {"gate", "verdict", "created"},
    "Finding": {"code", "method", "unit"},
    "Sweep": {"unit"},
    "Origin": {"files"},
}
"""What the gate itself writes, by kind."""


def in_their_words(report: Report, text: str) -> Report:
    """The report with every string that came with a session replaced by that text."""
    return cast("Report", _replaced(report, text))


def _replaced(value: Any, text: str) -> Any:
    if isinstance(value, Enum):
        return value
    if isinstance(value, str):
        return text if value else value
    if isinstance(value, tuple):
        return tuple(_replaced(one, text) for one in value)
    if isinstance(value, dict):
        return {f"{text}{n}": _replaced(one, text) for n, one in enumerate(value.values())}
    if is_dataclass(value) and not isinstance(value, type):
        kept = _OURS.get(type(value).__name__, set())
        return replace(
            value,
            **{
                one.name: _replaced(getattr(value, one.name), text)
                for one in fields(value)
                if one.name not in kept
            },
        )
    return value


def evidence_of(text: str) -> Evidence:
    """A history whose sessions are named so."""
    return Evidence(
        baseline=((1.0, 1.1),),
        baseline_sessions=(text,),
        head=(1.2,),
        earlier=(Level(session=text, epoch=1, value=0.9),),
        epoch=2,
    )


def around(text: str) -> dict[str, object]:
    """Everything that stands beside findings, with this text wherever there is one."""
    shares = (Share(name=text, base=1e-6, head=2e-6),)
    bill = Bill(
        profile=text, benchmark=text, word=text, trials_base=3, trials_head=3, base=1e-6,
        head=2e-6, owners=shares, contexts=shares,
    )  # fmt: skip
    points = (Quantile(percentile=99.0, base=1e-6, head=2e-6, beyond=40.0),)
    latency = Latency(
        profile=text, benchmark=text, kind=text, trials_base=3, trials_head=3, points=points
    )
    point = SweepPoint(place=text, benchmark=text, base=1.0, head=2.0, verdict=Verdict.REGRESSED)
    sweep = Sweep(
        profile=text, group=text, parameter=text, metric=text, unit=text, better=Better.LOWER,
        points=(point,) * 3, told=text,
    )  # fmt: skip
    return {
        "accepted": (
            Accepted(
                profile=text, session=text, started=text, commit=text, accepted=text, by=text,
                reason=text, moved=(text,),
            ),
        ),
        "bills": (bill,),
        "latencies": (latency,),
        "sweeps": (sweep,),
        "differences": (
            Difference(
                area=text, key=text, base=text, head=text, against=text, profiles=(text,) * 5
            ),
        ),
        "alike": (Alike(area=text, count=3),),
        "changes": (TextChange(name=text, lines=(f"+{text}", text, f"-{text}"), more=3),),
        "aside": (
            SetAside(
                profile=text, benchmark=text, side=Side.HEAD, stage=Stage.SCREEN, sequence=1,
                kind=text, why=text,
            ),
        ),
        "origin": Origin(
            base_commit=text, head_commit=text, files=text, profiles=text, options=(text,)
        ),
    }  # fmt: skip
