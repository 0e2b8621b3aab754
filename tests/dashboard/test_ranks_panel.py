"""Ranks on the page, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from slackwater.dashboard.report import write_report
from tests.dashboard.browser import INK, chromium, needs_chromium, visit
from tests.dashboard.serving import serving
from tests.events.story import costly, ended, ranked

pytestmark = [needs_chromium, pytest.mark.browser]
PART = "[data-query=fixed] .ranks"
# red, green and blue of a chart's plot, on white, at shares of its width and height
PIXEL = """(chart, [x, y]) => {
  const canvas = chart.querySelector('canvas'), over = chart.querySelector('.u-over');
  const [box, plot] = [canvas.getBoundingClientRect(), over.getBoundingClientRect()];
  const at = (plot.left - box.left + plot.width * x) * canvas.width / box.width;
  const down = (plot.top - box.top + plot.height * y) * canvas.height / box.height;
  return [...canvas.getContext('2d').getImageData(at, down, 1, 1).data];
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ended(tmp_path_factory.mktemp("ranks") / "run", 40, made=ranked)


@pytest.fixture(scope="module")
def address(run: Path) -> Iterator[str]:
    with serving(run) as (url, _):
        yield url


@pytest.mark.parametrize("dark", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_rows_budget_and_promises_are_shown_by_rank(
    browser: Browser, address: str, dark: bool
) -> None:
    with visit(browser, address, dark=dark) as seen:
        tiles = {"complete": "1", "budget": "87.5%", "criteria": "45", "given-up": "320"}
        for tile, value in tiles.items():
            assert seen.text(f"{PART} [data-tile={tile}] b") == value
        assert seen.text(f"{PART} [data-tile=given-up] em") == "200 expired, 120 shed"
        assert seen.text(f"{PART} [data-tile=budget] em") == "of 80 in a batch"
        rows = seen.page.locator(f"{PART} tbody tr").all_inner_texts()
        assert [row.replace("\t", " ") for row in rows] == [
            "rank 1 800 600 0 0 0 42.9 %",
            "rank 2 800 200 0 200 0 14.3 %",
            "no rank 2,400 1,400 89 0 120 42.9 %",
        ]
        assert seen.page.locator(f"{PART} .promises li").all_inner_texts() == [
            "rank 1 promised by 6 values, 121 results: orders.k = 7, 8",
            "rank 2 promised by 39 values, 19.5 results: payments.k = 1",
        ]
        worked, waiting, gone, used, criteria, promised = seen.page.locator(f"{PART} .chart").all()
        expect(worked.locator(".legend")).to_have_text("rank 115 rowsrank 25 rowsno rank35 rows")
        expect(waiting.locator(".legend")).to_have_text("rank 10 rowsrank 20 rowsno rank89 rows")
        expect(gone.locator(".legend")).to_have_text("rank 10 rowsrank 210 rowsno rank3 rows")
        expect(used.locator(".legend")).to_have_text("rank 130rank 210no rank30budget80")
        expect(criteria.locator(".legend")).to_have_text("rank 16rank 239")
        expect(promised.locator(".legend")).to_have_text("rank 1121rank 219.5")
        assert min(seen.page.evaluate(INK)) > 300
        expect(seen.page.locator("[data-query=fixed] .backlog .chart")).to_be_hidden()
        expect(seen.page.locator("[data-query=bounded] .ranks")).to_be_hidden()
        assert seen.complaints == []


def test_areas_lie_on_each_other_and_the_budget_above_them(browser: Browser, address: str) -> None:
    with visit(browser, address) as seen:
        used = seen.page.locator(f"{PART} .chart").nth(3)
        # up to 30, 40 and 70 of a scale that ends a little above 80
        first, second, rest, free = (used.evaluate(PIXEL, [0.5, y]) for y in (0.9, 0.6, 0.4, 0.13))
        assert len({tuple(one) for one in (first, second, rest)}) == 3
        assert free[3] == 0  # nobody used it
        lines = [used.evaluate(PIXEL, [x / 50, y / 200]) for x in range(50) for y in range(8, 24)]
        assert any(red > 150 and green < 100 and cover > 150 for red, green, _, cover in lines)


def test_looking_back_shows_the_ranks_of_that_moment(browser: Browser, address: str) -> None:
    with visit(browser, address) as seen:
        page = seen.page
        page.locator("#time").fill("100")  # batch 4 of 39
        first, rest = (page.locator(f"{PART} [data-rank='{rank}']") for rank in ("1", "none"))
        expect(first.locator("td").nth(0)).to_have_text("80")
        promises = page.locator(f"{PART} .promises li")
        # which values these were is known of now only
        expect(promises.last).to_have_text("rank 2 promised by 3 values, 1.50 results")
        expect(rest.locator("td").nth(2)).to_have_text("53")
        page.locator("#live").click()
        expect(promises.last).to_contain_text("39 values, 19.5 results: payments.k = 1")
        assert seen.complaints == []


def test_a_query_without_ranks_shows_its_backlog_alone(browser: Browser, tmp_path: Path) -> None:
    with serving(ended(tmp_path / "run", 6, made=costly)) as (url, _), visit(browser, url) as seen:
        expect(seen.page.locator(PART)).to_be_hidden()
        expect(seen.page.locator("[data-query=fixed] .backlog .chart")).to_be_visible()
        assert seen.text("[data-query=fixed] .backlog [data-tile=shed] em") == "after an estimate"
        assert seen.complaints == []


@pytest.mark.slow
def test_a_report_has_the_ranks_inside(browser: Browser, run: Path, tmp_path: Path) -> None:
    write_report([run], tmp_path / "report.html")
    with visit(browser, (tmp_path / "report.html").as_uri()) as seen:
        assert seen.text(f"{PART} [data-tile=criteria] b") == "45"
        assert seen.complaints == []
        assert seen.strangers((tmp_path / "report.html").as_uri()) == []


@pytest.mark.slow
def test_the_ranks_fit_a_phone(browser: Browser, address: str) -> None:
    with visit(browser, address, width=390) as seen:
        expect(seen.page.locator(f"{PART} table")).to_be_visible()
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= 390
