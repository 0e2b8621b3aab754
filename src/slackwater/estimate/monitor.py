"""The accuracy monitor: what estimates were worth once their finals were known.

Nothing can be said of an estimate when it is made: values and arrivals to come are unknown. But
estimates made at the same *age* (the share of the window's span that the clock had passed) tend to
be off alike, so what was seen of them before gives an error band and the share of rows to expect.
Whether finals lie within their bands is seen, too, and how wide bands are planned follows from it
(``Hits``): the share that is promised comes out, however the future differs from the past.

The monitor sees pairs of estimate and final. It keeps running accuracy over all of them, by age and
by group; by age also a histogram of the ratio final / estimate and the mean share of rows.

Reference: Bhat 2011, ch. 6, sections 3.4, 4.4 (M9), ch. 5 (online aggregation).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from slackwater.errors import SlackwaterError, check_version
from slackwater.estimate.band import Hits
from slackwater.estimate.ratios import MEMORY, Ratios
from slackwater.estimate.running import Running
from slackwater.units import fingerprint

Array = npt.NDArray[np.float64]

VERSION = 1
BINS_PER_SPAN = 20
LAST_BIN = 2 * BINS_PER_SPAN  # everything from age 2 on
ENOUGH = 20
LONGEST_NAME = 48
OTHERS = ""


@dataclass(frozen=True, slots=True)
class MonitorParams:
    """What is remembered.

    Parameters
    ----------
    last
        ``N`` of "accuracy of the last N", over all pairs.
    last_each
        The same by age and by group.
    weight
        Weight of the newest pair in the exponentially weighted mean.
    groups
        How many groups are told apart: the first that come. Pairs of all others are counted under
        the empty name, until a group has not been heard of for ``patience`` calls and gives way.
    patience
        See ``groups``.
    band
        The share of finals that lies within the error bands.
    """

    last: int = 100
    last_each: int = 8
    weight: float = 0.05
    groups: int = 24
    patience: int = 100
    band: float = 0.9

    def __post_init__(self) -> None:
        counts = (self.last, self.last_each, self.patience)
        shares = 0 < self.weight <= 1 and 0 < self.band < 1
        if min(counts) < 1 or self.groups < 0 or not shares:
            raise SlackwaterError(
                "MONITOR_INVALID",
                f"accuracy monitor: {self}",
                "last, last_each and patience from 1, groups from 0, weight above 0 up to 1, "
                "band between 0 and 1",
            )


@dataclass(frozen=True)
class Pairs:
    """Estimates whose finals are now known, one entry each, oldest first.

    Parameters
    ----------
    age
        Share of the window's span that the clock had passed when the estimate was made; above 1
        after the window's end.
    accuracy
        M1 in percent, 0 to 100.
    ratio
        Final / estimate, ``nan`` where it is undefined.
    rows_share
        Rows in the estimate / rows in the final, ``nan`` if unknown.
    group
        Name of the group, ``None`` if the query has none.
    """

    age: Array
    accuracy: Array
    ratio: Array
    rows_share: Array
    group: npt.NDArray[np.str_] | None = None

    @property
    def size(self) -> int:
        return int(self.age.size)

    def __post_init__(self) -> None:
        sizes = {column.size for column in (self.accuracy, self.ratio, self.rows_share)}
        sizes |= set() if self.group is None else {self.group.size}
        if sizes != {self.age.size}:
            raise SlackwaterError(
                "PAIRS_INVALID", "accuracy monitor: the columns of the pairs differ in length"
            )


@dataclass(frozen=True, slots=True)
class AgeBin:
    """What is known of estimates of about one age."""

    running: Running = field(default_factory=Running)
    ratios: Ratios = field(default_factory=Ratios)
    share: float | None = None
    share_weight: float = 0.0
    hits: Hits = field(default_factory=Hits)

    def band(self, level: float) -> tuple[float, float] | None:
        """Factors between which finals lie, for a share ``level`` of the estimates."""
        if self.running.pairs < ENOUGH:
            return None
        return self.hits.widened(self.ratios, level)


@dataclass(frozen=True, slots=True)
class Group:
    """What is known of the estimates of one group, and the call in which it was last seen."""

    running: Running
    seen: int


@dataclass(frozen=True, slots=True)
class MonitorState:
    """Everything the monitor knows."""

    overall: Running = field(default_factory=Running)
    ages: tuple[tuple[int, AgeBin], ...] = ()
    groups: tuple[tuple[str, Group], ...] = ()
    calls: int = 0
    version: int = VERSION

    @property
    def in_band(self) -> float | None:
        """The share of finals that lay within the bands of their estimates; ``None`` before any."""
        judged = sum(one.hits.pairs for _, one in self.ages)
        return sum(one.hits.inside for _, one in self.ages) / judged if judged else None

    def to_json(self) -> dict[str, Any]:
        """A few kilobytes, 25 at most."""
        return {
            "version": self.version,
            "calls": self.calls,
            "overall": self.overall.to_json(),
            "ages": [
                [
                    bin_,
                    one.running.to_json(),
                    one.ratios.to_json(),
                    one.share,
                    one.share_weight,
                    one.hits.to_json(),
                ]
                for bin_, one in self.ages
            ],
            "groups": [[name, one.running.to_json(), one.seen] for name, one in self.groups],
        }

    @classmethod
    def from_json(cls, form: Mapping[str, Any]) -> MonitorState:
        state = cls(
            Running.from_json(form["overall"]),
            tuple(
                (
                    bin_,
                    AgeBin(
                        Running.from_json(run),
                        Ratios.from_json(ratios),
                        share,
                        weight,
                        Hits(*(judged[0] if judged else ())),
                    ),
                )
                for bin_, run, ratios, share, weight, *judged in form["ages"]
            ),
            tuple(
                (name, Group(Running.from_json(run), seen)) for name, run, seen in form["groups"]
            ),
            form["calls"],
            form["version"],
        )
        check_version("accuracy monitor", state, VERSION)
        return state


def take(params: MonitorParams, state: MonitorState, pairs: Pairs) -> MonitorState:
    """The state after some estimates met their finals.

    Pairs without an accuracy (``nan``) or an age are not counted anywhere.

    Examples
    --------
    >>> ones = np.ones(30)
    >>> pairs = Pairs(ones * 0.75, ones * 80.0, ones * 1.25, ones * 0.8)
    >>> state = take(MonitorParams(), MonitorState(), pairs)
    >>> state.overall.mean, coverage(state, 0.76), coverage(state, 0.2)
    (80.0, 0.8, None)
    """
    check_version("accuracy monitor", state, VERSION)
    usable = np.isfinite(pairs.accuracy) & np.isfinite(pairs.age)
    if not usable.any():
        return state
    accuracies = np.clip(pairs.accuracy[usable], 0.0, 100.0)
    calls = state.calls + 1
    groups = state.groups
    if pairs.group is not None:
        groups = _by_group(params, groups, accuracies, pairs.group[usable], calls)
    return MonitorState(
        state.overall.add(accuracies, last=params.last, weight=params.weight),
        _by_age(params, dict(state.ages), pairs, usable, accuracies),
        groups,
        calls,
    )


def age_bin(age: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Bins of 1/20 of the span up to age 2; all later ages share the last bin."""
    ages = np.clip(np.asarray(age, np.float64), 0.0, LAST_BIN / BINS_PER_SPAN)
    return np.asarray(np.floor(ages * BINS_PER_SPAN + 1e-9), dtype=np.int64)


