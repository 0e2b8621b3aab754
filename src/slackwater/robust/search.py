"""The searches of robust plans, in one place."""

from __future__ import annotations

from slackwater.robust.erp import erp, erp_literal
from slackwater.robust.es import es_central, es_full
from slackwater.robust.rs import rs
from slackwater.robust.wrp import wrp

# by name; each takes an optimizer over a space, and ε
SEARCHES = (
    ("erp", erp),  # first: what the engine uses
    ("wrp", wrp),  # never stops early
    ("rs", rs),  # knows nothing of regions
    ("es_central", es_central),
    ("es_full", es_full),  # the yardstick: n^d calls
    ("erp_literal", erp_literal),
)
