"""What a task has of the groups: some whole, of others a part."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from slackwater.control.share import Share
from slackwater.control.turn import Turn
from slackwater.execute.slices import GROUPS, Numbers
from slackwater.migrate.match import inner_states
from slackwater.runs.run import Run, Slice


@dataclass(frozen=True, slots=True)
class Parted:
    """States of joins in groups that several tasks have: ``divided`` ones are parted between them,
    so that each result is found by one; of ``everywhere`` ones each has all.
    """

    divided: frozenset[str] = frozenset()
    everywhere: frozenset[str] = frozenset()

    @classmethod
    def of(cls, share: Share, turns: Mapping[str, Turn]) -> Parted:
        """Every combination with a row of the divided input is divided with it."""
        divided: set[str] = set()
        everywhere: set[str] = set()
        for name, identity in share.divided.items():
            join, trees = turns[name].query.join, turns[name].trees
            assert join is not None
            members = {one.state.identity: frozenset({one.name}) for one in join.inputs}
            chosen = members[identity]
            groups = () if join.grouped is None else join.grouped.inputs
            members |= {one.state.identity: frozenset({one.name}) for one in groups}
            members |= inner_states(join, *trees)
            for state, names in members.items():
                (divided if chosen <= names else everywhere).add(state)
        return cls(frozenset(divided), frozenset(everywhere))


@dataclass(frozen=True, slots=True)
class Portion:
    """The groups of a task: those that it has alone, and its part of others as (number, of)."""

    alone: frozenset[int]
    pieces: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    parted: Parted = field(default_factory=Parted)

    @classmethod
    def of(cls, task: int, share: Share, parted: Parted) -> Portion:
        mine = {group: tasks for group, tasks in enumerate(share.tasks) if task in tasks}
        return cls(
            frozenset(group for group, tasks in mine.items() if len(tasks) == 1),
            {g: (tasks.index(task), len(tasks)) for g, tasks in mine.items() if len(tasks) > 1},
            parted,
        )

    def read(self, state: str) -> frozenset[int]:
        """The groups of which it reads rows of a state."""
        if state in self.parted.divided or state in self.parted.everywhere:
            return self.alone | self.pieces.keys()
        return self.alone | self._first

    def kept(self, state: str) -> frozenset[int]:
        """The groups of which it keeps rows of a state: nobody else does."""
        if state in self.parted.divided:
            return self.alone | self.pieces.keys()
        return self.alone | self._first

    @property
    def _first(self) -> frozenset[int]:
        return frozenset(group for group, (number, _) in self.pieces.items() if number == 0)

    def reading(self, run: Run) -> Run | None:
        """What the task reads of a run; one that does not lie by group is looked through."""
        if run.slices is None or not run.is_grouped:
            return run
        read, divided = self.read(run.state), run.state in self.parted.divided
        mine = (one for one in run.slices if one.group in read)
        return _having(run, (self._part(one) if divided else one for one in mine))

    def keeping(self, run: Run) -> Run | None:
        """What the task keeps of a run that it has read or written."""
        kept = self.kept(run.state)
        return _having(run, (one for one in run.slices or () if one.group in kept))

    def _part(self, whole: Slice) -> Slice:
        number, of = self.pieces.get(whole.group, (0, 1))
        first, end = (whole.rows * n // of for n in (number, number + 1))
        return Slice(whole.group, whole.first + first, end - first)

    def mask(self, groups: Numbers, state: str) -> npt.NDArray[np.bool_]:
        """Which rows of a table that does not lie by group are read, given the group of each."""
        found = among(groups, self.read(state))
        if state in self.parted.divided:
            for group, (number, of) in self.pieces.items():
                found &= (groups != group) | (np.arange(groups.size) % of == number)
        return found


def among(groups: Numbers, some: frozenset[int]) -> npt.NDArray[np.bool_]:
    """Which rows are of some groups."""
    member = np.zeros(GROUPS, np.bool_)
    member[list(some)] = True
    return member[groups]


def _having(run: Run, slices: Iterable[Slice]) -> Run | None:
    mine = tuple(one for one in slices if one.rows)
    return replace(run, slices=mine, rows=sum(one.rows for one in mine)) if mine else None
