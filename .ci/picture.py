"""A picture of a report's first screen: picture.py REPORT.html PICTURE.png."""

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parent.parent)  # in place of .ci, which has a tests.py

from tests.report.browser import chromium  # noqa: E402 - see above

report, picture = (Path(argument).resolve() for argument in sys.argv[1:3])
with chromium() as browser:
    page = browser.new_page(viewport={"width": 1280, "height": 860}, color_scheme="light")
    page.goto(report.as_uri())
    page.screenshot(path=picture)
