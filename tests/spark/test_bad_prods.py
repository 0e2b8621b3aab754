"""A demand that cannot be answered is refused where it is made."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

import slackwater as sw
from tests.execute.bad_prods import WHERES
from tests.execute.test_bad_prods import per_key, told
from tests.execute.test_estimates import even
from tests.spark.driver import frame, make_loop


def test_who_asks_directly_is_refused_at_once(spark: SparkSession, tmp_path: Path) -> None:
    """Through the checkpoint folder, and through the handle of a pipeline that runs."""
    pipeline = sw.pipeline(per_key(sw.memory()))
    loop = make_loop(spark, pipeline.queries, tmp_path)
    handle = sw.Handle(None, loop, loop.runtime, pipeline, spark, flush=False)  # type: ignore[arg-type]
    loop.process(frame(spark, loop, even(1)[0]), 0)
    accepted = set()
    for name, where in WHERES.items():
        later = refusal(handle.prod, "q", where)
        assert refusal(sw.prod, tmp_path, "q", where) == later, name
        now = refusal(handle.estimate, "q", where)
        assert refusal(sw.read_estimates, tmp_path, "q", where) == now, name
        assert later is None or now is not None, name
        accepted |= {name} if later is None else set()
    assert accepted <= ANSWERABLE
    for value in (float("nan"), float("inf"), -1e308, 1.5, "fast", True):
        later = refusal(handle.set_aggressiveness, value)
        assert later == refusal(sw.prod, tmp_path, aggressiveness=value) == "ESTIMATES_RANGE"
    assert len(loop.inbox.waiting()) == 2 * len(accepted)
    loop.process(frame(spark, loop, even(2)[1]), 1)
    loop.close()
    assert len(told(tmp_path)) == 2 * len(accepted)


def refusal(ask: Callable[..., Any], *what: Any, **more: Any) -> str | None:
    """The condition under which a demand is refused."""
    try:
        ask(*what, **more)
    except sw.QueryError as error:
        return error.problems[0].condition
    return None


# Strange, and yet they have an answer: maybe that no group, or no window, is meant.
ANSWERABLE = {
    "text for a number",
    "text for a time",
    "no such time",
    "last of all times",
    "first of all times",
    "span without end",
    "no number",
    "too large a number",
    "overflow",
    "infinite",
    "division by zero",
    "no value",
    "many conditions",
    "many choices",
    "many sums",
    "many values",
    "no member",
    "a character that ends texts",
}
