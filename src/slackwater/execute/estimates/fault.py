"""What a request may run into while it is answered, and what is none of its fault."""

from __future__ import annotations

from slackwater.errors import Problem

LONGEST = 300  # characters of a reason


def fault(error: Exception, at: str, where: str | None) -> Problem:
    """A failure while a request was answered, as told to who asked."""
    asked = "the estimate" if where is None else f"{where!r:.100}"
    hint = "compare columns with values of their own type" if where is not None else ""
    return Problem("PROD_FAILED", at, f"{asked} cannot be computed: {reason_of(error)}", hint)


def reason_of(error: Exception) -> str:
    """The first line of what an engine says."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = next((line for line in lines if not line.startswith("at ")), type(error).__name__)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} …"
