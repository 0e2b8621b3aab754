"""Addresses in object stores, and the package that speaks to them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from slackwater.errors import MachineError

if TYPE_CHECKING:
    from slackwater.runs.objects.bucket import Bucket

STORES = {
    "s3": "Amazon S3, and what speaks like it",
    "gs": "Google Cloud Storage",
    "az": "Azure Blob Storage",
}


def is_store(path: str) -> bool:
    """Whether a path is an address in an object store that we speak to ourselves."""
    scheme, separator, _ = path.partition("://")
    return bool(separator) and scheme in STORES


def open_bucket(address: str) -> Bucket:
    """What lies below an address; a clear word if the extra is not installed."""
    try:
        module = import_module("slackwater.runs.objects.bucket")
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("slackwater"):
            raise
        raise MachineError(
            "EXTRA_MISSING",
            f"{address}: the package {error.name} is not installed",
            "pip install 'slackwater[objects]'",
        ) from None
    found: Bucket = module.Bucket.at(address)
    return found
