"""The runs of a pipeline: which are live, when they go or are merged, and the files behind them."""

from __future__ import annotations

from dataclasses import dataclass, field

from slackwater.errors import SlackwaterError
from slackwater.execute.batch import Layout
from slackwater.execute.duck import DuckEngine
from slackwater.runs.catalog import Catalog, whole_states
from slackwater.runs.checkpoint import Checkpoint
from slackwater.runs.files import storage_error, sync_all, sync_tree
from slackwater.runs.run import Run, total_rows


@dataclass(slots=True)
class Store:
    """What a pipeline holds.

    ``named`` are the files that each kept manifest names, by batch. No more than ``max_rows`` are
    committed, if that is given.
    """

    layout: Layout
    checkpoint: Checkpoint
    driver: DuckEngine
    max_rows: int | None = None
    catalog: Catalog = field(default_factory=Catalog)
    named: dict[int, set[str]] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """Rows that engines have: those that wait on disk, and tables, are in none."""
        waiting = whole_states(self.layout.plan.queries)
        on_disk = [run for state in waiting for run in self.catalog.at(state)]
        return total_rows(self.catalog.all()) - total_rows(on_disk)

    @property
    def held(self) -> dict[str, int]:
        """Rows by state."""
        return {state: total_rows(runs) for state, runs in self.catalog.runs.items()}

    @property
    def sizes(self) -> dict[str, int]:
        """Bytes by state."""
        return {state: sum(run.bytes for run in runs) for state, runs in self.catalog.runs.items()}

    def resume(self) -> tuple[Run, ...]:
        """Keep the files that manifests name, and the tables, given back, that a batch met which is
        not done; whatever else is there never happened.
        """
        batches = self.checkpoint.batches()
        self.named = {batch: self.checkpoint.manifest(batch).paths for batch in batches}
        begun = self.checkpoint.begun(max(batches, default=-1) + 1)
        tables = () if begun is None else begun.tables
        self.checkpoint.sweep(set().union(*self.named.values(), {run.path for run in tables}))
        return tables

    def settle(self, batch: int) -> None:
        """Make the runs that are new since a batch outlive a loss of power, whoever wrote them."""
        self._check_size()
        self.driver.settle()
        known, folder = self.named.get(batch, set()), self.checkpoint.runs
        new = [folder / run.path for run in self.catalog.all() if run.path not in known]
        try:
            sync_tree(*(path for path in new if path.is_dir()))
            sync_all([*(path.parent for path in new), folder])
        except OSError as error:
            raise storage_error(error, folder) from error
        self.driver.keep_only(self.catalog.all())

    def _check_size(self) -> None:
        """Stop before a batch is committed that leaves more behind than is allowed."""
        rows, allowed = total_rows(self.catalog.all()), self.max_rows
        if allowed is not None and rows > allowed:
            raise SlackwaterError(
                "STATE_LIMIT",
                f"{rows:,} rows of state, max_state_rows allows {allowed:,}",
                "the batch was not committed and nothing is lost; start again with a higher limit, "
                "or look for a stream that holds the clock back",
            )

    def sweep(self, batch: int) -> None:
        """Remove files that no kept manifest names, now that a batch is committed."""
        self.named[batch] = {run.path for run in self.catalog.all()}
        kept = set(self.checkpoint.batches())
        self.named = {batch: paths for batch, paths in self.named.items() if batch in kept}
        self.checkpoint.sweep(set().union(*self.named.values()))
