"""Renew the pictures of the page in docs/images from a run, with the Chromium of this machine.

python scripts/screenshots.py CHECKPOINT
python scripts/screenshots.py --plans CHECKPOINT     the plans of its joins; see changing_plans.py
python scripts/screenshots.py --ranks CHECKPOINT     ranks under overload; see overload.py
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

from slackwater.cli.page import page_beside

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
PARTS = {"--plans": ("joins", "page-plans"), "--ranks": ("ranks", "page-ranks")}
DRAWN = "html[data-points]:not([data-points='0']) .log li"


def take(browser: Browser, url: str, name: str, size: tuple[int, int], moment: int | None) -> None:
    """One picture; ``moment`` (0 to 1000) looks back into the run."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme="dark" if "dark" in name else "light",
    )
    page = context.new_page()
    page.goto(url)
    page.wait_for_selector(DRAWN)
    if moment is not None:
        page.locator("#time").fill(str(moment))
    page.wait_for_timeout(800)
    page.screenshot(path=IMAGES / f"{name}.png")
    context.close()


def take_parts(browser: Browser, url: str, part: str, name: str) -> None:
    """A part of all queries, side by side."""
    page = browser.new_page(viewport={"width": 1440, "height": 1000}, color_scheme="light")
    page.goto(url)
    page.wait_for_selector(DRAWN)
    page.wait_for_timeout(800)
    found = [one.bounding_box() for one in page.locator(f".{part}:visible").all()]
    boxes = [box for box in found if box is not None]
    left, top = (min(box[edge] for box in boxes) for edge in ("x", "y"))
    right = max(box["x"] + box["width"] for box in boxes)
    bottom = max(box["y"] + box["height"] for box in boxes)
    clip: Any = {"x": left, "y": top, "width": right - left, "height": bottom - top}
    page.screenshot(path=IMAGES / f"{name}.png", full_page=True, clip=clip)
    page.close()


def main(checkpoint: Path, option: str) -> int:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        print("there is no Chromium here (Debian: apt-get install chromium)", file=sys.stderr)
        return 2
    with page_beside(checkpoint, 0) as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        if option in PARTS:
            take_parts(browser, url, *PARTS[option])
        else:
            take(browser, url, "page-light", (1440, 1500), None)
            take(browser, url, "page-dark", (1440, 1500), 620)
            take(browser, url, "page-phone", (390, 844), None)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[-1]), sys.argv[1]))
