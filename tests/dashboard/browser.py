"""A headless Chromium, if the machine has one, and what its pages said and fetched."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
needs_chromium = pytest.mark.skipif(
    CHROMIUM is None, reason="no Chromium on this machine (Debian: apt-get install chromium)"
)
_FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
]  # fmt: skip
DRAWN = "html[data-points]:not([data-points='0']) .u-wrap"
# how many pixels of each canvas are not empty
INK = """() => [...document.querySelectorAll('canvas')].map((canvas) => {
  const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  let ink = 0;
  for (let i = 3; i < data.length; i += 4) ink += data[i] > 0;
  return ink;
})"""


@contextmanager
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=_FLAGS)
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Visit:
    """A page, the complaints in its console, and every address it asked for."""

    page: Page
    complaints: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def points(self) -> int:
        return int(self.page.get_attribute("html", "data-points") or 0)

    def text(self, selector: str) -> str:
        return self.page.locator(selector).first.inner_text()

    def strangers(self, own: str) -> list[str]:
        return [url for url in self.asked if not url.startswith((own, "data:", "blob:"))]


@contextmanager
def visit(
    browser: Browser, url: str, *, width: int = 1280, dark: bool = False, wait: str = DRAWN
) -> Iterator[Visit]:
    scheme = "dark" if dark else "light"
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    seen = Visit(page)
    page.on("console", lambda m: seen.complaints.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda error: seen.complaints.append(str(error)))
    page.on("request", lambda request: seen.asked.append(request.url))
    page.goto(url)
    page.wait_for_selector(wait, state="attached", timeout=30_000)
    try:
        yield seen
    finally:
        context.close()
