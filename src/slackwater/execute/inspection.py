"""Whether the outputs of queries could be written to: asked beforehand, nothing is changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from slackwater.errors import SlackwaterError
from slackwater.execute.batch import Layout
from slackwater.execute.deliver import target_of
from slackwater.execute.derive import derived
from slackwater.execute.sinks.sink import Checkable, Output
from slackwater.plan.stage import PipelinePlan
from slackwater.query.stream import Query
from slackwater.runs.checkpoint import Checkpoint, Owner

_OUTPUTS: dict[str, Output] = {"sink": "results", "side": "late rows", "quality": "quality"}


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found out about an output: that it may be written to, or why not."""

    query: str
    output: Output
    text: str
    error: SlackwaterError | None = None


def inspect(
    plan: PipelinePlan, queries: Sequence[Query], checkpoint: Path | None
) -> Iterator[Finding]:
    """Look at every place that the queries name for their outputs.

    ``checkpoint`` is where the pipeline is to run: an output of it is its own.
    """
    stages, joins = derived(plan)
    layout = Layout(plan, stages, joins, {})
    plans = {query.name: query for query in plan.queries}
    for query in queries:
        for key, output in _OUTPUTS.items():
            sink = getattr(query, key)
            if sink is None:
                continue
            owner = _owner(checkpoint, f"{output} of query {query.name!r}")
            try:
                text = "cannot be looked at beforehand"
                if isinstance(sink, Checkable):
                    text = sink.check(target_of(plans[query.name], layout, output, owner))
                yield Finding(query.name, output, text)
            except SlackwaterError as error:
                yield Finding(query.name, output, error.message, error)


def _owner(checkpoint: Path | None, output: str) -> Owner:
    """Who will write: the checkpoint that is there, or one that is still to be made."""
    if checkpoint is not None:
        try:
            return Checkpoint(checkpoint).owner(output)
        except (OSError, ValueError, KeyError):  # none there, or one that opening it tells of
            pass
    return Owner("", str(checkpoint or ""), output)
