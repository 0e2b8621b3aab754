"""The page in a real browser."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from datetime import date
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from slackwater.dashboard.report import write_report
from slackwater.events.log import EventLog
from tests.dashboard.browser import DRAWN, INK, chromium, needs_chromium, visit
from tests.dashboard.serving import serving
from tests.events.story import WALL, batch, costly, ended, plan, sample, tell

pytestmark = [needs_chromium, pytest.mark.browser]
START = 1_704_067_200_000_000  # 2024-01-01
HOSTILE = '<img src=x onerror="window.hacked=1">\'</script><script>window.hacked=1</script>'


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ended(tmp_path_factory.mktemp("story") / "story", 120)


@pytest.fixture(scope="module")
def address(story: Path) -> Iterator[str]:
    with serving(story) as (url, _):
        yield url


def test_a_finished_run_is_drawn_without_complaint_or_stranger(
    browser: Browser, address: str
) -> None:
    with visit(browser, address) as seen:
        ink = seen.page.evaluate(INK)
        # of two queries one promises nothing and gives estimates; three shared
        assert len(ink) == 2 * 4 - 1 + 3 + 3
        assert min(ink) > 500
        assert seen.points() == 120
        assert seen.text(".pill") == "stopped"
        assert seen.page.locator("article.query").count() == 2
        assert seen.page.locator(".graph .query").count() == 2
        expect(seen.page.locator(".log li").nth(5)).to_be_attached()  # it comes after the charts
        assert "90.0" in seen.text("[data-query=bounded] [data-tile=quality]")
        assert "is open until the clock moves on by" in seen.text("[data-query=fixed] .why")
        assert seen.complaints == []
        assert seen.strangers(address) == []


def test_scrubbing_goes_back_in_time_and_returns(browser: Browser, address: str) -> None:
    with visit(browser, address) as seen:
        page = seen.page
        late = "[data-query=fixed] [data-tile=late] b"
        at_the_end = seen.text(late)
        page.locator("#time").fill("250")
        expect(page.locator(".pill")).to_have_text("replay")
        expect(page.locator(".facts")).to_contain_text("batch 29")
        assert at_the_end == "595"
        expect(page.locator(late)).to_have_text("145")
        expect(page.locator(".log li").first).not_to_contain_text("ended")
        page.locator("#play").click()
        page.wait_for_timeout(600)
        page.locator("#play").click()
        assert int(page.locator("#time").input_value()) > 250
        page.locator("#live").click()
        expect(page.locator(late)).to_have_text(at_the_end)
        expect(page.locator(".log li").first).to_contain_text("ended")
        assert seen.complaints == []


def test_estimates_are_drawn_on_their_way_to_finals(browser: Browser, address: str) -> None:
    with visit(browser, address) as seen:
        page = seen.page
        part = "[data-query=fixed] .estimates"
        assert seen.text(f"{part} > h4") == "Estimatesas early as 90 % accurate; every 1s"
        for tile, value in {"estimates": 360, "prods": 120, "mistimed": 12, "refused": 6}.items():
            assert seen.text(f"{part} [data-tile={tile}] b") == str(value)
        accuracy, converging, early = page.locator(f"{part} .chart").all()
        expect(accuracy.locator(".legend")).to_contain_text("total")
        expect(accuracy.locator(".legend")).to_contain_text("target90.0 %")
        expect(early.locator(".legend")).to_contain_text("accuracy-1")
        expect(converging).to_contain_text("total of group 0")
        expect(converging.locator(".legend li").nth(1)).to_have_text("window until 00:01:5699.50 %")
        page.locator("#time").fill("250")
        expect(converging.locator(".legend")).to_contain_text("window until 00:00:26")
        expect(page.locator(f"{part} [data-tile=estimates] b")).to_have_text("90")
        page.locator("#time").fill("10")
        expect(converging).to_contain_text("no estimate has met its final yet")
        expect(page.locator("[data-query=bounded] .estimates")).to_be_hidden()
        assert seen.complaints == []


def test_a_backlog_and_what_controllers_explain_are_shown(browser: Browser, tmp_path: Path) -> None:
    with serving(ended(tmp_path / "run", 40, made=costly)) as (url, _), visit(browser, url) as seen:
        page = seen.page
        assert seen.text("[data-query=fixed] [data-tile=waiting] b") == "3,940"
        assert seen.text("[data-query=fixed] [data-tile=oldest] b") == "39s"
        assert seen.text("[data-query=fixed] [data-tile=shed] b") == "80"
        part = page.locator("[data-query=fixed] .controllers")
        value = part.locator("[data-field='order/cost (rows)'] .value")
        expect(value).to_have_text("1,234,606")
        expect(part.locator("[data-field='toy/mood'] .value")).to_have_text("calm 39")
        expect(part.locator("[data-field='toy/mood'] button")).to_be_disabled()
        expect(part.locator(".chart")).to_contain_text("toy: pressure")
        part.get_by_role("button", name="cost (rows)").click()
        expect(part.locator(".chart")).to_contain_text("order: cost (rows)")
        page.locator("#time").fill("0")
        expect(value).to_have_text("1,234,567")
        expect(part.locator("[data-field='toy/mood'] .value")).to_have_text("–")
        expect(page.locator("[data-query=bounded] .controllers")).to_be_hidden()
        expect(page.locator("[data-query=bounded] .backlog")).to_be_hidden()
        assert seen.complaints == []


def drag(page: Page) -> None:
    """Over the second quarter of the first chart."""
    box = page.locator(".u-over").first.bounding_box()
    assert box is not None
    left, middle = box["x"] + box["width"] * 0.25, box["y"] + box["height"] / 2
    page.mouse.move(left, middle)
    page.mouse.down()
    page.mouse.move(left + box["width"] * 0.25, middle, steps=5)
    page.mouse.up()


def test_a_drag_zooms_all_charts_and_a_double_click_returns(browser: Browser, address: str) -> None:
    with visit(browser, address) as seen:
        drag(seen.page)
        expect(seen.page.locator("html")).to_have_attribute("data-points", "30")
        seen.page.locator(".u-over").nth(3).dblclick()
        expect(seen.page.locator("html")).to_have_attribute("data-points", "120")
        assert seen.complaints == []


def test_an_answer_that_comes_after_the_view_has_changed_is_not_shown(
    browser: Browser, address: str
) -> None:
    """One question a drag, though the charts share a cursor; its answer is held back."""
    with visit(browser, address) as seen:
        page, held = seen.page, list[Route]()

        def hold(route: Route) -> None:
            held.append(route)

        page.route(re.compile(r"/history\?.*low="), hold)
        with page.expect_request(re.compile(r"/history\?.*low=")):
            drag(page)
        with page.expect_response(re.compile(r"/history\?points=\d+$")):
            page.locator(".u-over").nth(3).dblclick()
        assert len(held) == 1
        with page.expect_response(re.compile(r"/history\?.*low=")):
            held[0].continue_()
        page.wait_for_timeout(300)
        assert seen.points() == 120
        assert seen.complaints == []


def slow_run(folder: Path) -> Path:
    """A recording of weeks, played in a minute: delays of hours."""
    log = tell(folder, 0)
    day = 86_400_000_000
    for number in range(60):
        event = batch(number)
        for stream in event["streams"].values():
            stream["clock"] = START + number * day
        for query in event["queries"].values():
            query["watermark"] = START + number * day - 5 * day // 24 - number % 7 * day // 30
            query["slack"] = 5 * day // 24
        log.write("batch", **event)
    log.write("stop", batch=59, reason="stopped")
    log.close()
    return folder


def test_marks_lie_at_round_durations_and_round_instants(browser: Browser, tmp_path: Path) -> None:
    with serving(slow_run(tmp_path)) as (url, _), visit(browser, url) as seen:
        chart = seen.page.locator("[data-query=fixed] .chart").first
        marks = (chart.get_attribute("data-marks") or "").split(" | ")
        assert all(re.fullmatch(r"\d+ h", mark) for mark in marks), marks
        assert len(marks) >= 2
        steps = {int(b.split()[0]) - int(a.split()[0]) for a, b in pairwise(marks)}
        assert steps <= {1, 2, 3, 6, 12}
        assert len(steps) == 1
        # a run far from the wall's clock is told in event time
        times = (chart.get_attribute("data-times") or "").split(" | ")
        days = [date.fromisoformat(time).toordinal() for time in times]
        assert date(2024, 1, 1) <= date.fromisoformat(times[0]) < date(2024, 2, 1)
        assert {b - a for a, b in pairwise(days)} <= {1, 2, 5, 10, 20, 50}
        seen.page.locator("#axis").click()
        assert re.match(r"\d\d:\d\d", chart.get_attribute("data-times") or "")
        assert chart.get_attribute("data-marks") == " | ".join(marks)
        assert seen.complaints == []


@pytest.mark.parametrize(
    ("unit", "given", "told"),
    [
        ("s", [0, 1800, 3600, 5400], "0 min | 30 min | 60 min | 90 min"),
        ("s", [0, 0.5, 1, 1.5], "0 s | 0.5 s | 1 s | 1.5 s"),
        ("s", [0, 86400, 172800], "0 d | 1 d | 2 d"),
        ("ms", [0, 200, 400], "0 ms | 200 ms | 400 ms"),
        ("ms", [0, 2000, 4000], "0 s | 2 s | 4 s"),
    ],
)
def test_durations_of_one_axis_have_one_unit(
    browser: Browser, address: str, unit: str, given: list[float], told: str
) -> None:
    with visit(browser, address) as seen:
        script = "([m, u]) => import('./static/format.js').then((f) => f.durations(m, u))"
        assert " | ".join(seen.page.evaluate(script, [given, unit])) == told


def test_a_query_can_be_hidden(browser: Browser, address: str) -> None:
    with visit(browser, address) as seen:
        seen.page.locator("#chooser .chip").first.click()
        expect(seen.page.locator("article.query")).to_have_count(1)
        seen.page.locator("#chooser .chip").first.click()
        expect(seen.page.locator("article.query")).to_have_count(2)


@pytest.mark.parametrize("dark", [False, True])
def test_it_is_readable_on_a_phone_in_light_and_dark(
    browser: Browser, address: str, dark: bool
) -> None:
    with visit(browser, address, width=390, dark=dark) as seen:
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= 390
        ground = seen.page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (ground == "rgb(14, 20, 26)") == dark
        seen.page.locator("#theme").click()
        other = seen.page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert other != ground
        assert seen.complaints == []


def test_a_growing_log_is_drawn_as_it_grows(browser: Browser, tmp_path: Path) -> None:
    log = tell(tmp_path, 0)
    with serving(tmp_path) as (url, _), visit(browser, url, wait=".run") as seen:
        expect(seen.page.locator(".facts")).to_have_text("no batch yet")
        for number in range(12):
            log.write("batch", **{**batch(number), "at": int(time.time() * 1e6)})
            seen.page.wait_for_timeout(60)
        expect(seen.page.locator("html")).to_have_attribute("data-points", "12")
        expect(seen.page.locator(".pill")).to_have_text("live")
        assert min(seen.page.evaluate(INK)) > 100
        log.write("repair", batch=4, removed=[])
        expect(seen.page.locator("html")).to_have_attribute("data-points", "5")
        log.write("notice", batch=4, text="mind the gap")
        expect(seen.page.locator(".log")).to_contain_text("mind the gap")
        log.write("stop", batch=4, reason="stopped")
        expect(seen.page.locator(".pill")).to_have_text("stopped")
        assert seen.complaints == []
    log.close()


def hostile_run(folder: Path) -> Path:
    """Markup in every name and value that a log can carry."""
    names = (HOSTILE, f"{HOSTILE} too")
    log = EventLog(folder / "events.jsonl")
    told = plan(stream="s", names=("a", "b"))
    told["contracts"]["a"]["estimates"][0] |= {"label": HOSTILE, "where": HOSTILE}
    told["queries"] = dict(zip(names, told["queries"].values(), strict=True))
    told["contracts"] = dict(zip(names, told["contracts"].values(), strict=True))
    for query in told["queries"].values():
        query["stream"] = HOSTILE
    for state in told["states"].values():
        state["owner"] = state["kind"] = HOSTILE
    log.write("start", schema=1, pipeline=HOSTILE, batch=-1, plan=told, at=WALL)
    for number in range(12):
        event = batch(number, stream=HOSTILE, names=names)
        event["tier"] = HOSTILE
        event["ms"][HOSTILE] = 3.0
        event["queries"][names[1]]["quality"] |= {"phase": HOSTILE, "binding": HOSTILE}
        event["state"]["by"][HOSTILE] = [1, 2, 3]
        estimates = event["queries"][names[0]]["estimates"]
        estimates["accuracy"] = {HOSTILE: {"recent": 90.0, "worst": 80.0}}
        estimates["aggressiveness"] = {HOSTILE: 0.5}
        estimates["sample"] = sample(number, WALL) | {"column": HOSTILE, "group": HOSTILE}
        log.write("batch", **event)
    log.write("notice", batch=3, text=HOSTILE)
    log.write("error", batch=3, error=HOSTILE)
    log.write(HOSTILE, batch=3, **{HOSTILE: HOSTILE})
    log.write("stop", batch=3, reason=HOSTILE)
    log.close()
    with log.path.open("a") as file:
        file.write(f"{HOSTILE}\n")
    return folder


def test_names_and_values_never_become_markup(browser: Browser, tmp_path: Path) -> None:
    folder = hostile_run(tmp_path)
    report = tmp_path / "report.html"
    write_report([folder], report)
    with serving(folder) as (url, _):
        for address in (url, report.as_uri()):
            with visit(browser, address) as seen:
                seen.page.wait_for_selector(".log li")
                assert seen.page.evaluate("window.hacked") is None
                assert seen.page.locator("img").count() == 0
                assert seen.page.locator("h3", has_text="<img src=x").count() == 2
                assert HOSTILE in seen.text(".log")
                assert HOSTILE in seen.text(".estimates > h4")
                assert HOSTILE in seen.text(".estimates .chart:nth-of-type(2) h4")
                assert seen.complaints == []


def test_a_report_opens_from_a_folder_without_any_request(
    browser: Browser, story: Path, tmp_path: Path
) -> None:
    report = tmp_path / "report.html"
    write_report([story], report)
    with visit(browser, report.as_uri()) as seen:
        assert min(seen.page.evaluate(INK)) > 500
        assert seen.points() == 120
        seen.page.locator("#time").fill("250")
        expect(seen.page.locator(".facts")).to_contain_text("batch 29")
        assert seen.asked == [report.as_uri()]
        assert seen.complaints == []


def test_several_runs_are_shown_one_above_the_other(
    browser: Browser, story: Path, tmp_path: Path
) -> None:
    with serving(story, ended(tmp_path / "other", 40)) as (url, _), visit(browser, url) as seen:
        expect(seen.page.locator("article.query")).to_have_count(4)
        assert [chip.inner_text() for chip in seen.page.locator("#chooser .chip").all()][2] == (
            "other / fixed"
        )


def test_what_is_wrong_with_a_log_is_said_on_the_page(browser: Browser, tmp_path: Path) -> None:
    damaged = ended(tmp_path / "damaged", 10)
    with (damaged / "events.jsonl").open("ab") as file:
        file.write(b"\x00\x00\n")
    later = tell(tmp_path / "later", 3)
    later.write("start", schema=99)
    later.close()
    with serving(damaged, tmp_path / "later") as (url, _), visit(browser, url) as seen:
        expect(seen.page.locator(".banner").nth(0)).to_contain_text("1 line of the log is damaged")
        expect(seen.page.locator(".banner").nth(1)).to_contain_text("EVENTS_FORMAT")


def test_a_server_that_is_gone_is_said(browser: Browser, story: Path) -> None:
    with serving(story) as (url, _):
        context = visit(browser, url, wait=DRAWN)
        seen = context.__enter__()
        expect(seen.page.locator(".banner")).to_be_hidden()
    expect(seen.page.locator(".banner")).to_contain_text("does not answer")
    context.__exit__(None, None, None)


def test_the_token_in_the_address_opens_the_page_and_disappears(
    browser: Browser, story: Path
) -> None:
    with serving(story, SLACKWATER_TOKEN="open-sesame-please") as (url, _):
        assert url.endswith("?token=open-sesame-please")
        with visit(browser, url) as seen:
            assert "token" not in seen.page.url
            assert seen.complaints == []
        with visit(browser, url.replace("please", "wrong"), wait="body") as seen:
            assert "token is missing or wrong" in seen.text("body")
