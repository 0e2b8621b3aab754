"""What a broker refused, in words of ours."""

from __future__ import annotations

from collections.abc import Sequence

from confluent_kafka import KafkaError, KafkaException

from slackwater.errors import SinkError
from slackwater.secrets import concealed

_SAFE = "nothing is lost or doubled: mend it and start the pipeline again"
_KNOWN = {
    "SINK_CREDENTIALS": (
        ("_AUTHENTICATION", "SASL_AUTHENTICATION_FAILED", "_SSL", "UNSUPPORTED_SASL_MECHANISM"),
        "look at security.protocol, sasl.* and ssl.* in options=, and where the secrets are",
    ),
    "SINK_NOT_WRITABLE": (
        (
            "TOPIC_AUTHORIZATION_FAILED",
            "TRANSACTIONAL_ID_AUTHORIZATION_FAILED",
            "CLUSTER_AUTHORIZATION_FAILED",
        ),
        "give this user the right to write to the topic, to read and write the topic of outputs, "
        "and to use transactional ids that begin with slackwater-; " + _SAFE,
    ),
    "SINK_TABLE_MISSING": (
        ("UNKNOWN_TOPIC_OR_PART", "_UNKNOWN_TOPIC", "_UNKNOWN_PARTITION", "TOPIC_EXCEPTION"),
        "make it (kafka-topics.sh --create), or name another; topics for rows are not made",
    ),
    "SINK_VALUE": (
        ("MSG_SIZE_TOO_LARGE", "RECORD_LIST_TOO_LARGE", "POLICY_VIOLATION", "INVALID_RECORD"),
        "raise max.message.bytes of the topic, or select less; " + _SAFE,
    ),
    "SINK_OPTIONS": (
        ("_INVALID_ARG", "INVALID_TRANSACTION_TIMEOUT", "INVALID_CONFIG", "_CONF", "_CONFLICT"),
        "look at options=",
    ),
}
_AWAY = "start the brokers, or look at servers= and the network; " + _SAFE


def is_final(errors: Sequence[KafkaError]) -> bool:
    """Whether to try again is of no use."""
    return any(_known(error) is not None for error in errors)


def told(errors: Sequence[KafkaError], place: str, secrets: Sequence[str]) -> SinkError:
    """A failure as an error of ours: what it was, the way out, and no secret."""
    for error in errors:
        found = _known(error)
        if found is not None:
            return SinkError(found[0], f"{place}: {_words(error, secrets)}", found[1])
    return SinkError("SINK_UNREACHABLE", f"{place}: {_words(errors[0], secrets)}", _AWAY)


def error_of(error: KafkaException) -> KafkaError:
    """What Kafka's client says inside of what it raises."""
    found: KafkaError = error.args[0]
    return found


def _known(error: KafkaError) -> tuple[str, str] | None:
    for condition, (names, hint) in _KNOWN.items():
        if error.name() in names:
            return condition, hint
    return None


def _words(error: KafkaError, secrets: Sequence[str]) -> str:
    """One line; clients put the address, which may be a secret, in front."""
    return concealed(" ".join(error.str().split()), *secrets)
