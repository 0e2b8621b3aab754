from __future__ import annotations

import json

import pytest

import slackwater as sw
from slackwater.plan.build import check
from slackwater.plan.explain import explain_json, explain_text
from slackwater.plan.stage import PipelinePlan, lay_out
from slackwater.query.stream import Query, Stream, StreamDef

SCHEMA = sw.Schema.of(ts="timestamp", k="bigint", v="double", site="string")


def stream(**changes: object) -> Stream:
    values: dict[str, object] = {"name": "r", "schema": SCHEMA, "time": "ts", **changes}
    return Stream(StreamDef(**values))  # type: ignore[arg-type]


def plan(*queries: Query) -> PipelinePlan:
    return lay_out(check(queries))


def conditions(*queries: Query) -> list[str]:
    with pytest.raises(sw.QueryError) as caught:
        check(queries)
    return [problem.condition for problem in caught.value.problems]


def test_every_problem_of_a_query_is_told_at_once() -> None:
    bad = (
        stream(time="when")
        .where("speed > 3")
        .where("v")
        .window("1 s", "2 s")
        .group_by("k + 1")
        .aggregate(n="skewness(v)", kind="count(*)")
        .query("a b", sw.slack("-1 s"), late="never", idle="soon")
    )
    assert conditions(bad) == [
        "TIME_COLUMN_MISSING",
        "NAME_INVALID",
        "SLACK_NEGATIVE",
        "LATE_POLICY",
        "DURATION_INVALID",
        "COLUMN_UNKNOWN",
        "TYPE_MISMATCH",
        "SLIDE_ABOVE_SIZE",
        "NAME_MISSING",
        "NAME_RESERVED",
        "NOT_MERGEABLE",
    ]


@pytest.mark.parametrize(
    ("size", "slide", "condition"),
    [
        ("0 s", None, "WINDOW_NOT_POSITIVE"),
        ("-1 s", None, "WINDOW_NOT_POSITIVE"),
        ("1 s", "0 s", "WINDOW_NOT_POSITIVE"),
        ("1 s", "2 s", "SLIDE_ABOVE_SIZE"),
        ("soon", None, "DURATION_INVALID"),
    ],
)
def test_bad_windows_are_refused(size: str, slide: str | None, condition: str) -> None:
    query = stream().window(size, slide).aggregate(n="count(*)").query("q")
    assert condition in conditions(query)


def test_a_time_column_of_another_type_says_how_to_convert_it() -> None:
    with pytest.raises(sw.QueryError, match=r"TIME_COLUMN_TYPE.*\n.*timestamp_millis"):
        check([stream(time="k").window("1 s").aggregate(n="count(*)").query("q")])


def test_a_hint_speaks_of_a_data_frame_only_where_there_is_one() -> None:
    made = sw.generator(10, total_rows=10)
    query = stream(time="k", source=made).window("1 s").aggregate(n="count(*)").query("q")
    with pytest.raises(sw.QueryError) as caught:
        check([query])
    hint = caught.value.problems[0].hint
    assert "schema={'k': 'timestamp'" in hint
    assert "spark.readStream" in hint


def test_a_relative_error_is_promised_of_numbers_only() -> None:
    both = stream().window("1 s").aggregate(last="max(site)", n="count(*)", ok="bool_and(v > 1)")
    kind = ["CONTRACT_COLUMN_TYPE"]
    assert conditions(both.query("q", sw.max_error(0.1, of="last"))) == kind
    assert conditions(both.query("q", sw.max_error(0.1))) == kind * 2
    assert conditions(both.query("q", sw.max_error(0.1, of=["ok", "n"]))) == kind
    assert check([both.query("q", sw.max_error(0.1, of="n"))])


def test_a_share_for_each_key_needs_keys_and_a_method_that_follows_them() -> None:
    windows = stream().window("1 s")
    keyed, whole = (one.aggregate(n="count(*)") for one in (windows.group_by("k"), windows))
    each = sw.max_error(0.1, method="conformal", per_key=True)
    assert check([keyed.query("q", each)])
    assert conditions(whole.query("q", each)) == ["CONTRACT_PER_KEY"]
    assert conditions(keyed.query("q", sw.max_error(0.1, per_key=True))) == ["CONTRACT_PER_KEY"]
    mixed = [each, sw.max_error(0.2, method="conformal")]
    assert conditions(keyed.query("q", mixed)) == ["CONTRACT_PER_KEY"]


def test_two_streams_or_queries_of_one_name_are_refused() -> None:
    one = stream().window("1 s").aggregate(n="count(*)")
    other = stream(max_ahead="2 days").window("1 s").aggregate(n="count(*)")
    assert conditions(one.query("q"), one.query("q")) == ["NAME_TWICE"]
    assert conditions(one.query("a"), other.query("b")) == ["STREAM_TWICE"]


def test_a_query_without_an_aggregate_is_refused() -> None:
    assert conditions(stream().where("v > 1").query("q")) == ["QUERY_OPEN_ENDED"]
    assert conditions() == ["PIPELINE_EMPTY"]


