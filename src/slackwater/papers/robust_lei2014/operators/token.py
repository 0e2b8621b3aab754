"""Route tokens: the way of a batch as a stack of operators (r-token; spec robust 3.2)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from slackwater.robust.pipeline import Order


@dataclass(frozen=True, slots=True)
class Token:
    """Operators that a batch still has to meet, the next one last, as a stack has its top."""

    stack: Order

    @classmethod
    def of(cls, plan: Order) -> Token:
        return cls(plan[::-1])

    @property
    def next(self) -> int | None:
        """Whose queue the batch waits in; ``None`` is the output."""
        return self.stack[-1] if self.stack else None

    def popped(self, operator: int) -> Token:
        """After an operator, which is the one on top."""
        if self.next != operator:
            raise ValueError(f"operator {operator} got a batch that is on its way to {self.next}")
        return replace(self, stack=self.stack[:-1])
