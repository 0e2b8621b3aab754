"""A topic of Kafka: rows wait as files until their batch is done, then go in one transaction."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import quote

import pyarrow as pa
from confluent_kafka import KafkaException, Producer
from confluent_kafka.admin import AdminClient

from slackwater.errors import SinkError
from slackwater.execute.sinks.mode import Mode, check_keys, check_mode, newest
from slackwater.execute.sinks.plain import plain
from slackwater.execute.sinks.sink import Results, TableResults, Target
from slackwater.execute.sinks.staging import Staging
from slackwater.execute.sinks.topic.door import Door
from slackwater.execute.sinks.topic.ledger import NAME, Ledger, Line, partitions
from slackwater.execute.sinks.topic.messages import messages, refuse_large, send
from slackwater.execute.sinks.topic.ranks import Ranks
from slackwater.runs.checkpoint import Owner
from slackwater.runs.paths import is_remote, local_path
from slackwater.secrets import Secret
from slackwater.units import SECOND, DurationLike, duration

_NOBODY = Owner("", "", "")
_GIVEN_UP = 1.0  # seconds to tell brokers that a transaction is given up
_SETTLED = 30.0  # seconds that a transaction of an earlier process may take to end
_OTHERS = (
    "choose another topic (a new checkpoint deletes nothing); if nobody writes those any more, "
    "send a message without a value under that key"
)


@dataclass(slots=True)
class TopicSink:
    """Writes answers into ``topic``; see :func:`slackwater.kafka_sink`.

    ``prepare`` keeps the messages of a batch in files of the checkpoint. ``commit`` sends them, in
    one transaction with the id of the batch, which stands in the topic ``outputs``.
    """

    topic: str
    servers: str | Secret
    mode: Mode = "append"
    key: tuple[str, ...] = ()
    options: dict[str, str | Secret] = field(default_factory=dict)
    outputs: str = NAME
    waiting: str | None = None
    patience: DurationLike = "1 minute"
    _door: Door = field(init=False, repr=False)
    _ledger: Ledger = field(init=False, repr=False)
    _target: Target = field(init=False, repr=False, default=Target(""))
    _producer: Producer | None = field(init=False, repr=False, default=None)
    _line: Line = field(init=False, repr=False, default=Line(0, -1, ""))
    _ranks: Ranks = field(init=False, repr=False, default_factory=Ranks)

    def __post_init__(self) -> None:
        check_mode(self.mode, self._what)
        if not self.topic or "," in self.topic or self.topic == self.outputs:
            text = f"kafka: {self.topic!r} is no name of a topic for rows"
            raise SinkError("SINK_TABLE", text, "give the name of one topic")
        if self.mode == "latest" and self.key:
            hint = 'leave key= out, or use mode="append"'
            text = f'{self._what}: mode="latest" has window and groups as key'
            raise SinkError("SINK_OPTIONS", text, hint)
        seconds = duration(self.patience) / SECOND
        self._door = Door(self.servers, self.options, self._what, seconds)
        self._ledger = Ledger(self._door, self.outputs, self.topic, _NOBODY)

    @property
    def _what(self) -> str:
        return f"kafka topic {self.topic}"

    @property
    def place(self) -> tuple[str, ...]:
        """What two outputs must not share."""
        return ("topic", str(self.servers), self.topic)

    # phases ----------------------------------------------------------------------------------

    def open(self, target: Target) -> None:
        self._turn_to(target)
        self._line = Line(0, -1, "")
        self._door.again(self._enter, self.close)

    def check(self, target: Target) -> str:
        """Ask the brokers; nothing is changed."""
        self._turn_to(target)
        count = self._door.again(self._look, self.close)
        return f"{self._what} is there, partitions: {count}"

    def prepare(self, batch: int, results: Results) -> int:
        rows = plain(results.arrow())
        if rows.num_rows:
            self._check_columns(rows.schema)
            kept = newest(rows, self._target.keys) if self.mode == "latest" else rows
            told = messages(kept, self._keys, newest=self.mode == "latest")
            refuse_large(told, self._door.largest, self._what)
            self._staging.store(batch, TableResults(told))
        return int(rows.num_rows)

    def commit(self, batch: int) -> None:
        told = self._staging.table(batch)
        if told is not None:
            self._door.again(lambda: self._send(batch, told), self.close)
            self._staging.remove(batch)

    def recover(self, last: int) -> None:
        if self._line.batch > last:
            raise SinkError(
                "SINK_AHEAD",
                f"{self._what} has rows of batch {self._line.batch}, the checkpoint goes on from "
                f"batch {last}: what is in a log cannot be taken back",
                "use another topic, and let its readers change over",
            )
        for batch in sorted(self._staging.batches()):
            if batch <= last:
                self.commit(batch)
            else:
                self._staging.remove(batch)

    def close(self) -> None:
        """Leave the brokers; the next use connects anew."""
        if self._producer is not None:
            self._producer.purge()  # what an open transaction has is not needed any more
            with suppress(KafkaException):  # if there is one, readers need not wait for its end
                self._producer.abort_transaction(_GIVEN_UP)
        self._producer = None

    # inside ----------------------------------------------------------------------------------

    @property
    def _keys(self) -> tuple[str, ...]:
        return self._target.keys if self.mode == "latest" else self.key

    @property
    def _owner(self) -> Owner:
        return self._target.owner or _NOBODY

    @property
    def _staging(self) -> Staging:
        """The folder where messages wait."""
        folder = self.waiting or self._owner.folder
        if not folder or is_remote(folder):
            text = f"{self._what}: rows wait in a folder of this machine, {folder or 'none'} is not"
            raise SinkError("SINK_REMOTE", text, "give one that stays: waiting=FOLDER")
        whose = local_path(folder) / "waiting"
        if self.waiting:  # it may be that of other checkpoints, too
            whose /= self._owner.id
        return Staging(whose / quote(self._owner.output or self._target.output, safe=" "))

    @property
    def _name(self) -> str:
        """Of the producer in its transactions: whoever takes it over fences off the others."""
        owner = self._owner
        return f"slackwater-{owner.id or 'nobody'}-{self.topic}-{owner.output}"

    def _turn_to(self, target: Target) -> None:
        check_keys(self.mode, target)
        self._target = target
        self._ledger = Ledger(self._door, self.outputs, self.topic, self._owner)
        self._ranks = Ranks()
        _ = self._staging  # there is a place to wait
        if target.schema is not None:
            self._check_columns(target.schema)

    def _check_columns(self, schema: pa.Schema) -> None:
        missing = [name for name in self._keys if name not in schema.names]
        if missing:
            text = f"{self._what}: key names {', '.join(missing)}, rows have "
            hint = "name columns of the rows"
            raise SinkError("SINK_COLUMNS", text + ", ".join(schema.names), hint)

    def _look(self) -> int:
        """The partitions of the topic; refuse one that has answers of others."""
        admin, count = self._found()
        self._refuse_others(self._ledger.lines(admin))
        return count

    def _found(self) -> tuple[AdminClient, int]:
        """Somebody who can be asked, and the partitions of the topic, which must be there."""
        admin = self._door.admin()
        try:
            count = partitions(admin, self.topic, self._door.short)
        finally:
            admin.poll(0)  # hear what it heard
        if not count:
            raise SinkError(
                "SINK_TABLE_MISSING",
                f"{self._what} is not there",
                "make it (kafka-topics.sh --create), or name another; topics for rows are not made",
            )
        return admin, count

    def _refuse_others(self, lines: dict[bytes, Line]) -> None:
        strangers = {key: line for key, line in lines.items() if key != self._ledger.key}
        if strangers and not self._owner.adopts:
            key, line = strangers.popitem()
            text = f"{self._what} has answers of another output, {key.decode()}, checkpoint in "
            raise SinkError("SINK_OCCUPIED", f"{text}{line.folder or 'no folder'}", _OTHERS)

    def _enter(self) -> None:
        """Fence off whoever was there before, learn how far the output is, and claim it."""
        admin, _ = self._found()
        self._ledger.make(admin)
        self._connect()  # before the log is read: an open transaction of ours would hold that back
        lines = self._ledger.lines(admin)
        self._refuse_others(lines)
        known = lines.get(self._ledger.key, Line(0, -1, ""))
        self._line = Line(known.epoch + 1, known.batch, self._owner.folder)
        self._tell(self._line)
        try:  # two may have come at the same time
            self._refuse_others(self._ledger.lines(admin))
        except SinkError:
            if self._ledger.key not in lines:
                self._tell(None)
            raise

    def _connect(self) -> None:
        """A producer whose name nobody else writes under: what was open under it is settled."""
        self.close()
        self._producer = self._door.producer(self._name)
        self._producer.init_transactions(_SETTLED)

    def _resume(self) -> None:
        """Go on after a failure, by what the log says: whose the output is, and how far it is."""
        self._connect()
        found = self._ledger.lines(self._door.admin()).get(self._ledger.key)
        if found is None or found.epoch != self._line.epoch:
            text = f"{self._what}: another process has taken over this output"
            raise SinkError("SINK_FENCED", text, "let only one process use a checkpoint")
        self._line = found

    def _send(self, batch: int, told: pa.Table) -> None:
        if self._producer is None:
            self._resume()
        if batch > self._line.batch:
            line = Line(self._line.epoch, batch, self._owner.folder)
            self._tell(line, told)
            self._line = line
            self._ranks.keep(told)

    def _tell(self, line: Line | None, told: pa.Table | None = None) -> None:
        """One transaction: messages, and the line of the output."""
        producer = self._producer
        assert producer is not None  # whoever tells has connected
        producer.begin_transaction()
        if told is not None:
            send(producer, self.topic, self._ranks.counting(told))
        self._ledger.write(producer, line)
        self._door.finish(producer)
