"""The plans of a join on the page, in a real browser."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from slackwater.dashboard.report import write_report
from tests.dashboard.browser import INK, chromium, needs_chromium, visit
from tests.dashboard.serving import serving
from tests.events.joins import FLAT, LEFT, RIGHT, joined, joining, tell_joins
from tests.events.story import ended

pytestmark = [needs_chromium, pytest.mark.browser]
PART = "[data-query=fixed] .joins"
# red, green and blue of the strip, on white, at shares of its width and height
PIXEL = """(strip, [x, y]) => {
  const canvas = strip.querySelector('canvas'), over = strip.querySelector('.u-over');
  const [box, plot] = [canvas.getBoundingClientRect(), over.getBoundingClientRect()];
  const at = (plot.left - box.left + plot.width * x) * canvas.width / box.width;
  const down = (plot.top - box.top + plot.height * y) * canvas.height / box.height;
  const [red, green, blue, cover] = canvas.getContext('2d').getImageData(at, down, 1, 1).data;
  return [red, green, blue].map((part) => part * cover / 255 + 255 - cover);
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return joined(tmp_path_factory.mktemp("joins") / "run", 40)


@pytest.fixture(scope="module")
def address(run: Path) -> Iterator[str]:
    with serving(run) as (url, _):
        yield url


def point(page: Page, share: float) -> None:
    """Move the pointer over the strip of plans; shares of its width are shares of the run."""
    over = page.locator(f"{PART} .strip .u-over")
    over.scroll_into_view_if_needed()
    box = over.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * share, box["y"] + box["height"] / 2)


