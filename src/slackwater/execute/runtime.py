"""Who gives rows to the loop, and does with them what only they can: Spark, or a test.

Everything above rows runs without knowing which (design note 8).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from slackwater.control.records import Tier
from slackwater.errors import SlackwaterError
from slackwater.execute.hands import B, Hands
from slackwater.execute.place import Here, Place
from slackwater.execute.sinks.sink import Results
from slackwater.runs.run import Run


class Runtime(Hands[B], Protocol[B]):
    """What the loop needs of whoever gives it rows of the kind ``B``."""

    def place(self, tier: Tier, here: Here[B], rows: B | None) -> Place[B]:
        """Where this batch is worked on; ``here`` is this process."""
        ...

    def done(self, rows: B | None) -> None:
        """The rows of a batch are not read any more."""
        ...

    def keep_only(self, runs: Sequence[Run], tier: Tier) -> None:
        """Of all runs only these are live; ``tier`` is where the batch was run."""
        ...

    def malformed(self) -> dict[str, Results]:
        """What came with the batch at hand and is no row, by stream that has some."""
        ...

    def notices(self, batch: int) -> list[str]:
        """What a person should know of where the rows of a batch came from."""
        ...

    def failure(self, error: BaseException, batch: int) -> SlackwaterError | None:
        """An error in words for people, if it is one of this runtime's."""
        ...

    def close(self) -> None:
        """Give memory back."""
        ...
