"""Pictures of every golden report, to be looked at one by one: pictures.py DIRECTORY [SCENE ...].

For each scene, width and scheme: the first screen, then the page from its top, slice by slice.
"""

import sys
from itertools import product
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parent.parent)  # in place of .ci: `tests` is there

from tests.report.browser import HEIGHTS, Shelf, chromium, look  # noqa: E402 - see above
from tests.report.scenes import SCENES  # noqa: E402 - likewise

SLICE, MOST = 1500, 8
"""Pixels of a picture's height, and pictures of one page."""
SCHEMES = ("light", "dark", "print")

out = Path(sys.argv[1])
out.mkdir(parents=True, exist_ok=True)
with chromium() as browser:
    shelf = Shelf(browser, out)
    for name in sys.argv[2:] or SCENES:
        page, _ = shelf.open(name, SCENES[name]())
        for width, scheme in product(HEIGHTS, SCHEMES):
            stem = f"{name}-{width}-{scheme}"
            look(page, width, scheme)
            page.screenshot(path=out / f"{stem}-first.png")
            height = page.evaluate("document.documentElement.scrollHeight")
            for number, top in enumerate(range(0, min(height, SLICE * MOST), SLICE)):
                clip = {"x": 0, "y": top, "width": width, "height": min(SLICE, height - top)}
                page.screenshot(path=out / f"{stem}-{number}.png", full_page=True, clip=clip)
        print(name)
    shelf.close()
