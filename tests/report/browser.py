"""A real headless Chromium, fed with files, that records all it was asked to load or say."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import Browser, Page, sync_playwright

from gate.report.html.html import render_html
from tests.report.looks import FOLDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.model import Report

_PLACES = f"{Path(__file__).resolve().parents[2] / '.tools'}{os.pathsep}{os.environ['PATH']}"
CHROMIUM = shutil.which("chromium", path=_PLACES) or shutil.which("chromium-browser")
"""Set-up lays one into .tools where the distribution's own package runs nothing."""
ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
HEIGHTS = {360: 740, 768: 1024, 1280: 800, 1920: 1080}
"""Of a window by its width."""


@contextmanager
def chromium() -> Iterator[Browser]:
    """The browser; a test that needs it fails where it is missing, it is never skipped."""
    if CHROMIUM is None:
        message = "Chromium is missing: run `.ci/setup.sh tests`, which installs it"
        raise AssertionError(message)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        yield browser
        browser.close()


class Seen:
    """What a page requested and what it said on its console."""

    def __init__(self, page: Page) -> None:
        self.requests: list[str] = []
        self.messages: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", lambda message: self.messages.append(message.text))
        page.on("pageerror", lambda error: self.messages.append(str(error)))
        page.on("dialog", lambda dialog: self.messages.append(f"dialog: {dialog.message}"))


class Shelf:
    """Reports as files and as open pages, each rendered and opened once."""

    def __init__(self, browser: Browser, directory: Path, *, javascript: bool = True) -> None:
        self.browser = browser
        self._directory = directory
        self._context = browser.new_context(
            java_script_enabled=javascript,
            reduced_motion="reduce",  # a jump is there at once
        )
        self._pages: dict[str, tuple[Page, Seen]] = {}

    def open(self, name: str, report: Report | None = None) -> tuple[Page, Seen]:
        """The page of that name; `report` is needed the first time."""
        if name not in self._pages:
            if report is None:
                raise KeyError(name)
            path = self._directory / f"{name}.html"
            path.write_text(render_html(report), encoding="utf-8")
            page = self._context.new_page()
            seen = Seen(page)
            page.goto(path.as_uri())
            self._pages[name] = page, seen
        return self._pages[name]

    def close(self) -> None:
        """Close every page."""
        self._context.close()


def look(page: Page, width: int, scheme: str = "light", *, unfold: bool | None = None) -> None:
    """Show a page in a window of that width; `scheme` is light, dark or print.

    `unfold` opens every fold, or closes them; as they stand without it.
    """
    page.set_viewport_size({"width": width, "height": HEIGHTS[width]})
    paper = scheme == "print"
    page.emulate_media(
        media="print" if paper else "screen", color_scheme="light" if paper else scheme
    )
    if unfold is not None:
        page.evaluate(FOLDS, unfold)
    page.evaluate("scrollTo(0, 0)")
