"""Windows that were answered, and what became of them: before, when and after they are judged.

A window that was answered when the clock was ``waited`` granules past its end missed exactly the
rows that needed a longer slack. So its arrival curve tells at any time how likely it is broken,
long before the meter judges it; and afterwards, when a row comes that the meter did not wait for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from slackwater.disorder.arrivals import Array, Steps

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Answer:
    """A window that ends at ``end``; ``broken`` is the share of its results charged already."""

    end: int
    waited: int
    broken: float = 0.0


@dataclass(frozen=True, slots=True)
class Answered:
    """Windows that end up to ``upto`` were answered; those that are followed, by judgement.

    ``results`` are those of a window, by the newest judgement.
    """

    upto: int | None = None
    pending: tuple[Answer, ...] = ()
    judged: tuple[Answer, ...] = ()
    results: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Hindsight:
    """``kept[w, k]``: the share of the results of window ``ends[w]`` a slack of ``steps[k]`` keeps.

    Windows that are ``mature`` have (nearly) all their rows.
    """

    ends: Steps
    steps: Steps
    kept: Array | Bools
    mature: Bools

    def remembered(self, answers: Sequence[Answer]) -> Iterator[tuple[Answer, float, bool]]:
        """Answers with the share of each that is broken by what has come so far, and whether its
        window is mature; those that are forgotten are left out.
        """
        if not answers or not self.ends.size:
            return
        ends = np.array([one.end for one in answers], dtype=np.int64)
        waited = np.array([one.waited for one in answers], dtype=np.int64)
        at = np.minimum(np.searchsorted(self.ends, ends), self.ends.size - 1)
        columns = np.searchsorted(self.steps, waited, side="right") - 1
        broken = (1.0 - self.kept[at, columns]).tolist()
        known = (self.ends[at] == ends).tolist()
        found = zip(answers, broken, self.mature[at].tolist(), known, strict=True)
        yield from (
            (one, share, is_mature) for one, share, is_mature, is_known in found if is_known
        )


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the meter measured last: results, those broken, and up to where windows are judged."""

    results: int = 0
    broken: int = 0
    settled: int | None = None


def answer(state: Answered, found: Iterable[Answer], upto: int | None) -> Answered:
    """Windows up to an instant were answered, each as it was found then."""
    if upto is None:
        return state
    new = (a for a in found if a.end <= upto and (state.upto is None or a.end > state.upto))
    return Answered(upto, (*state.pending, *new), state.judged, state.results)


def judge(
    state: Answered, past: Hindsight, judgement: Judgement
) -> tuple[Answered, int, float, float]:
    """Windows judged now: how many, broken by the meter, and earlier ones broken since; in windows.

    An earlier one that rows came for after all is charged what they broke, by its curve.
    """
    until = judgement.settled
    now = tuple(a for a in state.pending if until is not None and a.end <= until)
    results = judgement.results / len(now) if now and judgement.results else state.results
    earlier = tuple(_charged(state.judged, past))
    charged = {one.end: one.broken for one in state.judged}
    lost = sum(one.broken - charged[one.end] for one in earlier)
    after = Answered(
        state.upto,
        tuple(a for a in state.pending if until is None or a.end > until),
        (*earlier, *_charged(now, past)),
        results,
    )
    return after, len(now), judgement.broken / (results or 1.0), lost


def _charged(answers: Sequence[Answer], past: Hindsight) -> Iterator[Answer]:
    """Answers that are remembered still, with all that is broken of them."""
    for one, broken, _ in past.remembered(answers):
        yield one if broken <= one.broken else Answer(one.end, one.waited, broken)


def pending(state: Answered, past: Hindsight, risk: float) -> tuple[float, ...]:
    """What is expected of answers not judged yet; of those that may fail still, their share."""
    found = past.remembered(state.pending)
    return tuple(broken if is_mature else max(broken, risk) for _, broken, is_mature in found)
