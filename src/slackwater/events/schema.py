"""The schema of the event log: kinds of events, their fields, units and meaning.

Every event is one JSON object with ``event`` (its kind) and ``at`` (wall time). Times and durations
are microseconds, times counted from the epoch in UTC. Fields may be added without notice; the
version is raised when the meaning of a field changes. Unknown kinds and fields are to be ignored.
"""

from __future__ import annotations

from dataclasses import dataclass

VERSION = 1


@dataclass(frozen=True, slots=True)
class Field:
    """One field: where it stands in the event, its unit or type, what it says."""

    name: str
    unit: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of event: when it is written, and its fields besides ``event`` and ``at``."""

    name: str
    meaning: str
    fields: tuple[Field, ...]


def _fields(*rows: tuple[str, str, str]) -> tuple[Field, ...]:
    return tuple(Field(*row) for row in rows)


_BATCH = _fields(
    ("batch", "number", "number of the micro-batch"),
    ("tier", "text", "where state was advanced: `columnar` or `spark`"),
    ("streams.<stream>.rows", "rows", "rows read"),
    ("streams.<stream>.clock", "time or null", "largest event time seen so far"),
    ("streams.<stream>.null_time", "rows", "rows without event time"),
    ("streams.<stream>.far_future", "rows", "rows too far ahead of the clock to be believed"),
    (
        "streams.<stream>.malformed",
        "messages",
        "messages that no row could be made of; left out if there were none",
    ),
    ("queries.<query>.slack", "duration", "decided: how long to wait for stragglers"),
    ("queries.<query>.watermark", "time or null", "windows that end until here are answered"),
    ("queries.<query>.late", "rows", "rows that missed at least one of their windows"),
    ("queries.<query>.dropped", "rows", "rows that missed all of their windows"),
    ("queries.<query>.max_lateness", "duration or null", "largest lateness among late rows"),
    (
        "queries.<query>.lateness",
        "list of [duration, rows]",
        "late rows up to this lateness and above the one before; left out if none was late",
    ),
    ("queries.<query>.emitted", "rows", "answers given"),
    ("queries.<query>.aside", "rows", "rows written to the side output"),
    ("queries.<query>.quality.measured", "results", "results whose error became known"),
    ("queries.<query>.quality.within", "results", "those of them that kept the bound"),
    (
        "queries.<query>.quality.unseen",
        "results",
        "results (of a join: periods) that rows of this batch may have broken unmeasured",
    ),
    (
        "queries.<query>.quality.fulfilment",
        "share or null",
        "kept so far, of all measured, at least: less those that may be broken unseen",
    ),
    ("queries.<query>.quality.phase", "text", "how the slack was chosen"),
    ("queries.<query>.quality.threshold", "share or null", "coverage that the bound needs"),
    ("queries.<query>.quality.expected_coverage", "share or null", "coverage the model expects"),
    ("queries.<query>.quality.measured_coverage", "share or null", "coverage measured last"),
    ("queries.<query>.quality.recall", "share or null", "of a join: recall of the last period"),
    ("queries.<query>.quality.expected_recall", "share or null", "recall the model expects"),
    ("queries.<query>.quality.wanted", "duration", "slack that the promise needs"),
    ("queries.<query>.quality.binding", "text", "column whose bound decided"),
    ("queries.<query>.quality.margin", "share", "part of the allowed risk that is planned with"),
    (
        "queries.<query>.quality.credit",
        "windows",
        "of a conformal promise: those (or periods) that may still break, negative in debt",
    ),
    ("queries.<query>.quality.planned_risk", "share", "what the next slack may break"),
    ("queries.<query>.quality.doublings", "number", "how often the slack was doubled beyond that"),
    ("queries.<query>.estimates.prods", "number", "prods answered"),
    ("queries.<query>.estimates.rows", "rows", "estimates given"),
    ("queries.<query>.estimates.late", "windows", "answered for good before their prod was due"),
    ("queries.<query>.estimates.refused", "number", "prods that cannot be answered"),
    (
        "queries.<query>.estimates.aggressiveness.<source>",
        "share",
        "how long before the end of a window it is prodded, in slides",
    ),
    (
        "queries.<query>.estimates.accuracy.<column>.pairs",
        "number",
        "estimates whose final is known",
    ),
    ("queries.<query>.estimates.accuracy.<column>.mean", "percent", "their mean accuracy"),
    ("queries.<query>.estimates.accuracy.<column>.recent", "percent", "of the newest of them"),
    ("queries.<query>.estimates.accuracy.<column>.worst", "percent", "the worst of them"),
    (
        "queries.<query>.estimates.accuracy.<column>.in_band",
        "share",
        "of them whose final lay within the error band of its age",
    ),
    (
        "queries.<query>.estimates.sample.window_end",
        "time",
        "of one window that got its final now (one a batch at most, else left out)",
    ),
    ("queries.<query>.estimates.sample.column", "text", "the first column that is a number"),
    ("queries.<query>.estimates.sample.group", "text", "the first group; empty without groups"),
    ("queries.<query>.estimates.sample.final", "number", "its final value"),
    (
        "queries.<query>.estimates.sample.points",
        "list of [share, number]",
        "its estimates, 12 at most: age (share of the window that had passed) and value",
    ),
    ("queries.<query>.backlog.todo", "rows", "of a costly query: rows that wait for their turn"),
    ("queries.<query>.backlog.aside", "rows", "rows that wait aside, after an estimate"),
    ("queries.<query>.backlog.shed", "rows", "rows given up after an estimate"),
    ("queries.<query>.backlog.worked", "rows", "rows worked on"),
    (
        "queries.<query>.backlog.oldest",
        "time or null",
        "oldest event time that waits, aside or not; left out if not known",
    ),
    (
        "queries.<query>.backlog.expired",
        "rows",
        "rows whose lifespan was over; left out if there are no ranks and none expired",
    ),
    (
        "queries.<query>.backlog.complete",
        "rank",
        "with ranks: up to this rank no row waits, and none was given up in this batch; 0 for none",
    ),
    (
        "queries.<query>.backlog.budget",
        "units or null",
        "with ranks: rows and expected combinations that the batch could work on; null at the end",
    ),
    ("queries.<query>.backlog.used", "units", "with ranks: what it worked on"),
    (
        "queries.<query>.backlog.ranks.<rank>.admitted",
        "rows",
        "with ranks: rows that came, by rank (`none` for those without)",
    ),
    ("queries.<query>.backlog.ranks.<rank>.worked", "rows", "of that rank: rows worked on"),
    ("queries.<query>.backlog.ranks.<rank>.waiting", "rows", "rows that wait"),
    ("queries.<query>.backlog.ranks.<rank>.expired", "rows", "rows whose lifespan was over"),
    ("queries.<query>.backlog.ranks.<rank>.shed", "rows", "rows shed when they came, or set aside"),
    (
        "queries.<query>.backlog.ranks.<rank>.promising",
        "rows",
        "of those that came: not critical themselves, they will meet critical ones",
    ),
    (
        "queries.<query>.backlog.ranks.<rank>.used",
        "units",
        "part of the budget that the rows worked on took",
    ),
    ("queries.<query>.held", "bytes", "of a join: what its inputs and inner nodes hold"),
    (
        "queries.<query>.controllers.<controller>.<label>",
        "number, text or null",
        "what a controller explains of its decision, in its own words; left out if nothing",
    ),
    (
        "queries.<query>.controllers.ranks.criteria_<rank>",
        "number",
        "with ranks, in joins: values of join columns that promise the rank from the next batch on",
    ),
    (
        "queries.<query>.controllers.ranks.yield_<rank>",
        "results",
        "critical results they promise by what came lately; counted at each input that does",
    ),
    (
        "queries.<query>.controllers.ranks.best_<rank>",
        "text",
        "the best of them by name: `payments.customer = 19, 10`",
    ),
    ("state.runs", "number", "runs kept"),
    ("state.rows", "rows", "rows of state kept"),
    ("state.bytes", "bytes", "bytes of state kept"),
    ("state.by.<state>", "[runs, rows, bytes]", "the same by state; names as in the plan"),
    ("ms.<verb>", "milliseconds", "time spent in observe, decide, execute, deliver, commit"),
    ("tasks.ms.<task>", "milliseconds", "in the spark tier: how long a task was busy"),
    ("tasks.rows.<task>", "rows", "new rows that it worked on, those of lower levels included"),
    (
        "tasks.held.<task>",
        "rows",
        "rows of state that it had before the batch; those that several have count at each",
    ),
    ("tasks.split", "number", "groups that several tasks shared"),
    ("tasks.moved", "number", "groups that have other tasks than in the batch before"),
    (
        "added.<query>",
        "time or null",
        "a query came with this batch, and gives what ends later than this; null: everything",
    ),
    ("removed", "list of text", "queries that went with this batch"),
)  # fmt: skip

KINDS: tuple[Kind, ...] = (
    Kind(
        "start",
        "a pipeline was started, or started again",
        _fields(
            ("schema", "number", "version of this schema"),
            ("pipeline", "text", "identity of the pipeline"),
            ("batch", "number", "newest batch done before; -1 for none"),
            ("plan", "object", "the plan as `slackwater explain` gives it, contracts included"),
            ("trigger", "text or null", "time between batches as it was given"),
        ),
    ),
    Kind("batch", "a batch was committed: what it read, decided, gave and took", _BATCH),
    Kind(
        "tier",
        "from the next batch on, state is advanced elsewhere",
        _fields(
            ("batch", "number", "the batch that decided it"),
            ("tier", "text", "the tier from now on"),
            ("was", "text", "the tier until now"),
            ("rows", "rows", "rows of state"),
            ("reason", "text", "`pinned` by a person, or `size`"),
        ),
    ),
    Kind(
        "prod",
        "a person's demand for an estimate was taken in",
        _fields(
            ("batch", "number", "the batch that took it"),
            ("prod", "text", "its id, as in the results"),
            ("query", "text", "the query it is for"),
            ("rows", "rows", "estimates given"),
            ("reason", "text or null", "why there is none"),
        ),
    ),
    Kind(
        "replan",
        "a person's demand for another tree of a join was taken in",
        _fields(
            ("batch", "number", "the batch that took it"),
            ("request", "text", "its id"),
            ("query", "text", "the query it is for"),
            ("tree", "text", "the tree in force from this batch on"),
            ("reason", "text or null", "why it is not the one asked for"),
        ),
    ),
    Kind(
        "migration",
        "a join began to change its tree, or is done with that",
        _fields(
            ("batch", "number", "the batch that tells it"),
            ("query", "text", "the query that joins"),
            ("tree", "text", "the tree from now on"),
            ("was", "text", "the tree before"),
            ("how", "text", "`moving` (made in one batch) or `parallel` (both side by side)"),
            ("since", "number", "the batch it began with"),
            ("batches", "number or null", "how many batches it took; null while it is under way"),
        ),
    ),
    Kind(
        "change",
        "from the next batch on the pipeline has other queries",
        _fields(
            ("batch", "number", "newest batch done before"),
            ("added", "list of text", "queries that it has now"),
            ("removed", "list of text", "queries that it has no more"),
            (
                "how",
                "text",
                "`in place`, `restarted` (Spark's query, on the same offsets), `started` otherwise",
            ),
            ("plan", "object", "the plan from now on, as in `start`"),
        ),
    ),
    Kind(
        "demand",
        "a person's demand that a query comes or goes was taken in",
        _fields(
            ("batch", "number", "newest batch done before"),
            ("demand", "text", "its id"),
            ("query", "text", "the query"),
            ("asked", "text", "`add` or `remove`"),
            (
                "how",
                "text or null",
                "as in `change`, or `there already`; null: nothing was done",
            ),
            ("reason", "text or null", "why nothing was done"),
        ),
    ),
    Kind(
        "query_added",
        "a query came while the streams were under way",
        _fields(
            ("batch", "number", "its first batch"),
            ("query", "text", "its name"),
            (
                "whole_after",
                "time or null",
                "answers that end later are whole, others are not given; null: all are whole",
            ),
        ),
    ),
    Kind(
        "query_removed",
        "a query went; what nobody else reads of its state is gone",
        _fields(
            ("batch", "number", "the first batch without it"),
            ("query", "text", "its name"),
        ),
    ),
    Kind(
        "notice",
        "something a person should hear of",
        _fields(("batch", "number", "when"), ("text", "text", "what")),
    ),
    Kind(
        "error",
        "a batch failed and was not committed",
        _fields(("batch", "number", "which"), ("error", "text", "why, and the way out")),
    ),
    Kind(
        "repair",
        "the checkpoint was taken back; later batches never happened",
        _fields(
            ("batch", "number", "the batch gone back to; -1 for the beginning"),
            ("removed", "list of text", "files removed"),
        ),
    ),
    Kind(
        "stop",
        "the pipeline ended in good order; absent after a kill",
        _fields(
            ("batch", "number", "newest batch done"),
            (
                "reason",
                "text",
                "`stopped` (before everything was read), `ended`, `sealed` or `failed`",
            ),
        ),
    ),
    Kind(
        "segment",
        "first line of a file that follows a full one; readers of events skip it",
        _fields(
            ("schema", "number", "version of this schema"),
            ("after", "text", "name of the file before"),
            ("start", "object or null", "the newest `start` event, in case it is forgotten"),
        ),
    ),
    Kind(
        "damaged",
        "never written: what readers give for a line that is not an event",
        _fields(("text", "text", "the beginning of the line")),
    ),
)
