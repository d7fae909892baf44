"""Events: lower-case, past tense, facts as keys. No text of answers, passages or questions.

That holds by construction: an event keeps only the keys in ``FACTS``, numbers, and words without a
blank in them. An exception is logged by type and place, never by its message, for parsers quote
what they could not read.
"""

import logging
import re
from collections import Counter
from collections.abc import Mapping, MutableMapping
from pathlib import Path
from traceback import extract_tb
from typing import Any

import structlog

from gatekeeper.policy import Mode
from gatekeeper.protocols import Decision

FACTS = frozenset(
    {
        *("event", "level", "timestamp"),
        *("id", "route", "mode", "enforced", "verdict", "reason", "action", "would"),
        *("score", "claims", "supported", "flagged", "unresolved", "fingerprint"),
        *("check_s", "added_s", "evidence_words", "pairs", "pair_tokens"),
        *(
            "expected",
            "error",
            "place",
            "seconds",
            "retry_in_s",
            "outcome",
            "faults",
            "workers",
            "file",
        ),
        *("blocked", "of_last", "share", "tripped", "difference", "resolver"),
        *("reviewer", "role"),
    }
)

# A word of the product, an id, a path, a hash: nothing anyone would write to someone.
_WORD = re.compile(r"[\w./:{}*~%+@-]{0,256}")
CUT = "?"

_WARNINGS = frozenset(
    {
        *("batch_failed", "worker_died", "load_failed", "metrics_unshared", "telemetry_failed"),
        *("shadow_check_dropped", "reload_refused", "route_tripped", "enforcement_degraded"),
        *("model_not_invariant", "model_scores_differ", "route_unmatched", "probe_judged_wrong"),
        *("store_failed", "store_dropping", "keep_waits", "reviewers_unreadable"),
    }
)


class EventLog:
    """Logs decisions and incidents; a ``gatekeeper.protocols.Telemetry`` that only logs.

    Args:
        logger: Where rendered events go; the app's logging configuration decides what is shown.
            Default: the logger named ``gatekeeper``.
    """

    def __init__(self, logger: logging.Logger | None = None) -> None:
        self._logger: structlog.stdlib.BoundLogger = structlog.wrap_logger(
            logger or logging.getLogger("gatekeeper"),
            processors=[
                structlog.stdlib.filter_by_level,
                structlog.stdlib.add_log_level,
                structlog.processors.TimeStamper(fmt="iso", utc=True),
                keep_facts,
                structlog.processors.JSONRenderer(sort_keys=True),
            ],
            wrapper_class=structlog.stdlib.BoundLogger,
            context_class=dict,
        )

    def began(self, route: str, mode: Mode) -> None:
        """Log nothing: the decision follows."""

    def decided(self, decision: Decision) -> None:
        """Log a decision by its facts."""
        verdict = decision.verdict
        claims = Counter(claim.status for claim in verdict.claims)
        self._logger.info(
            "answer_decided",
            id=decision.id,
            route=decision.route,
            mode=str(decision.mode),
            enforced=decision.enforced,
            verdict=str(verdict.outcome),
            reason=verdict.reason,
            action=None if decision.action is None else str(decision.action),
            would=str(decision.would),
            score=verdict.score,
            claims={str(status): count for status, count in claims.items()},
            fingerprint=verdict.fingerprint,
            check_s=decision.check_s,
            added_s=decision.added_s,
            evidence_words=decision.evidence_words,
            pairs=decision.pairs,
            pair_tokens=decision.pair_tokens,
        )

    def shadow_dropped(self, route: str, reason: str) -> None:
        """Log a shadow check that was given up."""
        self.notice("shadow_check_dropped", route=route, reason=reason)

    def websocket(self) -> None:
        """Log a forwarded websocket, for those who wonder why it is not gated."""
        self._logger.debug("websocket_forwarded")

    def notice(self, event: str, **facts: str | float) -> None:
        """Log an incident of the scheduler or the configuration; see ``scheduler.Notice``."""
        level = logging.WARNING if event in _WARNINGS else logging.INFO
        self._logger.log(level, event, **facts)

    def failed(self, event: str, error: BaseException, **facts: str | float) -> None:
        """Log an exception by its type and the place it was raised at."""
        self._logger.error(event, **error_facts(error), **facts)


def error_facts(error: BaseException) -> dict[str, str]:
    """Return the type of an exception and where it was raised, as ``file.py:line:function``."""
    frames = extract_tb(error.__traceback__)
    if not frames:
        return {"error": type(error).__name__}
    last = frames[-1]
    return {
        "error": type(error).__name__,
        "place": f"{Path(last.filename).name}:{last.lineno}:{last.name.strip('<>')}",
    }


def keep_facts(_logger: object, _method: str, event: MutableMapping[str, Any]) -> Mapping[str, Any]:
    """Keep what may be logged: known keys, numbers, single words; a structlog processor."""
    return {key: _fact(value) for key, value in event.items() if key in FACTS}


def _fact(value: object) -> object:
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, dict):
        return {_fact(key): _fact(inner) for key, inner in value.items()}
    if isinstance(value, str) and _WORD.fullmatch(value):
        return value
    return CUT