def _by_age(
    params: MonitorParams,
    ages: dict[int, AgeBin],
    pairs: Pairs,
    usable: npt.NDArray[np.bool_],
    accuracies: Array,
) -> tuple[tuple[int, AgeBin], ...]:
    bins = age_bin(pairs.age[usable])
    ratio, rows_share = pairs.ratio[usable], pairs.rows_share[usable]
    for number in np.unique(bins).tolist():
        here = bins == number
        before = ages.get(number, AgeBin())
        share, weight = _share(before, rows_share[here])
        running = before.running.add(accuracies[here], last=params.last_each, weight=params.weight)
        hits = before.hits.add(before.band(params.band), ratio[here], params.band)
        ages[number] = AgeBin(running, before.ratios.add(ratio[here]), share, weight, hits)
    return tuple(sorted(ages.items()))


def _share(before: AgeBin, new: Array) -> tuple[float | None, float]:
    """Mean share of rows; as with ratios one call counts for a quarter of the memory at most."""
    known = new[np.isfinite(new)]
    if not known.size:
        return before.share, before.share_weight
    weight = min(float(known.size), MEMORY / 4)
    total = before.share_weight + weight
    mean = ((before.share or 0.0) * before.share_weight + float(known.mean()) * weight) / total
    return round(mean, 6), min(total, MEMORY)