@pytest.mark.parametrize("dark", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_plans_cost_and_memory_of_a_join_are_shown(
    browser: Browser, address: str, dark: bool
) -> None:
    with visit(browser, address, dark=dark) as seen:
        assert seen.text(f"{PART} > h4") == f"Join{RIGHT}"
        for tile, value in {"predicted": "12ms", "measured": "10ms", "runner-up": "20ms"}.items():
            assert seen.text(f"{PART} [data-tile={tile}] b") == value
        assert seen.text(f"{PART} [data-tile=measured] em") == "prediction +20 %"
        assert seen.text(f"{PART} [data-tile=runner-up] em") == f"{FLAT}, batch 10"
        assert seen.page.locator(f"{PART} [data-tile=held].broken").count() == 1  # above its limit
        strip, cost, memory = seen.page.locator(f"{PART} .chart").all()
        spans = f"as written | {FLAT} | {LEFT} | {RIGHT}"
        assert strip.get_attribute("data-spans") == spans
        assert strip.get_attribute("data-changes") == "moving | parallel"
        expect(strip.locator(".legend")).to_contain_text(f"{RIGHT}in force")
        expect(cost.locator(".legend")).to_have_text("measured10 mspredicted12 ms")
        expect(memory.locator(".legend")).to_contain_text("limit29.3 KiB")
        why = "something differed much from what was known"
        moves = seen.page.locator(f"{PART} .moves li").all_inner_texts()
        assert [re.sub(r"\s+", " ", text)[9:] for text in moves] == [
            f"{LEFT} → {RIGHT} parallel, 6 batches side by side, 3 s; asked for by a person",
            f"{FLAT} → {LEFT} moving, in one batch of 213 ms, those before took 113 ms; {why}",
        ]
        assert min(seen.page.evaluate(INK)) > 500
        expect(seen.page.locator("[data-query=bounded] .joins")).to_be_hidden()  # it does not join
        assert seen.page.locator("[data-query=bounded] .joins canvas").count() == 0
        assert seen.complaints == []


@pytest.mark.slow
def test_a_join_without_a_limit_or_a_prediction_shows_its_plan_alone(
    browser: Browser, tmp_path: Path
) -> None:
    def fixed(number: int) -> dict[str, object]:
        told = joining(number)
        told["queries"]["fixed"]["controllers"] = {"join_plan": {"tree": LEFT}}
        return told

    with serving(ended(tmp_path, 12, made=fixed)) as (url, _), visit(browser, url) as seen:
        strip, cost, memory = seen.page.locator(f"{PART} .chart").all()
        assert strip.get_attribute("data-spans") == LEFT
        expect(cost).to_be_hidden()
        expect(memory).to_be_hidden()
        expect(seen.page.locator(f"{PART} .moves")).to_be_hidden()
        assert seen.text(f"{PART} [data-tile=runner-up] em") == "not compared yet"
        assert seen.complaints == []


@pytest.mark.slow
def test_each_tree_has_its_colour_and_two_side_by_side_share_the_band(
    browser: Browser, address: str
) -> None:
    with visit(browser, address) as seen:
        strip = seen.page.locator(f"{PART} .strip")

        def colour(batch: float, down: float) -> tuple[int, ...]:
            return tuple(round(part / 8) for part in strip.evaluate(PIXEL, [batch / 39, down]))

        flat, left, right = (colour(batch, 0.25) for batch in (6, 15, 33))
        assert len({flat, left, right}) == 3
        for batch, tree in ((6, flat), (15, left), (33, right)):
            assert colour(batch, 0.9) == tree
        assert colour(22.5, 0.25) == right  # the new tree above
        below = {colour(20.5 + n / 8, 0.8) for n in range(40)}
        assert left in below  # the old one below, hatched
        assert len(below) > 1
        assert right not in below


def test_the_pointer_tells_how_long_and_why_a_plan_changed(browser: Browser, address: str) -> None:
    with visit(browser, address) as seen:
        tip = seen.page.locator(f"{PART} .tip")
        expect(tip).to_be_hidden()
        point(seen.page, 10 / 39)
        expect(tip).to_contain_text(f"{FLAT} → {LEFT}")
        expect(tip).to_contain_text("moving, in one batch of 213 ms, those before took 113 ms")
        expect(tip).to_contain_text("batch 10: something differed much from what was known")
        point(seen.page, 23 / 39)
        expect(tip).to_contain_text("parallel, 6 batches side by side, 3 s")
        expect(tip).to_contain_text("batch 20: asked for by a person")
        expect(seen.page.locator(f"{PART} .strip .legend")).to_contain_text(f"{LEFT}beside")
        point(seen.page, 33 / 39)
        expect(tip).to_be_hidden()
        assert seen.complaints == []


def test_looking_back_shows_the_plan_of_that_moment(browser: Browser, address: str) -> None:
    with visit(browser, address) as seen:
        page = seen.page
        head, moves = page.locator(f"{PART} > h4"), page.locator(f"{PART} .moves li")
        page.locator("#time").fill("590")  # batch 23
        expect(head).to_have_text(f"Join{RIGHT} beside {LEFT}")
        expect(moves.first).to_contain_text("parallel, both trees run")
        expect(page.locator(f"{PART} .strip .legend")).to_contain_text(f"{LEFT}beside")
        page.locator("#time").fill("385")  # batch 15
        expect(head).to_have_text(f"Join{LEFT}")
        expect(moves).to_have_count(1)
        page.locator("#time").fill("150")
        expect(head).to_have_text(f"Join{FLAT}")
        expect(page.locator(f"{PART} .moves")).to_be_hidden()
        expect(page.locator(f"{PART} [data-tile=runner-up] em")).to_have_text("not compared yet")
        page.locator("#live").click()
        expect(head).to_have_text(f"Join{RIGHT}")
        assert seen.complaints == []


@pytest.mark.slow
def test_a_drag_over_the_plans_zooms_all_charts(browser: Browser, address: str) -> None:
    with visit(browser, address) as seen:
        page = seen.page
        point(page, 0.5)
        page.mouse.down()
        point(page, 0.75)
        page.mouse.up()
        expect(page.locator("html")).to_have_attribute("data-points", "10")
        strip = page.locator(f"{PART} .strip")
        pixels = [tuple(strip.evaluate(PIXEL, [x / 10, 0.25])) for x in range(1, 10)]
        assert len(set(pixels)) <= 3  # of one tree; a mark or the cursor at most besides
        strip.locator(".u-over").dblclick()
        expect(page.locator("html")).to_have_attribute("data-points", "40")
        assert seen.complaints == []


@pytest.mark.slow
def test_a_change_is_drawn_as_it_goes_on(browser: Browser, tmp_path: Path) -> None:
    log = tell_joins(tmp_path, 0)

    def write(number: int) -> None:
        log.write("batch", **{**joining(number), "at": int(time.time() * 1e6)})

    with serving(tmp_path) as (url, _), visit(browser, url, wait=".run") as seen:
        for number in range(18, 23):
            write(number)
        head, first = (
            seen.page.locator(f"{PART} > h4"),
            seen.page.locator(f"{PART} .moves li").first,
        )
        expect(head).to_have_text(f"Join{RIGHT} beside {LEFT}")
        expect(first).to_contain_text("parallel, both trees run")
        log.write("replan", batch=20, query="fixed", request="r", tree=RIGHT, reason=None)
        for number in range(23, 28):
            write(number)
            seen.page.wait_for_timeout(60)
        expect(head).to_have_text(f"Join{RIGHT}")
        expect(first).to_contain_text("parallel, 6 batches side by side")
        expect(first).to_contain_text("asked for by a person")
        strip = seen.page.locator(f"{PART} .strip")
        expect(strip).to_have_attribute("data-spans", f"{LEFT} | {RIGHT}")
        log.write("repair", batch=19, removed=[])
        expect(head).to_have_text(f"Join{LEFT}")
        assert seen.complaints == []
    log.close()


def test_a_report_has_the_plans_inside(browser: Browser, run: Path, tmp_path: Path) -> None:
    write_report([run], tmp_path / "report.html")
    with visit(browser, (tmp_path / "report.html").as_uri()) as seen:
        assert seen.text(f"{PART} > h4") == f"Join{RIGHT}"
        seen.page.locator("#time").fill("590")
        expect(seen.page.locator(f"{PART} > h4")).to_have_text(f"Join{RIGHT} beside {LEFT}")
        assert seen.complaints == []
        assert seen.strangers((tmp_path / "report.html").as_uri()) == []


@pytest.mark.slow
def test_the_plans_fit_a_phone(browser: Browser, address: str) -> None:
    with visit(browser, address, width=390) as seen:
        point(seen.page, 23 / 39)
        expect(seen.page.locator(f"{PART} .tip")).to_be_visible()
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= 390
