"""A picture of a report's first screen: picture.py REPORT.html PICTURE.png."""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]

report, picture = (Path(argument).resolve() for argument in sys.argv[1:3])
chromium = shutil.which("chromium") or shutil.which("chromium-browser")
if chromium is None:
    sys.exit("picture: chromium is missing; run .ci/setup.sh tests")
with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
    page = browser.new_page(viewport={"width": 1280, "height": 860}, color_scheme="light")
    page.goto(report.as_uri())
    page.screenshot(path=picture)
    browser.close()