def _by_group(
    params: MonitorParams,
    before: Iterable[tuple[str, Group]],
    accuracies: Array,
    names: npt.NDArray[np.str_],
    calls: int,
) -> tuple[tuple[str, Group], ...]:
    found, inverse = np.unique(names, return_inverse=True)
    short = [_short(name) for name in found.tolist()]
    known = dict(before)
    _make_room(params, known, short, calls)
    kept = {name: number for number, name in enumerate(short) if name in known and name != OTHERS}
    mine = {name: accuracies[inverse == number] for name, number in kept.items()}
    rest = accuracies[~np.isin(inverse, list(kept.values()))]
    if rest.size:
        mine[OTHERS] = rest
    for name, new in mine.items():
        past = known[name].running if name in known else Running()
        added = past.add(new, last=params.last_each, weight=params.weight)
        known[name] = Group(added, calls)
    return tuple(known.items())


def _make_room(
    params: MonitorParams, known: dict[str, Group], present: Sequence[str], calls: int
) -> None:
    """New groups take the free places, then those of groups that fell silent."""
    here = frozenset(present)
    silent = [
        name
        for name, one in sorted(known.items(), key=lambda entry: entry[1].seen)
        if name != OTHERS and one.seen + params.patience < calls and name not in here
    ]
    for name in dict.fromkeys(present):
        if name in known or name == OTHERS:
            continue
        if sum(other != OTHERS for other in known) >= params.groups:
            if not silent:
                return
            del known[silent.pop(0)]
        known[name] = Group(Running(), calls)


def _short(name: str) -> str:
    if len(name) <= LONGEST_NAME:
        return name
    return f"{name[: LONGEST_NAME - 18]}…{fingerprint(name)}"


def band(
    state: MonitorState, age: float, level: float = 0.9, *, enough: int = ENOUGH
) -> tuple[float, float] | None:
    """Factors for an error band of an estimate made at an age.

    Of past estimates of that age a share ``level`` had its final between ``low`` and ``high`` times
    the estimate; wider or narrower if that share did not come out so far. ``None`` until ``enough``
    pairs were seen.
    """
    if not 0 < level < 1:
        raise SlackwaterError("LEVEL_INVALID", f"error band: level is {level}, allowed is 0 to 1")
    known = dict(state.ages).get(int(age_bin(age)))
    if known is None or known.running.pairs < enough:
        return None
    return known.hits.widened(known.ratios, level)


def bands(
    state: MonitorState, ages: npt.ArrayLike, level: float = 0.9, *, enough: int = ENOUGH
) -> tuple[Array, Array]:
    """:func:`band` for many ages: low and high factors, ``nan`` where nothing is known."""
    wanted = np.asarray(ages, np.float64)
    numbers, inverse = np.unique(age_bin(wanted), return_inverse=True)
    found = [
        band(state, number / BINS_PER_SPAN, level, enough=enough) or (np.nan, np.nan)
        for number in numbers.tolist()
    ]
    table = np.asarray(found, dtype=np.float64).reshape(-1, 2)[inverse.reshape(wanted.shape)]
    return table[..., 0], table[..., 1]


def coverage(state: MonitorState, age: float, *, enough: int = ENOUGH) -> float | None:
    """The share of its final rows that an estimate of that age had; ``None`` until known."""
    known = dict(state.ages).get(int(age_bin(age)))
    if known is None or known.share_weight < enough:
        return None
    return known.share


def coverages(state: MonitorState, ages: npt.ArrayLike, *, enough: int = ENOUGH) -> Array:
    """:func:`coverage` for many ages, ``nan`` where nothing is known."""
    table = np.full(LAST_BIN + 1, np.nan)
    for number, one in state.ages:
        if one.share is not None and one.share_weight >= enough:
            table[number] = one.share
    return np.asarray(table[age_bin(ages)])
