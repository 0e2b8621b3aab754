"""Parallel track: a join runs by two trees at once until no old row can be part of a result.

Old rows and combinations are those in runs of batches before the change; combinations that are made
later and have an old member are put there, too. So one fence tells old from new in every state, and
what is all new of a state that both trees keep is made once, for both (design note 10).
"""

from __future__ import annotations

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
        made |= self._beside(made)
        was, since = self.track.was, self.track.since
        old = OldTrack(**_common(self), tree=was, since=since, past=past, young=made)
        found = [some for some in (new, old.run()) if some is not None]
        return pa.concat_tables(found) if found else None

    def shown(self, labels: dict[str, int], schema: pa.Schema) -> pa.Table | None:
        results = self.run()
        return None if results is None else self.present(results, labels, schema)

    def _beside(self, made: Made) -> Made:
        """What is all new of nodes that only the old tree has: it may still meet an old row."""
        found, mine = dict(made), inner_states(self.plan, self.tree).values()
        for node in nodes_of(self.track.was)[:-1]:
            if frozenset(inputs_of(node)) not in mine:
                found |= self._inner(node, found)
        return found

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
