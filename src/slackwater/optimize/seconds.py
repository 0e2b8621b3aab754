"""How long a plan takes, learned from how long batches took: least squares with a first guess.

Each kind of work has a price. The first guess says how prices relate to each other; how fast the
machine is comes from the first batch, and what kinds really cost from batches in which they differ.
No price becomes negative.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from slackwater.optimize.cost import Units, Work

# of a row kept, a pair made, a row scanned, a probe, a batch; on a machine that nobody has
GUESS = (2e-7, 6e-8, 1e-8, 5e-4, 1e-3)
FADING = 0.97  # the weight of what was known, with every batch
TRUST = 0.02  # the weight of the guess, as a part of that of all batches
LEAST = 0.05  # no kind of work costs less than this part of what the guess says
SWEEPS = 40


@dataclass(frozen=True, slots=True)
class Seconds:
    """Sums over batches, from which prices follow: ``square`` and ``across`` are those of least
    squares, in parts of the guess; ``wrong`` is the error of predictions, on average.
    """

    square: tuple[float, ...] = (0.0,) * len(GUESS) ** 2
    across: tuple[float, ...] = (0.0,) * len(GUESS)
    batches: int = 0
    wrong: float | None = None

    def after(self, work: Work, seconds: float) -> Seconds:
        """With what a batch took."""
        found = _parts(work)
        size = range(len(GUESS))
        # what is wrong by a tenth counts alike, in long batches and in short ones
        weight = 1 / max(seconds, 1e-3) ** 2
        square = (
            FADING * self.square[len(GUESS) * i + j] + weight * found[i] * found[j]
            for i in size
            for j in size
        )
        across = (FADING * self.across[i] + weight * found[i] * seconds for i in size)
        return Seconds(tuple(square), tuple(across), self.batches + 1, self._missed(work, seconds))

    def _missed(self, work: Work, seconds: float) -> float | None:
        if not self.batches or not seconds:
            return self.wrong
        error = abs(self.predicted(work) / seconds - 1)
        return error if self.wrong is None else self.wrong + 0.1 * (error - self.wrong)

    def predicted(self, work: Work) -> float:
        """How long a batch of this work takes."""
        return sum(p * part for p, part in zip(self._prices(), _parts(work), strict=True))

    @property
    def base(self) -> float:
        """What a batch takes whatever its plan."""
        return self._prices()[-1] * GUESS[-1]

    def units(self) -> Units:
        """The prices, as plans are compared by them."""
        rows, pairs, scanned, probes, _ = (
            price * guess for price, guess in zip(self._prices(), GUESS, strict=True)
        )
        return Units(insert=rows, delete=0.0, pair=pairs, scan=scanned, probe=probes)

    def _prices(self) -> list[float]:
        """In parts of the guess: least squares, drawn to one speed for all kinds of work."""
        size = len(GUESS)
        rows = [self.square[size * i : size * (i + 1)] for i in range(size)]
        total = sum(map(sum, rows))
        if not total:
            return [1.0] * size
        speed = sum(self.across) / total
        drawn = TRUST * sum(rows[i][i] for i in range(size)) / size
        prices = [speed] * size
        for _ in range(SWEEPS):
            for i in range(size):
                others = sum(rows[i][j] * prices[j] for j in range(size) if j != i)
                best = (self.across[i] - others + drawn * speed) / (rows[i][i] + drawn)
                prices[i] = max(LEAST * speed, best)
        return prices


def _parts(work: Work) -> Sequence[float]:
    done = (work.rows, work.pairs, work.scanned, work.probes, 1.0)
    return [amount * guess for amount, guess in zip(done, GUESS, strict=True)]
