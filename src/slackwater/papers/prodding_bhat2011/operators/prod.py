"""Prods: demands, inside the stream, for an estimate of what they describe.

A *prod* looks like a punctuation and asserts nothing: tuples that match it may still come. It asks
every stateful operator for what it has, now. *Feedback* is the same demand on its way against
the stream, from whoever wants an answer to whoever can put a prod into the stream.

Reference: Bhat 2011, ch. 3.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from slackwater.errors import SlackwaterError
from slackwater.papers.prodding_bhat2011.operators.predicate import (
    ANY,
    Eq,
    In,
    Le,
    Predicate,
    Range,
    from_json,
)

Source = Literal["control", "adapter", "prodder", "feedback", "refresh", "recorded"]
Form = Literal["equality", "bound", "range", "general"]
Scope = Literal["plain", "group-wise", "general"]
Kind = Form | Scope


@dataclass(frozen=True, slots=True)
class Pattern:
    """Predicates on the attributes of a stream: the shape of prods, feedback, punctuations.

    Parameters
    ----------
    id
        Unique within a query; estimates carry it.
    time
        Predicate on the windowing attribute: ``Eq(t)`` is the one window that ends at ``t``,
        ``Le(t)`` every open window that ends by then, ``ANY`` every open window.
    attributes
        Predicates on other attributes by name; those not named are free.
    """

    id: int | str
    time: Predicate = ANY
    attributes: tuple[tuple[str, Predicate], ...] = ()

    def __post_init__(self) -> None:
        asked = dict(self.attributes)
        if len(asked) != len(self.attributes):
            raise SlackwaterError(
                "PROD_INVALID",
                f"prod {self.id}: an attribute is constrained twice",
                "give one predicate for each attribute",
            )
        kept = sorted((name, one) for name, one in asked.items() if one != ANY)
        object.__setattr__(self, "attributes", tuple(kept))

    @property
    def form(self) -> Form:
        """How it names windows; ``general`` for a set of them, or no word on time."""
        match self.time:
            case Eq():
                return "equality"
            case Le():
                return "bound"
            case Range():
                return "range"
        return "general"

    @property
    def scope(self) -> Scope:
        """Whom it asks for: all groups, groups named by their values, or a wider pattern."""
        if not self.attributes:
            return "plain"
        named = all(isinstance(one, Eq) for _, one in self.attributes)
        return "group-wise" if named else "general"

    @property
    def kinds(self) -> frozenset[Kind]:
        """Form and scope; a prod is of both kinds at once."""
        return frozenset((self.form, self.scope))

    def matches(self, values: Mapping[str, Any]) -> bool:
        """Whether values of attributes satisfy all predicates on attributes, time apart."""
        return all(one.matches(values.get(name)) for name, one in self.attributes)

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "time": self.time.to_json(),
            "attributes": {name: one.to_json() for name, one in self.attributes},
        }


@dataclass(frozen=True, slots=True)
class Feedback(Pattern):
    """A demand on its way upstream; ``source`` is what the prod will name as its own."""

    source: Source = "feedback"

    def to_json(self) -> dict[str, Any]:
        return {**Pattern.to_json(self), "source": self.source}

    @classmethod
    def from_json(cls, form: Mapping[str, Any]) -> Feedback:
        attributes = tuple((name, from_json(one)) for name, one in form["attributes"].items())
        return cls(form["id"], from_json(form["time"]), attributes, form["source"])


@dataclass(frozen=True, slots=True)
class Prod(Pattern):
    """A demand on its way downstream.

    Parameters
    ----------
    source
        Who put it into the stream.
    is_widened
        An operator could not keep one of its constraints: estimates cover more than was asked.

    Examples
    --------
    >>> prod = Prod(7, Eq(50), (("sensor", Eq(1)),))
    >>> sorted(prod.kinds), prod.matches({"sensor": 1}), prod.matches({"sensor": 2})
    (['equality', 'group-wise'], True, False)
    """

    source: Source = "prodder"
    is_widened: bool = False

    def __post_init__(self) -> None:
        Pattern.__post_init__(self)
        if self.source not in get_args(Source):
            raise SlackwaterError(
                "PROD_INVALID",
                f"prod {self.id}: source is {self.source!r}",
                f"one of {', '.join(get_args(Source))}",
            )

    @classmethod
    def of(cls, feedback: Feedback) -> Prod:
        """The prod that a feedback turns into where it meets the beginning of the stream."""
        return cls(feedback.id, feedback.time, feedback.attributes, feedback.source)

    def without(self, name: str) -> Prod:
        """The same with one attribute free, told as widened; itself if it was free."""
        left = tuple(entry for entry in self.attributes if entry[0] != name)
        if len(left) == len(self.attributes):
            return self
        return replace(self, attributes=left, is_widened=True)

    def to_json(self) -> dict[str, Any]:
        return {**Pattern.to_json(self), "source": self.source, "is_widened": self.is_widened}

    @classmethod
    def from_json(cls, form: Mapping[str, Any]) -> Prod:
        attributes = tuple((name, from_json(one)) for name, one in form["attributes"].items())
        return cls(
            form["id"], from_json(form["time"]), attributes, form["source"], form["is_widened"]
        )


def refresh(ident: int | str, newest_end: int | None = None, **groups: Any) -> Feedback:
    """What a Refresh button asks: all open windows, or those up to an end, for all or some groups.

    >>> refresh(1).form, refresh(2, newest_end=60, sensor=1).kinds == {"bound", "group-wise"}
    ('general', True)
    """
    wanted = tuple(
        (name, In.of(value) if isinstance(value, set | frozenset | list | tuple) else Eq(value))
        for name, value in groups.items()
    )
    return Feedback(ident, ANY if newest_end is None else Le(newest_end), wanted, "refresh")
