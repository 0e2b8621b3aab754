"""A Python function over rows, as a person gives it: what it is called, what it reads, how.

A function is given columns by the names of its parameters, or a whole record batch. What it is
called and what it gives are what it means; its code is not looked at.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

FilterOrder = Literal["robust", "adaptive", "written"]
FILTER_ORDERS: tuple[FilterOrder, ...] = get_args(FilterOrder)
BATCH = "RecordBatch"  # of pyarrow, which the core does not know
_KEYWORDS = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


@dataclass(frozen=True, slots=True)
class Function:
    """A function and what was said of it.

    ``order`` is that of a filter among others; ``returns`` the columns of one that computes them:
    a type, or types by name. With ``effects`` it does something that is not to be done twice.
    """

    call: Any
    given: str | None = None
    order: str | None = None
    effects: bool = False
    returns: str | Mapping[str, str] | None = None

    @property
    def name(self) -> str | None:
        """What it is called; ``None`` of one that has no name of its own."""
        if self.given is not None or not callable(self.call):
            return self.given
        name = getattr(self.call, "__name__", None) or type(self.call).__name__
        is_named = inspect.isroutine(self.call) or not hasattr(self.call, "func")
        return name if is_named and str(name).isidentifier() else None

    @property
    def shown(self) -> str:
        """What messages call it."""
        if not callable(self.call):
            return repr(self.call)
        return self.name or str(getattr(self.call, "__qualname__", repr(self.call)))

    @property
    def columns(self) -> dict[str, str]:
        """What it computes: types by name."""
        if isinstance(self.returns, str):
            return {self.name or "": self.returns}
        return dict(self.returns) if isinstance(self.returns, Mapping) else {}

    @property
    def commutes(self) -> bool:
        """Whether it may run before filters that were written before it, and after later ones."""
        return not self.effects and self.order != "written"


@dataclass(frozen=True, slots=True)
class Reads:
    """What a function is given: columns by parameter, needed or not, or whole batches."""

    needed: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    is_batch: bool = False


def reads_of(function: Callable[..., Any]) -> Reads:
    """What the parameters of a function ask for; raises ``ValueError`` with the reason if they do
    not say.
    """
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        raise ValueError("its parameters cannot be seen") from None
    if any(one.kind in _KEYWORDS for one in parameters):
        raise ValueError("*args and **kwargs name no columns")
    if not parameters:
        raise ValueError("it has no parameters, so that it would see no rows")
    if any(_is_batch(one.annotation) for one in parameters):
        if len([one for one in parameters if one.default is one.empty]) > 1:
            raise ValueError(f"one that takes a {BATCH} takes nothing else")
        return Reads(is_batch=True)
    if any(one.kind is one.POSITIONAL_ONLY for one in parameters):
        raise ValueError("parameters before / have no names")
    return Reads(
        tuple(one.name for one in parameters if one.default is one.empty),
        tuple(one.name for one in parameters if one.default is not one.empty),
    )


def _is_batch(annotation: Any) -> bool:
    name = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
    return str(name).rsplit(".", maxsplit=1)[-1] == BATCH