def test_filters_and_projections_fold_into_the_stage() -> None:
    query = (
        stream()
        .select("k AS key", "v * 2 AS w")
        .where("w > 1")
        .window("4 s", "2 s")
        .group_by("key")
        .aggregate(s="sum(w)")
        .query("q")
    )
    state = plan(query).queries[0].base.state
    assert state.where is not None
    assert state.where.sql == "(`v` * 2) > 1"
    assert [(name, key.sql) for name, key in state.keys] == [("key", "`k`")]
    assert [part.sql for part in state.partials] == ["SUM((`v` * 2))"]
    assert state.pane == 2_000_000


def test_queries_that_mean_the_same_share_their_state() -> None:
    base = stream().window("10 s", "2 s").group_by("k")
    wide = stream().window("6 s", "4 s").group_by("k").aggregate(top="max(v)")
    shared = plan(
        base.aggregate(s="sum(v)").query("a", sw.slack("1 s")),
        base.aggregate(n="count(*)").query("b", sw.slack("9 s")),
        wide.query("c"),
    )
    assert len(shared.base_states) == 1  # all have panes of 2 s by k
    (state,) = {q.base.state for q in shared.queries}
    assert {part.merge for part in state.partials} == {"sum", "max"}


def test_other_keys_filters_or_panes_do_not_share() -> None:
    one = stream().window("10 s").group_by("k").aggregate(n="count(*)")
    by_site = stream().window("10 s").group_by("site").aggregate(n="count(*)")
    fewer = stream().where("v > 1").window("10 s").group_by("k").aggregate(n="count(*)")
    finer = stream().window("10 s", "1 s").group_by("k").aggregate(n="count(*)")
    found = plan(one.query("a"), by_site.query("b"), fewer.query("c"), finer.query("d"))
    assert len(found.base_states) == 4


def test_identity_ignores_slack_but_not_meaning() -> None:
    base = stream().window("10 s").aggregate(n="count(*)")
    other = stream().window("20 s").aggregate(n="count(*)")
    assert (
        plan(base.query("q", sw.slack(1))).identity == plan(base.query("q", sw.slack(9))).identity
    )
    assert plan(base.query("q")).identity != plan(other.query("q")).identity
    assert plan(base.query("q")).identity != plan(base.query("p")).identity


def test_only_columns_that_are_used_are_read_unless_whole_rows_are_wanted() -> None:
    base = stream().where("k > 1").window("10 s").aggregate(s="sum(v)")
    assert plan(base.query("q")).streams[0].columns == ("k", "v")
    assert plan(base.query("q", late="side")).streams[0].columns == SCHEMA.names


def test_a_plan_explains_itself_as_text_and_json() -> None:
    query = (
        stream()
        .where("v > 1")
        .window("10 s", "2 s")
        .group_by("k")
        .aggregate(s="sum(v)")
        .window("1 min")
        .aggregate(top="max(s)")
        .query("q", sw.slack("5 s"), late="revise")
    )
    text = explain_text(plan(query))
    assert "query q (slack 5s, late rows: revise, revisable for 10min)" in text
    assert "level 2: tumbling 1min -> top" in text
    assert "rows, newest revision" in text
    assert "level 1: sliding 10s every 2s by k -> s" in text
    value = json.loads(explain_json(plan(query)))
    assert value["contracts"]["q"]["slack_us"] == 5_000_000
    assert len(value["states"]) == 2


def test_a_plan_says_who_prods_for_estimates_and_when() -> None:
    sums = stream().window("10 s", "2 s").group_by("k").aggregate(s="sum(v)", n="count(*)")
    sources = [
        sw.estimates(every="5 s"),
        sw.estimates(every=0, where="k > 3"),
        sw.estimates(aggressiveness=0.3),
        sw.estimates(accuracy=0.95, of="n"),
    ]
    given = plan(sums.query("q", estimates=sources))
    (line,) = [line for line in explain_text(given).splitlines() if "estimates" in line]
    for words in (
        "every-1 every 5s; every-2 every batch where ",
        "aggressiveness-3 at aggressiveness 0.3",
        "accuracy-4 as early as 95 % accurate of n",
    ):
        assert words in line
    told = json.loads(explain_json(given))["contracts"]["q"]["estimates"]
    assert [source["every_us"] for source in told] == [5_000_000, 0, None, None]
    assert told[3] == {
        "label": "accuracy-4",
        "every_us": None,
        "aggressiveness": None,
        "accuracy": 0.95,
        "where": None,
    }
    assert "k" in told[1]["where"]
    asked = plan(sums.query("q", estimates=sw.estimates()))
    assert "  estimates: on request only" in explain_text(asked).splitlines()
    assert json.loads(explain_json(asked))["contracts"]["q"]["estimates"] == []
    assert json.loads(explain_json(plan(sums.query("q"))))["contracts"]["q"]["estimates"] is None
