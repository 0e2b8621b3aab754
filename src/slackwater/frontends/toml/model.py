"""A pipeline file: its tables and their keys.

The strings below the keys are what the guide says of them.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field, model_validator

from slackwater.frontends.table import Table, keys_of
from slackwater.frontends.values import (
    DURATION,
    AnyTable,
    Count,
    Duration,
    Flag,
    Located,
    Number,
    SourceName,
    Text,
    Texts,
    TextTable,
    Wanted,
    Whole,
    Words,
    either,
    is_duration,
    one_of,
)
from slackwater.query.contract import LATE_POLICIES, METHODS
from slackwater.query.function import FILTER_ORDERS
from slackwater.query.join import EMITS
from slackwater.query.rank import MEASURED, PRECEDENCES

AVAILABLE_NOW = "available-now"
TIERS = ("auto", "columnar", "spark")

_WITHIN = 'a duration, or a table of one for each stream or pair, e.g. {"a, b" = "5 s"}'


_ERRORS = "a number, or a list of tables with epsilon"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _bounds(value: Any) -> Any:
    """A bare number is one bound."""
    return [{"epsilon": value}] if _is_number(value) else value


def _is_budget(value: Any) -> bool:
    return value >= 1 if isinstance(value, int) else is_duration(value)


_BUDGET = Wanted('a whole number above 0, a duration such as "500 ms"', _is_budget)


def _listed(value: Any) -> Any:
    """One table is a list of one."""
    return [value] if isinstance(value, dict) else value


def _is_within(value: Any) -> bool:
    return bool(value) if isinstance(value, dict) else is_duration(value)


Within = Annotated[Duration | dict[str, Duration], Wanted(_WITHIN, _is_within)]
Uncertainty = Annotated[
    Whole | dict[str, Whole],
    Wanted("a whole number, or a table of them by name", lambda v: v != {}),
]
Method = Annotated[str, one_of(*METHODS)]


class FileTable(Table):
    """The file: tables, which are read one by one, so that each is told what is wrong with it."""

    pipeline: AnyTable | None = None
    """how it is run"""
    source: AnyTable
    """`[source.NAME]`: where rows come from"""
    monoid: AnyTable | None = None
    """`[monoid.NAME]`: aggregates of your own, for all queries of the file"""
    table: AnyTable | None = None
    """`[table.NAME]`: tables that rows look something up in"""
    resources: AnyTable | None = None
    """limits that the open joins of the file share"""
    query: Annotated[list[dict[str, Any]], Wanted("a list of tables, one [[query]] at least", bool)]
    """`[[query]]`: what is asked, under which contract, and where the answers go"""


class StartTable(Table):
    """``[pipeline]``: how it is run; none of it changes what the answers are."""

    checkpoint: Located | None = None
    """folder, or address in an object store, for state, offsets and events; `--checkpoint` wins"""
    trigger: Annotated[str | int | float, either(AVAILABLE_NOW, DURATION)] | None = None
    """time between micro-batches (as fast as possible)"""
    tier: Annotated[str, one_of(*TIERS)] | None = None
    """where state lives (`auto`: by size)"""
    columnar_rows: Count | None = None
    """with `auto`: above this many rows of state the spark tier takes over (5 million)"""
    heartbeat: Duration | None = None
    """wall time between heartbeats (a second if a query has `idle` or `costly`)"""
    flush: Flag | None = None
    """the streams end here: close every window and seal the checkpoint; implies `available-now`"""
    max_state_rows: Count | None = None
    """stop rather than keep more rows of state (no limit)"""


class MonoidTable(Table):
    """``[monoid.NAME]``: an aggregate made of mergeable ones, used as ``NAME(...)``."""

    body: Text
    """an expression over aggregates, e.g. `sqrt(sum(x * x) / count(x))`"""
    parameters: Texts | None = None
    """the names in it that stand for what is in the parentheses"""


class TableTable(Table):
    """``[table.NAME]``: a table that rows look something up in."""

    path: Located
    """a Parquet or CSV file, or a folder called so"""
    refresh: Duration | None = None
    """how long a version is used, by the clock of the query; 0 is one batch (for ever)"""
    columns: TextTable | None = Field(None, alias="schema")
    """columns and their SQL types (those of the file)"""


class LookupTable(Table):
    """``lookup``: rows find the row of a table that they belong to, before `where` and `select`."""

    table: Text
    """the table, as `[table.NAME]` calls it"""
    on: Texts
    """a column that both have, or an equality with a column of the table"""
    how: Text | None = None
    """`left`: rows that find nothing have nulls; `inner`: they are left out (`left`)"""


class FilterTable(Table):
    """``filter = [...]``: an entry; a text is a function."""

    form: ClassVar[str] = "a function as module:function, or a table with function"

    function: Text
    """where it is imported from, as `module:function`: a file beside this one, or installed"""
    name: Text | None = None
    """what a checkpoint knows it by (its own name)"""
    order: Annotated[str, one_of(*FILTER_ORDERS)] | None = None
    """in which order filters that commute run (`robust`)"""
    effects: Flag | None = None
    """it does something that is not to be done twice (false)"""

    @model_validator(mode="before")
    @classmethod
    def _name(cls, value: Any) -> Any:
        return {"function": value} if isinstance(value, str) else value


class ApplyTable(Table):
    """``apply = [...]``: an entry."""

    form: ClassVar[str] = "a table with function and returns"

    function: Text
    """where it is imported from, as `module:function`"""
    returns: Annotated[str | dict[str, str], Wanted("a type, or a table of types by name", bool)]
    """the type of the column that it computes, or types of columns by name"""
    name: Text | None = None
    """what a checkpoint knows it by, and the column if there is one (its own name)"""
    effects: Flag | None = None
    """it does something that is not to be done twice (false)"""
    where: Texts | None = None
    """predicates over what was computed, all of which must hold"""


class CallsTable(Table):
    """Python functions over the rows of a source, after `where` and before `select`."""

    filter: list[FilterTable] | None = None
    """functions that say which rows are kept, after `where`"""
    apply: list[ApplyTable] | None = None
    """functions that compute columns, after `filter`"""


class StepsTable(Table):
    """What is done to rows, in this order."""

    where: Texts | None = None
    """predicates, all of which must hold"""
    select: Texts | None = None
    """columns to keep and compute, after `where`"""
    window: Duration | None = None
    """size of the windows"""
    slide: Duration | None = None
    """one window every so often (the size)"""
    start: Duration | None = None
    """windows are shifted by this (0)"""
    group_by: Texts | None = None
    """columns or expressions"""
    aggregate: TextTable | None = None
    """results by name, e.g. `{ total = "sum(v)" }`"""
    relate: Text | None = None
    """instead of `aggregate`: SQL over all rows of each window, which is the table `window`"""


class LevelTable(StepsTable):
    """``[[query.then]]``: an aggregate over the results of the level before."""

    window: Duration
    """size of the windows"""


class CostlyTable(Table):
    """``costly``: what follows is expensive; a number is a budget."""

    form: ClassVar[str] = "a whole number above 0, or a table with budget"

    budget: Count
    """rows to work on in each batch, at most"""
    aside: Text | None = None
    """waiting rows of an estimated window: `wait`, `drop`, `idle`, `3:1` (`wait`)"""
    starve: Duration | None = None
    """rows set aside for this long come first (no bound)"""

    @model_validator(mode="before")
    @classmethod
    def _budget(cls, value: Any) -> Any:
        return {"budget": value} if _is_number(value) else value


class ResourcesTable(Table):
    """``resources``: what the plan of a join may take."""

    memory: Text | Count | None = None
    """what its state may hold, e.g. `512 MB` (no limit)"""
    cpu: Number | None = None
    """share of the time between batches that joining may take (no limit)"""


class RankTable(Table):
    """``rank``: whose results come first when there is more work than can be done."""

    form: ClassVar[str] = "conditions, the most critical first, or a table with criteria"

    criteria: Texts
    """conditions on rows, the most critical first; or one text of `RANK n CRITERIA ...`"""
    budget: Annotated[str | int | float, either(MEASURED, _BUDGET)] | None = None
    """work of a batch: rows, a time for it, or what fits between two triggers (`measured`)"""
    precedence: Annotated[str, one_of(*PRECEDENCES)] | None = None
    """how an overload is treated (`prune`)"""

    @model_validator(mode="before")
    @classmethod
    def _criteria(cls, value: Any) -> Any:
        return {"criteria": value} if isinstance(value, str | list) else value


class PromiseTable(Table):
    """What promises on error and on recall have in common."""

    confidence: Number | None = None
    """share of results, or of periods, that keep the promise (0.95)"""
    at_least: Duration | None = None
    """smallest slack (0)"""
    at_most: Duration | None = None
    """largest slack (no bound)"""
    granularity: Duration | None = None
    """the slack is a multiple of it (a hundredth of the slide, or of the smallest join window)"""
    method: Method | None = None
    """how the slack is found (`calibrated`)"""


class ErrorTable(PromiseTable):
    """``[[query.max_error]]``: one of several error bounds."""

    epsilon: Number
    """largest relative error"""
    of: Texts | None = None
    """the result columns meant (all aggregates)"""
    per_key: Flag | None = None
    """whether every key is promised its share (`false`)"""


class EstimatesTable(Table):
    """``[[query.estimates]]``: early answers of open windows."""

    every: Duration | None = None
    """each time the clock has advanced by this much; 0 is every batch"""
    aggressiveness: Number | None = None
    """one per window, at its end minus this share of the slide"""
    accuracy: Number | None = None
    """as early as this accuracy allows"""
    where: Text | None = None
    """only for these groups or windows"""
    of: Texts | None = None
    """the columns that `accuracy` is about (all numbers)"""
    band: Number | None = None
    """share of earlier estimates that the error band covers (0.9); one for all of a query"""


class QueryTable(PromiseTable, StepsTable):
    """``[[query]]``: what any query may say."""

    name: Text
    """names the query in results, events and files"""
    then: list[LevelTable] | None = None
    """further levels, each over the results of the one before"""
    slack: Duration | None = None
    """the contract: wait this long for stragglers (0)"""
    max_error: Annotated[list[ErrorTable], BeforeValidator(_bounds), Words(_ERRORS)] | None = None
    """the contract: largest relative error; several as `[[query.max_error]]`"""
    min_recall: Number | None = None
    """the contract of a join: smallest share of its results that is found"""
    of: Texts | None = None
    """with `max_error`: the result columns meant (all aggregates)"""
    per_key: Flag | None = None
    """with `max_error`: whether every key is promised its share (`false`)"""
    over: Duration | None = None
    """with `min_recall`: length of a period (one minute)"""
    late: Annotated[str, one_of(*LATE_POLICIES)] | None = None
    """what becomes of late rows (`drop`)"""
    keep: Duration | None = None
    """with `late = "revise"`: how long an answer may still be revised"""
    idle: Duration | None = None
    """a stream silent for this long (wall time) no longer holds the clock back"""
    estimates: Annotated[list[EstimatesTable], BeforeValidator(_listed)] | None = None
    """early answers of open windows; several for several cadences"""
    sink: AnyTable | None = None
    """where results go (the checkpoint folder)"""
    side: AnyTable | None = None
    """where late rows go (the checkpoint folder)"""
    quality: AnyTable | None = None
    """where the measured quality goes (the checkpoint folder)"""
    resources: ResourcesTable | None = None
    """limits within which the plan of a join is chosen"""
    rank: RankTable | None = None
    """whose results come first when there is more work than can be done"""
    lifespan: Duration | None = None
    """with `rank` or `costly`: rows that waited for this long are not worked on any more"""


class SourceQueryTable(CallsTable, QueryTable):
    """``[[query]]`` with ``from``: windows over one source."""

    source: SourceName = Field(alias="from")
    """the source that is read"""
    lookup: Annotated[list[LookupTable], BeforeValidator(_listed)] | None = None
    """tables that rows look something up in, one after the other"""
    costly: CostlyTable | None = None
    """work on so many rows in each batch, at most; the others wait"""
    window: Duration
    """size of the windows"""


class InputTable(CallsTable):
    """``join = [...]``: an entry; a text is a source."""

    form: ClassVar[str] = "the name of a source, or a table with from"

    source: SourceName = Field(alias="from")
    """the source that is read"""
    alias: Text | None = Field(None, alias="as")
    """what the join calls it"""
    lookup: Annotated[list[LookupTable], BeforeValidator(_listed)] | None = None
    """tables that rows look something up in, one after the other"""
    where: Texts | None = None
    """predicates, all of which must hold"""
    select: Texts | None = None
    """columns to keep and compute, after `where`"""
    optional: Flag | None = None
    """rows of the others that find no partner here are answered, too (false)"""

    @model_validator(mode="before")
    @classmethod
    def _name(cls, value: Any) -> Any:
        return {"from": value} if isinstance(value, str) else value


class JoinQueryTable(QueryTable):
    """``[[query]]`` with ``join``: several sources, and windows over their combinations if any."""

    join: Annotated[
        list[InputTable],
        Words("a list of sources, or of tables with from, as, where, select, optional"),
    ]
    """what is joined: sources, or tables with `from`"""
    on: Texts | None = None
    """predicates over columns of the sources; a bare column is equality"""
    within: Within | None = None
    """how far apart members may be: for all, for each source, or for pairs"""
    emit: Annotated[str, one_of(*EMITS)] | None = None
    """when a result is given (`immediate`)"""
    order: Text | None = None
    """`adaptive`, `robust`, `written`, or a tree such as `((a b) c)` (`adaptive`)"""
    cross: Flag | None = None
    """allow sources that no predicate connects (false)"""
    how: Text | None = None
    """`inner`; `left`: rows of the first without partner are answered, too; `right` (`inner`)"""
    uncertainty: Uncertainty | None = None
    """with `robust`: from 0 to 5, for all rates and selectivities or by name (learned)"""
    tolerance: Number | None = None
    """with `robust`: how much worse than the best a plan may be (0.2)"""


def _only(table: type[QueryTable], owner: str) -> dict[str, str]:
    return {
        key: f"a query with {owner}" for key in keys_of(table) if key not in keys_of(QueryTable)
    }


# Each of the two forms of a query knows the keys of the other.
SourceQueryTable.elsewhere = _only(JoinQueryTable, "join")
JoinQueryTable.elsewhere = _only(SourceQueryTable, "from, which has no join")
