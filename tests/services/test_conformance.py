"""The sink for PostgreSQL does, on a real server, what the engine relies on."""

from __future__ import annotations

from typing import Any

import pytest

import slackwater as sw
from slackwater.execute.sinks import Sink
from slackwater.testing import check_latest, check_sink
from tests.services.cluster import Cluster

pytestmark = pytest.mark.services


def sink(postgres: Cluster, table: str = "answers", **options: Any) -> Sink:
    return sw.postgres(table, postgres.url, password=sw.secret(env="ANSWERS_PASSWORD"), **options)


def seen(postgres: Cluster, table: str = "answers") -> list[dict[str, object]]:
    return [{"n": n} for (n,) in postgres.rows(f"SELECT n FROM {table}")]


@pytest.mark.parametrize("table", ["answers", "public.answers", 'public.An"swers % of'])
def test_a_history_conforms(postgres: Cluster, table: str) -> None:
    quoted = ".".join('"' + part.replace('"', '""') + '"' for part in table.split("."))
    check_sink(lambda: sink(postgres, table), lambda: seen(postgres, quoted))


def test_a_table_of_the_newest_rows_conforms(postgres: Cluster) -> None:
    check_sink(
        lambda: sink(postgres, mode="latest"),
        lambda: seen(postgres),
        goes_back=False,
    )


def test_of_each_key_the_row_that_counts_is_kept(postgres: Cluster) -> None:
    check_latest(lambda: sink(postgres, mode="latest"), lambda: seen(postgres))
