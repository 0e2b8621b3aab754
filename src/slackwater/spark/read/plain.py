"""Which files a batch is read from, where Spark need not read them itself.

Spark's file log still says which files make a batch, so that each counts once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from pyspark.sql import SparkSession

from slackwater.control.records import Policy
from slackwater.execute.files.feed import Feed
from slackwater.execute.files.form import SETTINGS, Form, why_not
from slackwater.execute.files.not_plain import NotPlain
from slackwater.execute.hands import Seen
from slackwater.plan.stage import StreamPlan
from slackwater.runs.offsets import SparkLog
from slackwater.runs.paths import is_remote
from slackwater.spark.sources.files import Files

MOST = 20  # reasons that are told
FilesOf = list[tuple[str, Path]]


@dataclass(slots=True)
class Plain:
    """The streams of a pipeline, all of them folders whose files can be read here.

    ``told`` are reasons to leave a batch to Spark that people have heard of.
    """

    log: SparkLog
    feeds: dict[str, Feed]
    folders: dict[str, Path]
    told: set[str] = field(default_factory=set)

    @classmethod
    def of(
        cls, session: SparkSession, policy: Policy, sources: Mapping[str, object], log: SparkLog
    ) -> Plain | None:
        """``None`` where Spark has to read: other sources, odd options, work left to it anyway."""
        plan = policy.plan
        if any(query.costly or query.functions for query in plan.queries):
            return None
        if any(state.is_sketched for _, state in plan.base_states):
            return None
        if any(session.conf.get(name, wanted) != wanted for name, wanted in SETTINGS.items()):
            return None
        found = {s.name: _feed(s, sources[s.name], policy.zone) for s in plan.streams}
        feeds = {name: feed for name, feed in found.items() if feed is not None}
        folders = {n: Path(one.path) for n, one in sources.items() if isinstance(one, Files)}
        if len(feeds) < len(found) or _is_nested(list(folders.values())):
            return None
        return cls(log, feeds, folders)

    def files(self, batch: int) -> FilesOf | None:
        """The files of a batch, each with its stream; ``None`` if Spark knows better."""
        lists = self.log.lists(batch)
        found: FilesOf = []
        for files in lists.values():
            if files is None:
                return None
            for file in files:
                names = [name for name, folder in self.folders.items() if folder in file.parents]
                if len(names) != 1 or not file.exists():
                    return None
                found.append((names[0], file))
        return found if lists else None

    def seen(
        self, batch: int, here: Callable[[FilesOf], Seen], by_spark: Callable[[], Seen]
    ) -> Seen:
        """Let the files of a batch be read here, or by Spark if one of them is not plain."""
        files = self.files(batch)
        if files is None:
            return by_spark()
        try:
            return here(files)
        except NotPlain as error:
            return replace(by_spark(), notices=self._left(error))

    def _left(self, error: NotPlain) -> tuple[str, ...]:
        """What people should hear of a file that is left to Spark: each reason once."""
        if error.reason in self.told or len(self.told) >= MOST:
            return ()
        self.told.add(error.reason)
        return (f"Spark reads the files of this batch, which takes longer: {error.reason}",)


def _feed(stream: StreamPlan, source: object, zone: str) -> Feed | None:
    if not isinstance(source, Files) or is_remote(source.path):
        return None
    feed = Feed(stream, Form(source.format, source.columns, source.options, zone))
    return None if why_not(feed.form, feed.names) is not None else feed


def _is_nested(folders: list[Path]) -> bool:
    """Whether a file could belong to two of them."""
    return any(a == b or a in b.parents for n, a in enumerate(folders) for b in _others(folders, n))


def _others(folders: list[Path], number: int) -> list[Path]:
    return [folder for n, folder in enumerate(folders) if n != number]
