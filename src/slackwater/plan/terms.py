"""Terms: what a query asks of the controllers, beside its answers."""

from __future__ import annotations


class Terms:
    """What one controller is asked to keep for one query; each kind is a record of its own."""

    __slots__ = ()
