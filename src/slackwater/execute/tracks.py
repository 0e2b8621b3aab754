"""Parallel track: a join runs by two trees at once until no old row can be part of a result.

Old rows and combinations are those in runs of batches before the change; combinations that are made
later and have an old member are put there, too. So one fence tells old from new in every state, and
what is all new of a state that both trees keep is made once, for both (design note 10). Where one
of the trees works over groups of rows and the other does not, they keep no state in common.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field, fields, replace
from typing import Any

import pyarrow as pa

from slackwater.execute.engine import Wanted
from slackwater.execute.joins import JoinRunner, Made
from slackwater.migrate.match import inner_states
from slackwater.migrate.track import Track
from slackwater.plan.sql.joins import JoinWriter
from slackwater.plan.tree import JoinNode, Tree, inputs_of, nodes_of
from slackwater.runs.catalog import Catalog
from slackwater.runs.run import Run, new_run


@dataclass(frozen=True, slots=True)
class TrackRunner(JoinRunner):
    """The new tree, over new rows alone, and the old one beside it."""

    track: Track = field(kw_only=True)

    @classmethod
    def of(cls, runner: JoinRunner, track: Track) -> TrackRunner:
        return cls(**_common(runner), tree=runner.tree, track=track)

    def run(self) -> pa.Table | None:
        """What is all new by the new tree, everything else by the old one: together all, once."""
        past = self.catalog.copy()
        made = self._inner_nodes()
        new = self._results(made)
        was, since = self.track.was, self.track.since
        other: TrackRunner = replace(self, tree=was)
        young = other._beside(made, inner_states(self.plan, self.tree))
        old = OldTrack(**_common(self), tree=was, since=since, past=past, young=young)
        both = ((self, new), (old, old.run()))
        found = [self._alike(runner, some) for runner, some in both if some is not None]
        return pa.concat_tables(found) if found else None

    def shown(self, labels: dict[str, int], schema: pa.Schema) -> pa.Table | None:
        results = self.run()
        return None if results is None else self.present(results, labels, schema)

    def _beside(self, made: Made, kept: Container[str]) -> Made:
        """What is all new of the nodes of this tree, which may still meet an old row. What was
        ``made`` for a tree that has ``kept`` such states is not made again.
        """
        found = {names: one for names, one in made.items() if self.plan.identity(names) in kept}
        for node in nodes_of(self.tree)[:-1]:
            if self.plan.identity(frozenset(inputs_of(node))) not in kept:
                found |= self._inner(node, found)
        return found

    def _alike(self, runner: JoinRunner, results: pa.Table) -> pa.Table:
        """Results of one of the trees; those over rows as groups, if the others are."""
        if runner.tree.is_grouped or not (self.tree.is_grouped or self.track.was.is_grouped):
            return results
        assert self.rows.grouped is not None
        shape = self.rows.grouped
        statement = JoinWriter(self.engine.writer, shape.plan).gathered(runner.plan)
        return self.engine.run(statement, shape.results, {}, {"results": results})

    def _past(self, identity: str) -> list[Run]:
        since = self.track.since
        return [run for run in self.catalog.at(identity) if since <= run.batch != self.batch]


@dataclass(frozen=True, slots=True)
class OldTrack(JoinRunner):
    """The old tree: it gives, and its nodes keep, what has an old member.

    ``past`` is what there was before the batch, ``young`` what is all new and was made in it.
    """

    since: int = field(kw_only=True)
    past: Catalog = field(kw_only=True)
    young: Made = field(kw_only=True)

    @property
    def writer(self) -> JoinWriter:
        return JoinWriter(self.engine.writer, self.plan, self.late, mixed=True)

    def _new_run(self, identity: str) -> Run:
        return replace(new_run(identity, self.batch, "o"), batch=self.since - 1)

    def _past(self, identity: str) -> list[Run]:
        return [run for run in self.past.at(identity) if run.batch != self.batch]

    def _is_new(self, child: Tree, made: Made) -> bool:
        return JoinRunner._is_new(self, child, self.young | made)

    def _sources(self, node: JoinNode, made: Made) -> dict[str, pa.Table | Wanted]:
        found = JoinRunner._sources(self, node, self.young)
        for number, child in enumerate(node.children):
            names, held = frozenset(inputs_of(child)), self._held(child)
            kind = self.shape.input(child) if isinstance(child, str) else self.shape.kept(names)
            old = [run for run in held if run.batch < self.since]
            found[f"h{number}"] = Wanted([run for run in held if run.batch >= self.since], kind)
            found[f"o{number}"] = Wanted(old, kind)
            found[f"p{number}"] = made.get(names, Wanted([], kind))
        return found


def _common(runner: JoinRunner) -> dict[str, Any]:
    """All of a runner but its tree and what that lacks."""
    names = [one.name for one in fields(JoinRunner) if one.name not in ("tree", "missing")]
    return {name: getattr(runner, name) for name in names}
