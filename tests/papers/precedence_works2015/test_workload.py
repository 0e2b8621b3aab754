"""Stocks, news and blogs are mixed as the source work says."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from slackwater.errors import SlackwaterError
from slackwater.papers.precedence_works2015.workload import (
    DS1,
    SHARES,
    STOCK_MARKET,
    STOCKS,
    Stock,
    chain,
    critical,
    mentions,
    read_stocks,
    stocks,
)
from slackwater.precede.level import NO_RANK
from slackwater.precede.shared import Shared
from slackwater.units import SECOND


@pytest.mark.spec("precedence:PR-77")
def test_there_are_500_stocks_and_23_of_each_rank() -> None:
    companies = stocks(4)
    assert len({one.symbol for one in companies}) == STOCKS
    assert Counter(one.rank for one in companies) == {0: 431, 1: 23, 2: 23, 3: 23}
    assert len({one.icb for one in companies}) > 90
    assert {one.gics for one in companies} == {f"G{n}" for n in range(10)}
    assert all(len({o.gics for o in companies if o.icb == one.icb}) == 1 for one in companies[:20])
    assert stocks(4) == companies != stocks(5)
    quotes = [row for row in STOCK_MARKET.sources(60 * SECOND, 4) if row.stream == "S"]
    share = sum(row.level == 1 for row in quotes) / len(quotes)
    assert share == pytest.approx(0.046, abs=0.02)
    assert {row.level for row in quotes} == {1, 2, 3, NO_RANK}


@pytest.mark.spec("precedence:PR-77")
def test_stocks_can_be_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "stocks.csv"
    path.write_text("symbol,icb,gics,rank\nA,Drug Retail,Staples,1\nB,Energy,Energy,\n")
    assert read_stocks(path) == (
        Stock("A", "Drug Retail", "Staples", 1),
        Stock("B", "Energy", "Energy", 0),
    )
    path.write_text("symbol,icb\nA,x\n")
    with pytest.raises(SlackwaterError, match="no column gics, rank"):
        read_stocks(path)


@pytest.mark.spec("precedence:PR-78")
def test_15_percent_of_each_window_are_promising() -> None:
    companies = stocks(1)
    wanted = {*critical(companies)}
    rows = [*mentions(DS1, companies, 5000, "N")]
    for start in range(0, 5000, 1000):
        assert sum(row in wanted for row in rows[start : start + 1000]) == 150
    assert {*rows} >= wanted


@pytest.mark.spec("precedence:PR-79")
@pytest.mark.parametrize("mix", SHARES, ids=lambda mix: mix.name)
def test_a_share_of_the_critical_subsectors_is_present(mix: object) -> None:
    assert mix in SHARES
    companies = stocks(1)
    wanted = critical(companies)
    share = int(mix.name[2:]) / 100  # type: ignore[attr-defined]
    streams = [{*mentions(mix, companies, 3000, name)} & {*wanted} for name in "NB"]  # type: ignore[arg-type]
    assert len(streams[0]) == round(share * len(wanted))
    assert streams[0] == streams[1]


@pytest.mark.spec("precedence:PR-80")
@pytest.mark.parametrize("joins", [2, 4, 8])
def test_queries_have_2_4_or_8_joins(joins: int) -> None:
    query = chain(joins).query
    assert len(query.pipeline.joins) == joins
    assert len(query.pipeline.streams) == joins + 1
    rows = chain(joins).sources(5 * SECOND, 1)
    assert {row.stream for row in rows} == {*query.pipeline.streams}
    assert [row.ts for row in rows] == sorted(row.ts for row in rows)


@pytest.mark.spec("precedence:PR-81")
@pytest.mark.parametrize("paths", [1, 2, 4, 8])
def test_runs_on_one_attribute_are_as_long_as_wanted(paths: int) -> None:
    shared = Shared(chain(8, paths).query.pipeline)
    runs = {shared.run(join.name) for join in shared.pipeline.joins}
    assert {len(run) for run in runs} == {8 // paths}
    assert len(runs) == paths
