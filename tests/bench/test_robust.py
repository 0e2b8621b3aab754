"""The benchmark of plans for each batch measures what it says."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from slackwater.bench import robust
from slackwater.bench.chain import COLUMNS, LIMIT, Chain
from slackwater.bench.robust import (
    PLANS,
    ROBUST,
    Join,
    Outcome,
    Side,
    choose,
    from_scratch,
    measure,
)
from slackwater.bench.swing import ARMS, HUB, Swing
from slackwater.cli.commands import bench as command
from slackwater.errors import QueryError

TINY = Swing("rates", 1, warm=10, counted=2, hub=60, many=90, keys=12, scarcity=9)
PROMISED = {
    *("case", "robust_s", "best_static_s", "adaptive_s", "oracle_s", "switches"),
    *("classify_share", "equal"),
}


def test_one_stream_in_turn_is_scarce_in_rows_or_in_partners() -> None:
    rates, shares = Swing.of("rates", 3), Swing.of("selectivities", 3)
    assert [rates.scarce(batch) for batch in range(0, 15, 3)] == ["a", "b", "c", "d", "a"]
    for batch in (0, 4):
        counts = {name: table.num_rows for name, table in rates.tables(batch).items()}
        assert counts[rates.scarce(batch)] * 100 < counts["d"]
        tables = shares.tables(batch)
        assert len({tables[name].num_rows for name in ARMS}) == 1
        matching = {
            name: sum(key < shares.keys for key in tables[name]["k"].to_pylist()) for name in ARMS
        }
        assert matching[shares.scarce(batch)] * 100 < matching["d"]
    assert rates.warm >= 3 * len(ARMS)  # all were scarce once before anything counts


def test_the_oracle_takes_the_fastest_fixed_plan_of_each_batch() -> None:
    def side(*seconds: float, orders: str = "x") -> Side:
        told: Any = [{"robust": {"orders": f"{orders}{n % 2}"}} for n in range(len(seconds))]
        return Side(seconds=[9.0] * TINY.warm + [*seconds], told=[{"robust": {}}] * 9 + told)

    plans = {plan: side(3.0, 4.0) for plan in PLANS}
    plans[PLANS[1]], plans[PLANS[2]] = side(1.0, 7.0), side(2.0, 2.0)
    sides = {ROBUST: side(1.5, 2.5, 0.0), "adaptive": side(3.0, 1.0), **plans}
    found = Outcome("made up", Join(TINY), sides, 0.01, True)
    assert found.total(ROBUST) == 4.0
    assert found.best_static_s == 4.0
    assert found.oracle_s == 3.0
    assert found.switches == 2
    assert found.classify_share == pytest.approx(0.005)


@pytest.mark.slow
def test_a_case_is_measured_and_all_joins_give_what_duckdb_gives() -> None:
    [outcome] = measure({"tiny": Join(TINY)})
    assert outcome.equal
    assert len(from_scratch(TINY)) == TINY.batches
    found = json.loads(json.dumps(robust.report([outcome])))
    assert found["bench"] == "robust"
    [case] = found["cases"]
    assert set(case) >= PROMISED
    assert case["oracle_s"] <= case["best_static_s"]
    assert 0 < case["classify_share"] < 1
    assert case["plans_prepared"] >= 1
    outcome.sides[ROBUST].sink = outcome.sides["adaptive"].sink.__class__()
    assert outcome.sides[ROBUST].counts == []  # the judge reads what came out


def test_an_unknown_case_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(QueryError, match=r"no case x; there are: rates, period 1"):
        choose(["x"])
    assert list(choose(quick=True)) == ["rates, period 1"]
    assert len(choose()) == 9


def test_the_command_writes_its_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(robust, "CASES", {"tiny": Join(replace(TINY, warm=1, counted=1))})
    path = tmp_path / "robust.json"
    result = CliRunner().invoke(command.app, ["robust", "--json", str(path)])
    assert result.exit_code == 0, result.output
    [case] = json.loads(path.read_text())["cases"]
    assert case["case"] == "tiny"
    assert case["equal"] is True


def test_the_hub_meets_each_of_the_others() -> None:
    tables = TINY.tables(0)
    assert set(tables[HUB].column_names) >= set(ARMS)


def test_one_filter_in_turn_drops_nearly_all() -> None:
    chain = Chain(3)
    for batch in (0, 4, 11):
        table = chain.tables(batch)["r"]
        passing = {c: sum(v < LIMIT for v in table[c].to_pylist()) / chain.rows for c in COLUMNS}
        assert passing.pop(chain.scarce(batch)) < 0.03
        assert all(share == pytest.approx(0.9, abs=0.02) for share in passing.values())
    assert {chain.scarce(batch) for batch in range(12)} == set(COLUMNS)


def test_a_chain_of_filters_is_measured_and_gives_what_sql_gives() -> None:
    [outcome] = measure({"tiny": Chain(1, warm=6, counted=4, rows=2_000, rounds=2)})
    assert outcome.equal
    [case] = json.loads(json.dumps(robust.report([outcome])))["cases"]
    assert set(case) >= PROMISED
    assert case["switches"] >= 1
    assert case["plans_prepared"] > 1
    assert case["processor"]["oracle_s"] <= case["processor"]["best_static_s"]
