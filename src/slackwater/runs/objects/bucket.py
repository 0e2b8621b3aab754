"""What we ask of an object store: whole objects, and one that changes only if nobody else did.

A request that fails is tried again for a while by the library below. So the store may have done
what we are told it refused: the reply to the first try was lost, the second finds its own work.
:meth:`Bucket.swap` looks, before it believes that somebody else was there.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import obstore
from obstore.exceptions import (
    AlreadyExistsError,
    BaseError,
    NotSupportedError,
    PermissionDeniedError,
    PreconditionError,
    UnauthenticatedError,
)
from obstore.store import from_url

from slackwater.errors import CheckpointError, StorageError

if TYPE_CHECKING:
    from obstore.store import ClientConfig, RetryConfig

PATIENCE = timedelta(minutes=1)
RETRY: RetryConfig = {
    "max_retries": 12,
    "retry_timeout": PATIENCE,
    "backoff": {
        "init_backoff": timedelta(milliseconds=100),
        "max_backoff": timedelta(seconds=10),
        "base": 2,
    },
}
CLIENT: ClientConfig = {"timeout": timedelta(seconds=30), "connect_timeout": timedelta(seconds=5)}
PLAIN = "AWS_ALLOW_HTTP"  # environment: whether a store may be asked without TLS
CHANGED = (AlreadyExistsError, PreconditionError, FileNotFoundError)
TRIES = 5  # a store may refuse a change because another request is under way
LARGE = 64 << 20  # bytes; larger files go in parts, at the same time

Tag = dict[str, str]  # what tells one state of an object from all others
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Found:
    """An object as it was read."""

    data: bytes
    tag: Tag


class Bucket:
    """The objects below an address of a store."""

    def __init__(self, store: Any, address: str, below: str = "") -> None:
        self.address = address
        self._store = store
        self._below = f"{below}/" if below else ""

    @classmethod
    def at(cls, address: str) -> Bucket:
        """Connect; credentials and endpoint come from the environment."""
        try:
            scheme, _, place = address.partition("://")
            whole, _, below = place.partition("/")
            client: ClientConfig = {**CLIENT, "allow_http": os.environ.get(PLAIN) == "true"}
            store = from_url(f"{scheme}://{whole}", client_options=client, retry_config=RETRY)
        except (BaseError, ValueError) as error:
            raise StorageError(
                "STORE_ADDRESS",
                f"{address}: {short(error)}",
                "an address is s3://BUCKET/FOLDER, gs://BUCKET/FOLDER or az://CONTAINER/FOLDER; "
                "see the guide, Deployment, for what the environment must say",
            ) from error
        return cls(store, address, below.strip("/"))

    def get(self, key: str) -> Found | None:
        """An object, ``None`` if there is none."""

        def read() -> Found:
            result = obstore.get(self._store, self._below + key)
            return Found(bytes(result.bytes()), tag_of(result.meta))

        try:
            return self._do(read, key)
        except FileNotFoundError:
            return None

    def put(self, key: str, data: bytes | Path) -> None:
        """Write an object, whatever was there."""
        large = isinstance(data, Path) and data.stat().st_size > LARGE
        what = data if large or isinstance(data, bytes) else data.read_bytes()
        self._do(
            lambda: obstore.put(self._store, self._below + key, what, use_multipart=large), key
        )

    def swap(self, key: str, data: bytes, tag: Tag | None) -> Tag | None:
        """Change an object from the state that ``tag`` tells (``None``: it is not there).

        ``None`` if it is in another state by now. No other writer may ever write the same data.
        """
        mode: Any = "create" if tag is None else tag
        at = self._below + key

        def write() -> Tag:
            return tag_of(obstore.put(self._store, at, data, mode=mode, use_multipart=False))

        for _ in range(TRIES):
            try:
                return self._do(write, key)
            except CHANGED:
                now = self.get(key)
            except NotImplementedError as error:
                raise unconditional(self.address, short(error)) from error
            if now is not None and now.data == data:
                return now.tag
            if (None if now is None else now.tag) != tag:
                return None
        raise StorageError(
            "STORE_FAILED",
            f"{self.address}: {key} is as it was, and a change of it is refused again and again",
            "committed batches are safe; start the pipeline again",
        )

    def copy(self, key: str, to: str) -> bool:
        """Copy an object within the store; whether it was there."""
        try:
            self._do(lambda: obstore.copy(self._store, self._below + key, self._below + to), key)
        except FileNotFoundError:
            return False
        return True

    def remove(self, keys: Iterable[str]) -> None:
        """Remove objects, there or not."""
        for at in (self._below + key for key in keys):
            with suppress(FileNotFoundError):
                self._do(partial(obstore.delete, self._store, at), at)

    def keys(self, folder: str) -> list[str]:
        """What lies below a folder, as far as the store says so: it may be late."""
        at = self._below + folder
        return self._names(self._do(lambda: obstore.list(self._store, at).collect(), folder))

    def first_keys(self) -> list[str]:
        """Some of what lies here; none only if there is nothing."""
        at = self._below.rstrip("/") or None
        return self._names(self._do(lambda: next(iter(obstore.list(self._store, at)), ()), ""))

    def _names(self, found: Iterable[Mapping[str, Any]]) -> list[str]:
        return sorted(str(one["path"]).removeprefix(self._below) for one in found)

    def _do(self, what: Callable[[], T], key: str) -> T:
        try:
            return what()
        except CHANGED:
            raise
        except NotSupportedError as error:
            raise NotImplementedError(short(error)) from error
        except (BaseError, OSError) as error:
            raise _failed(
                f"{self.address.rstrip('/')}/{key.removeprefix(self._below)}", error
            ) from error


def tag_of(meta: Mapping[str, Any]) -> Tag:
    return {name: meta[name] for name in ("e_tag", "version") if meta.get(name) is not None}


def unconditional(address: str, said: str) -> CheckpointError:
    return CheckpointError(
        "STORE_UNCONDITIONAL",
        f"{address}: this store does not refuse a conditional write as it must ({said}); two "
        "pipelines could write the same batch, and neither would know",
        "use a store that does (Amazon S3, Google Cloud Storage, Azure Blob Storage, MinIO, R2), "
        "or a folder that driver and executors share",
    )


def _failed(what: str, error: BaseError | OSError) -> StorageError:
    refused = isinstance(error, PermissionError | PermissionDeniedError | UnauthenticatedError)
    mend = "check credentials and rights" if refused else "mend the connection"
    return StorageError(
        "STORE_REFUSED" if refused else "STORE_FAILED",
        f"{what}: {short(error)}",
        f"committed batches are safe; {mend} and start the pipeline again",
    )


def short(error: Exception) -> str:
    """The first line of what the library says; below it come pages of its own structures."""
    return str(error).split("\n", 1)[0][:400]
