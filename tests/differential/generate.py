"""Random cases: everything is drawn from one seed."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tests.differential.case import (
    STRAY,
    TIME,
    Asked,
    Case,
    Feed,
    Input,
    Join,
    Level,
    Life,
    Prods,
    Replan,
)
from tests.differential.kinds import (
    ALL,
    NTZ,
    PLAIN,
    STAMP,
    STRUCT,
    Kind,
    instant,
)
from tests.differential.terms import (
    Row,
    Term,
    column,
    computed_key,
    matching,
    predicate,
    time_part,
    totals,
)

SECOND = 1_000_000
DAY = 86_400 * SECOND

# What may be drawn. A feature that is off has a defect that is known; the reason stands beside it.
FEATURES: dict[str, bool] = {
    "spark tier, two levels, revise": True,
    "odd names": True,
    "hostile names": True,  # quotes, backticks, and names that statements use themselves
    "zones": True,
    "plain time": True,  # timestamp_ntz as event time
    "time parts": True,  # hours and days by the session's zone, in every level
    "joins": True,
    "estimates": True,
    "contracts": True,
    "three levels": True,
    "struct keys": True,
    "decimal averages": True,
    "before 1970": True,
    "strays": True,
    "strays that an input's filter removes": True,
    "catching up": True,  # one batch spans days
    "restarts": True,
    "other terms at a restart": True,  # slack; dropped or set aside
    "another order at a restart": True,
    "replans": True,  # joins change their trees, moved or grown beside
}

ODD = (
    "a b", "select", "ünï", "Group", "semi;colon", "1st", "t-1", "日", "window", "row",
    "count", "%s", "{}", "order", "n/a", "Ä ö", "#1",
)  # fmt: skip
HOSTILE = ('quo"te', "x.y", "back`tick", "$first", ":after", "v'", "s0_c1", "seen", "p", "r", "age")
ZONES = ("UTC", "America/New_York", "Europe/Berlin", "Asia/Kolkata", "Australia/Lord_Howe")
FOLDERS = ("case", "with space", "ünï cöde", "a+b=c", "per%20cent", "dots.and,commas")
# seconds; around changes of the clock in Berlin and New York, and on the wall there
BEGINS = (1_774_746_000, 1_774_749_600, 1_793_510_000, 1_772_935_200, 0, 1_700_000_003)
UNITS = (1_000, 250_000, SECOND, SECOND, 60 * SECOND)
STRAYS_AMONG = 5  # rows at least
HOURS = 3 * 3600 * SECOND  # the unit of a stream that brings a day in each batch


@dataclass
class Maker:
    """One case in the making; ``on`` are the features that may be used."""

    draw: random.Random
    on: Mapping[str, bool]
    public: bool
    zone: str = "UTC"
    time: Kind = STAMP  # of events
    filtered: frozenset[str] = frozenset()  # streams without strays

    def chance(self, share: float) -> bool:
        return self.draw.random() < share

    def may(self, feature: str, share: float) -> bool:
        return self.chance(share) and self.on[feature]

    # streams ---------------------------------------------------------------------------------

    def choose_times(self) -> None:
        self.zone = self.draw.choice(ZONES) if self.may("zones", 0.4) else "UTC"
        self.time = NTZ if self.may("plain time", 0.25) else STAMP

    def names(self, wanted: int, plain: str) -> list[str]:
        """Names of columns: now and then odd ones."""
        if self.may("odd names", 0.3):
            pool = (*ODD, *HOSTILE) if self.on["hostile names"] else ODD
            return self.draw.sample(pool, wanted)
        return [f"{plain}{n}" for n in range(wanted)]

    def feed(self, name: str, kinds: Sequence[Kind], unit: int) -> Feed:
        max_ahead = 3 * DAY if unit == HOURS else DAY
        names = self.names(len(kinds) + 1, "c")
        columns = dict(zip(names, [self.time, *kinds], strict=True))
        return Feed(name, names[0], columns, max_ahead)

    def kinds(self) -> list[Kind]:
        """The kinds of a stream's columns: the first two are for keys and joins."""
        pool = [k for k in ALL if k is not STRUCT or self.on["struct keys"]]
        keys = [self.draw.choice(PLAIN[:2]), self.draw.choice(pool)]
        return keys + [self.draw.choice(pool) for _ in range(self.draw.randint(1, 3))]

    def cuts(self, feeds: Sequence[Feed], unit: int, begin: int) -> list[dict[str, list[Row]]]:
        """Rows of all streams, in disorder, in batches."""
        count = self.draw.randint(2, 7)
        pace = self.draw.choice((2, 4, 8))  # units of time in a batch
        style = self.draw.choice(("order", "shuffled", "bursts", "stragglers", "stragglers"))
        lead = {feed.name: self.draw.choice((0, 0, 0, 3)) for feed in feeds}
        most = 20 if len(feeds) == 1 else 9
        found = []
        for number in range(count):
            batch = {}
            for feed in feeds:
                rows = 0 if self.chance(0.1) else self.draw.randint(1, most)
                if style == "bursts":
                    rows = rows * 3 if number % 3 == 0 else min(rows, 2)
                rows = max(rows, 8) if unit == HOURS else rows  # without a gap of days
                base = begin + (number * pace + lead[feed.name]) * unit
                times = [base + self.draw.randrange(pace * unit) for _ in range(rows)]
                times = [self.delayed(at, style, unit, begin) for at in times]
                times = sorted(times) if style == "order" else times
                batch[feed.name] = [self.row(feed, at) for at in times]
                batch[feed.name] += self.without_place(feed, batch[feed.name], base)
            found.append(batch)
        return found

    def delayed(self, at: int, style: str, unit: int, begin: int) -> int:
        late = {"order": 0.0, "shuffled": 0.6, "bursts": 0.2, "stragglers": 0.25}[style]
        if not self.chance(late):
            at -= at % 1_000 if self.chance(0.5) else 0
            return at - at % unit if self.chance(0.15) else at  # on the edge of windows
        far = 25 if style == "stragglers" else 6
        return at - self.draw.randrange(1, far * unit)

    def row(self, feed: Feed, at: int | None, *, stray: bool = False) -> Row:
        values: Row = {}
        for name, kind in feed.columns.items():
            assert kind.draw is not None
            values[name] = None if self.chance(0.1) else kind.draw(self.draw)
        wall = feed.columns[feed.time] is NTZ
        values[feed.time] = None if at is None else instant(at, wall=wall)
        return {**values, TIME: at, STRAY: stray}

    def without_place(self, feed: Feed, rows: Sequence[Row], base: int) -> list[Row]:
        """Rows without a time, and rows of a clock that is wrong by weeks, among many others."""
        found = [self.row(feed, None)] if self.chance(0.1) else []
        if len(rows) >= STRAYS_AMONG and feed.name not in self.filtered and self.may("strays", 0.1):
            found.append(self.row(feed, base + 40 * DAY, stray=True))
        return found

    # queries ---------------------------------------------------------------------------------

    def level(
        self,
        columns: Sequence[Term],
        unit: int,
        *,
        keyed: float = 0.8,
        bounds: Sequence[Term] = (),
    ) -> Level:
        slide = self.draw.choice((1, 2, 3, 4)) * unit
        size = slide if self.chance(0.5) else slide + self.draw.randrange(4 * unit)
        if self.chance(0.5):
            size -= (size - slide) % unit
        start = self.draw.choice((0, 0, unit // 2, -unit // 4, 7 * unit + 1))
        exact = [c for c in columns if c.kind.exact]
        chosen: list[Term] = []
        if exact and self.chance(keyed):
            chosen = self.draw.sample(exact, min(len(exact), self.draw.choice((1, 1, 2))))
        plain = [c for c in exact if c.kind is not STRUCT]
        if plain and self.chance(0.3):
            chosen.append(computed_key(self.draw, plain))
        if self.may("time parts", 0.15):
            part = time_part(self.draw, [*columns, *bounds], self.zone)
            chosen += [part] if part is not None else []
        values = totals(self.draw, columns)
        if not self.on["decimal averages"]:
            values = [v for v in values if not _averages_decimals(v)] or totals(_Fixed(), columns)
        names = self.names(len(chosen) + len(values), "o")
        where = predicate(self.draw, plain) if plain and self.chance(0.3) else None
        keys = zip(names[: len(chosen)], chosen, strict=True)
        shown = zip(names[len(chosen) :], values, strict=True)
        wall = self.time is NTZ
        return Level(size, slide, start % slide, tuple(keys), tuple(shown), where, wall)

    def above(self, below: Level, unit: int) -> Level:
        keys = [column(name, term.kind) for name, term in below.keys]
        values = [column(name, total.kind) for name, total in below.values]
        bounds = [column(name, self.time) for name in ("window_start", "window_end")]
        return self.level([*keys, *values], 2 * unit, keyed=0.5, bounds=bounds)

    def policy(self, unit: int) -> tuple[int, str, int]:
        slack = self.draw.choice((0, 0, unit, 3 * unit, 10 * unit, unit // 3))
        late = self.draw.choice(("drop", "side", "revise", "revise"))
        keep = self.draw.choice((unit, 5 * unit, 40 * unit)) if late == "revise" else 0
        return slack, late, keep

    def single(self, name: str, feed: Feed, unit: int) -> Asked:
        columns = [column(c, kind) for c, kind in feed.columns.items() if c != feed.time]
        levels = [self.level(columns, unit)]
        while len(levels) < (3 if self.on["three levels"] else 2) and self.chance(0.35):
            levels.append(self.above(levels[-1], unit * 2 ** len(levels)))
        slack, late, keep = self.policy(unit)
        one = Input(feed.name, feed.name)
        counts = len(levels) == 1 and levels[0].values[0][1].sql == "count(*)"
        contract = "max_error" if counts and self.may("contracts", 0.15) else slack
        asked = Asked(name, (one,), None, tuple(levels), contract, late, keep)
        return self.with_prods(asked, unit)

    def sharing(self, name: str, other: Asked, unit: int) -> Asked:
        """The same rows and windows under another policy: state is shared."""
        slack, late, keep = self.policy(unit)
        terms = {"name": name, "slack": slack, "late": late, "keep": keep, "prods": ()}
        asked = Asked(**{**vars(other), **terms})
        if len(asked.levels) > 1 and self.chance(0.5):
            asked = Asked(**{**vars(asked), "levels": asked.levels[:1]})
        return self.with_prods(asked, unit)

    def with_prods(self, asked: Asked, unit: int) -> Asked:
        if not asked.levels or not self.may("estimates", 0.4):
            return asked
        top = asked.levels[-1]
        columns = [column(n, term.kind) for n, term in top.keys if term.kind is not STRUCT]
        prods = []
        for _ in range(self.draw.choice((1, 1, 2))):
            where = predicate(self.draw, columns) if columns and self.chance(0.3) else None
            kind = self.draw.choice(("every", "every", "aggressiveness", "accuracy"))
            if kind == "every":
                prods.append(Prods(every=self.draw.choice((0, unit, 3 * unit)), where=where))
            elif kind == "aggressiveness":
                prods.append(Prods(aggressiveness=self.draw.choice((0, 0.25, 0.5)), where=where))
            else:
                prods.append(Prods(accuracy=0.9, where=where))
        return Asked(**{**vars(asked), "prods": tuple(prods)})

    def joined(self, name: str, feeds: Sequence[Feed], unit: int) -> Asked:
        wanted = self.draw.choice((2, 2, 3, 3, 4))
        chosen = [self.draw.choice(feeds) for _ in range(wanted)]
        labels = [f"i{n}" for n in range(wanted)]
        columns = {
            label: [column(c, k, label) for c, k in feed.columns.items() if c != feed.time]
            for label, feed in zip(labels, chosen, strict=True)
        }
        on = []
        for number, label in enumerate(labels[1:], start=1):
            other = self.draw.choice(labels[:number])
            first = columns[other][:1], columns[label][:1]  # every stream's first is a number
            many = columns[other], columns[label]
            found = matching(self.draw, *(first if self.chance(0.7) else many))
            found = found or matching(self.draw, *first)
            if found is None:
                return self.single(name, chosen[0], unit)
            on.append((frozenset({other, label}), found))
        inputs = []
        for label, feed in zip(labels, chosen, strict=True):
            mine = [column(c, k) for c, k in feed.columns.items() if c != feed.time]
            where = predicate(self.draw, mine) if self.chance(0.3) else None
            inputs.append(Input(feed.name, label, where))
        within = {label: self.draw.choice((0, unit, 3 * unit, 3 * unit)) for label in labels}
        emit = self.draw.choice(("immediate", "ordered"))
        order = self.draw.choice(("auto", "written", self.tree(labels)))
        slack, late, keep = self.policy(unit)
        every = [term for mine in columns.values() for term in mine]
        levels: tuple[Level, ...] = ()
        values: tuple[tuple[str, Term], ...] = ()
        if self.chance(0.5):
            level = self.level(every, unit)
            levels = (Level(**{**vars(level), "where": None}),)
            if self.chance(0.25):
                levels += (self.above(levels[0], unit * 2),)
        else:
            some = self.draw.sample(every, min(len(every), 4))
            values = tuple(zip(self.names(len(some), "o"), some, strict=True))
        contract = "min_recall" if self.may("contracts", 0.1) else slack
        join = Join(tuple(on), within, emit, order, values, self.time is NTZ)
        asked = Asked(name, tuple(inputs), join, levels, contract, late, keep)
        return self.with_prods(asked, unit)

    def tree(self, names: Sequence[str]) -> str:
        left = list(names)
        while len(left) > 1:
            chosen = self.draw.sample(left, self.draw.randint(2, len(left)))
            left = [one for one in left if one not in chosen] + [f"({' '.join(chosen)})"]
        return left[0]

    # the whole -------------------------------------------------------------------------------

    def lives(self, batches: int, tiers: Sequence[str], queries: Sequence[Asked]) -> list[Life]:
        found: list[Life] = []
        left = batches
        while left:
            many = 1 + self.draw.randrange(left) if self.may("restarts", 0.5) else left
            rows = self.draw.choice((5_000_000, 5_000_000, 10, 60))
            life = Life(many, self.draw.choice(tiers), rows, self.chance(0.3))
            if found and self.may("other terms at a restart", 0.3):
                life = replace(life, terms=tuple(self.other_terms(asked) for asked in queries))
            elif found:
                life = replace(life, terms=found[-1].terms)
            if self.may("another order at a restart", 0.3):
                order = self.draw.sample(range(len(queries)), len(queries))
                life = replace(life, order=tuple(order))
            found.append(life)
            left -= many
        return found

    def replans(self, queries: Sequence[Asked], batches: int) -> dict[int, tuple[Replan, ...]]:
        """Other trees for some of the joins, in some of the batches; now and then handed back."""
        found: dict[int, tuple[Replan, ...]] = {}
        joins = [q for q in queries if q.join is not None and self.may("replans", 0.6)]
        for number in range(batches):
            for asked in joins:
                if self.chance(0.4):
                    tree = self.tree([one.name for one in asked.inputs])
                    how = self.draw.choice(("moving", "parallel"))
                    is_back = self.chance(0.15)
                    one = Replan(asked.name, "adaptive" if is_back else tree, how)
                    found[number] = (*found.get(number, ()), one)
        return found

    def other_terms(self, asked: Asked) -> tuple[int | str, str]:
        if isinstance(asked.slack, str):
            return asked.slack, asked.late
        slack = self.draw.choice((asked.slack, asked.slack * 2, asked.slack // 2))
        return slack, asked.late if asked.late == "revise" else self.draw.choice(("drop", "side"))


def _averages_decimals(total: Any) -> bool:
    return total.sql.startswith("avg") and total.kind.sql.startswith("decimal")


class _Fixed(random.Random):
    """Draws nothing: the plainest choice."""

    def random(self) -> float:
        return 0.0

    def randint(self, a: int, b: int) -> int:
        return a


def make(seed: str, features: Mapping[str, bool] | None = None) -> Case:
    """The case of a seed."""
    draw = random.Random(seed)
    make = Maker(draw, FEATURES if features is None else features, draw.random() < 0.3)
    make.choose_times()
    unit = HOURS if make.may("catching up", 0.1) else draw.choice(UNITS)
    begin = draw.choice(BEGINS) * SECOND
    if begin == 0 and make.on["before 1970"] and make.chance(0.7):
        begin = -12 * unit - 1
    joins = make.may("joins", 0.4)
    shared = make.kinds()
    feeds = [make.feed("r0", shared, unit)]
    if joins:
        feeds += [
            make.feed(f"r{n}", [*shared[:2], *make.kinds()[2:]], unit)
            for n in range(1, draw.choice((2, 3)))
        ]
    queries: list[Asked] = []
    for number in range(draw.choice((1, 1, 2, 3))):
        is_join = joins and (number == 0 or make.chance(0.3))
        name = f"q{number}"
        if queries and make.chance(0.3):
            queries.append(make.sharing(name, draw.choice(queries), unit))
            continue
        queries.append(
            make.joined(name, feeds, unit)
            if is_join
            else make.single(name, draw.choice(feeds), unit)
        )
    used = {one.feed for asked in queries for one in asked.inputs}
    feeds = [feed for feed in feeds if feed.name in used]
    if not make.on["strays that an input's filter removes"]:
        joined = [one for asked in queries if asked.join for one in asked.inputs]
        make.filtered = frozenset(one.feed for one in joined if one.where is not None)
    batches = make.cuts(feeds, unit, begin)
    tiers = ["columnar"] * 6 + ["auto"] * 2 + ["spark"]
    hard = any(q.late == "revise" and len(q.levels) > 1 for q in queries)
    if hard and not make.on["spark tier, two levels, revise"]:
        tiers = ["columnar"]
    lives = make.lives(len(batches), tiers, queries)
    if tiers == ["columnar"]:
        lives = [replace(life, tier="columnar", columnar_rows=5_000_000) for life in lives]
    pins = {}
    if len(tiers) > 1 and make.chance(0.15):
        pins = {draw.randrange(len(batches)): draw.choice(("spark", "columnar")) for _ in range(2)}
    requests = {}
    for number in () if make.public else range(len(batches)):
        asked = [(q.name, None) for q in queries if q.prods and make.chance(0.15)]
        if asked:
            requests[number] = tuple(asked)
    return Case(
        seed=seed,
        feeds=tuple(feeds),
        queries=tuple(queries),
        batches=tuple(batches),
        lives=tuple(lives),
        public=make.public,
        flush=make.chance(0.8),
        zone=make.zone,
        folder=draw.choice(FOLDERS),
        pins=pins,
        requests=requests,
        replans=make.replans(queries, len(batches)),  # last: seeds give the cases they gave
    )
