"""Pause, drain, resume: the migration that is enough for plans without states.

Reference: Zhu 2006, ch. 11. Old tuples leave a state only when new ones purge them, and the pause
keeps these back: with joins it waits for ever, or, if states are dropped, results are lost.
"""

from __future__ import annotations

from slackwater.errors import SlackwaterError
from slackwater.papers.adaptive_zhu2006.operators.box import Box
from slackwater.papers.adaptive_zhu2006.operators.engine import Engine
from slackwater.papers.adaptive_zhu2006.operators.moving import drain, move_state


def pause_drain_resume(
    engine: Engine, new: Box, *, old: Box | None = None, drops_states: bool = False
) -> int:
    """Exchange a box once it is empty; how many rows were dropped with its states."""
    old = old or Box(engine.roots)
    drain(engine, old)
    kept = sum(len(state) for node in old.inside for state in engine.operators[node].states)
    if kept and not drops_states:
        raise SlackwaterError(
            "MIGRATION_DEADLOCK",
            f"{kept} rows are in states, and the tuples that would purge them are kept back",
            "move the states, or let both plans run for a while",
        )
    move_state(engine, new, old=old, match=lambda *_: {}, recompute=False)
    return kept
