"""Groups that are too heavy for one machine, and who has a part of them."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from slackwater.balance.table import Distribution, Load

HEAVY = 1.1  # times what a machine would have if all had the same


def split(table: Distribution, groups: Sequence[Load], machines: int) -> Distribution:
    """Every group at one machine, but for those that outweigh a fair share and can be divided.

    These go to as many machines as bring each piece below a share: the one that has the group, and
    the ones with the least of all others.
    """
    fair = sum(load.total for load in groups) / machines
    heavy = {
        number: min(machines, ceil(load.divisible / fair))
        for number, load in enumerate(groups)
        if load.divisible > HEAVY * fair
    }
    whole = Distribution(tuple((mine[0] % machines,) for mine in table.machines))
    rest = [Load(0.0) if number in heavy else load for number, load in enumerate(groups)]
    left = whole.loads(rest, machines)
    found = {}
    for number, pieces in heavy.items():
        [first] = whole.machines[number]
        others = sorted((machine for machine in left if machine != first), key=lambda m: left[m])
        found[number] = (first, *others[: pieces - 1])
    return whole.moved(found)
