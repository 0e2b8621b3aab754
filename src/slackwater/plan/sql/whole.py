"""The SQL of whole windows: what is read off values that state keeps, and SQL over all rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from slackwater.plan.exact import Reading, value_of
from slackwater.plan.sql.dialect import SqlWriter
from slackwater.plan.stage import Stage
from slackwater.query.kinds import normal
from slackwater.query.relation import Relation
from slackwater.query.typed import Typed


@dataclass(frozen=True, slots=True)
class WholeWriter(SqlWriter):
    """Writes what asks for all values of a window."""

    def with_places(self, source: str, readings: Sequence[Reading], group: str) -> str:
        """With how many values there are up to each one, and in all, where percentiles ask."""
        asked = {one.parts[0].name for one in readings if one.how == "percentile"}
        if not asked:
            return source
        places = []
        for name in sorted(asked):
            column, upto, whole = self.name(name), self.name(f"__upto_{name}"), f"__all_{name}"
            rows = f"sum(CASE WHEN {column} IS NOT NULL THEN __rows END) OVER (PARTITION BY {group}"
            places += [f"{rows} ORDER BY {column}) AS {upto}", f"{rows}) AS {self.name(whole)}"]
        return f"SELECT *, {', '.join(places)} FROM ({source})"

    def read(self, reading: Reading) -> str:
        """One reading over the values of a window, each with its number of rows."""
        columns = [self.name(part.name) for part in reading.parts]
        column = columns[0]
        if reading.how == "percentile":
            return self._percentile(reading)
        if reading.how == "distinct":
            known = " AND ".join(f"{one} IS NOT NULL" for one in columns)
            row = column if len(columns) == 1 else f"row({', '.join(columns)})"
            return f"count(DISTINCT {row}) FILTER (WHERE {known})"
        if reading.how in ("first", "last"):
            return f"struct_extract({'min' if reading.how == 'first' else 'max'}({column}), 'v')"
        once = f"list(DISTINCT {column} ORDER BY {column})"
        each = f"list(repeat([{column}], CAST(__rows AS BIGINT)) ORDER BY {column})"
        chosen = f"{once if reading.how == 'set' else each} FILTER (WHERE {column} IS NOT NULL)"
        return f"coalesce({chosen if reading.how == 'set' else f'flatten({chosen})'}, [])"

    def _percentile(self, reading: Reading) -> str:
        name = reading.parts[0].name
        column, upto, whole = (
            self.name(text) for text in (name, f"__upto_{name}", f"__all_{name}")
        )
        value = Typed(column, normal(reading.parts[0].kind)).to("double").sql
        place = f"CAST({whole} - 1 AS DOUBLE) * CAST({reading.share} AS DOUBLE)"
        low, high = (
            f"min({value}) FILTER (WHERE {column} IS NOT NULL AND {upto} > {end}({place}))"
            for end in ("floor", "ceil")
        )
        return f"sw_between({low}, {high}, max({place}))"

    def related(self, stage: Stage, relation: Relation, source: str, *more: str) -> str:
        """What a relation says of the rows of each window and key: one statement for all.

        Rows are numbered by their group, and the relation stands beside the groups in a LATERAL
        join, which DuckDB turns into plain joins by that number. (The rows of a group are written
        out wherever they are read: a name for them, by WITH, is more than its planner can take.)
        """
        keys = ["__start", *stage.keys]
        group, columns = self.names(*keys), ", ".join(f"__groups.{self.name(k)}" for k in keys)
        groups = f"SELECT {group}, sum(__rows) AS __rows FROM __source GROUP BY {group}"
        kept = [(name, self.name(value_of(name).name)) for name in relation.reads]
        rows = ", ".join([*(column for _, column in kept), "__groups.__g"])
        joined = f"FROM __source AS p JOIN __groups ON {self.same('p', '__groups', keys)}"
        again = "unnest(range(CAST(p.__rows AS BIGINT)))"
        offered = ", ".join(f"{column} AS {self.name(name)}" for name, column in kept) or "__g"
        window = f"SELECT {offered} FROM __members WHERE __members.__g = __groups.__g"
        values = [self.name(name) for name, _ in stage.values]
        answered = ", ".join([*(f"__answer.{name}" for name in values), *more])
        return (
            f"WITH __source AS MATERIALIZED ({source}), "
            f"__groups AS MATERIALIZED (SELECT *, row_number() OVER () AS __g FROM ({groups})), "
            f"__members AS MATERIALIZED (SELECT {rows} {joined} WHERE p.__rows = 1 UNION ALL "
            f"SELECT {rows} FROM (SELECT p.*, {again} AS __copy FROM __source AS p "
            f"WHERE p.__rows > 1) AS p JOIN __groups ON {self.same('p', '__groups', keys)}) "
            f"SELECT {columns}, __groups.__start + {stage.window.size} AS __end, {answered} "
            f"FROM __groups CROSS JOIN LATERAL ({relation.over(f'({window})')}) AS __answer"
        )

    def same(self, left: str, right: str, names: Sequence[str]) -> str:
        """Equality of columns in which nulls are equal too."""
        columns = [self.name(name) for name in names]
        return " AND ".join(f"{left}.{c} IS NOT DISTINCT FROM {right}.{c}" for c in columns)
