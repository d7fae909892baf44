"""The keys of a policy file and the words that can stand at them: one place for code and docs."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from gatekeeper.policy import Mode, Shape
from gatekeeper.verdict import Action, NotCheckedReason, UnresolvedReason

POLICY_KEYS = (
    "route",
    "model",
    "model_sha256",
    "calibration",
    "outcomes",
    "review",
    "probes_per_minute",
    "bounds",
)
ROUTE_KEYS = (
    "path",
    "methods",
    "mode",
    "share",
    "share_key",
    "answer",
    "shape",
    "question",
    "context",
    "boilerplate",
    "budget_ms",
    "on_flagged",
    "on_unresolved",
    "on_not_checked",
    "on_no_claims",
    "expose",
    "stream",
    "stream_answer",
    "max_hold_s",
    "keep_alive_s",
    "targets",
    "trip",
    "uncalibrated",
    "accept_public_calibration",
    "withheld_text",
    "block_status",
    "max_in_flight_per_key",
    "bounds",
)
OUTCOMES_KEYS = ("url", "store_text", "retention_days", "decision_days", "keep")
REVIEW_KEYS = ("path", "tokens")
REVIEWER_KEYS = ("name", "role", "sha256")
KEEP_KEYS = ("blocked", "accepted_low", "accepted_high", "unchecked")
TARGETS_KEYS = ("false_block", "accepted_error", "confidence")
TRIP_KEYS = ("blocked_share", "of_last", "to")
# Bytes held over all requests are one number for the process, so it stands at the top only.
PROCESS_BOUND = "process_bytes"
ROUTE_BOUNDS = (
    "request_bytes",
    "held_bytes",
    "held_events",
    "event_bytes",
    "decoded_bytes",
    "decoded_ratio",
    "json_depth",
    "passages",
    "evidence_chars",
    "resolver_ms",
    "send_ms",
)
POLICY_BOUNDS = (*ROUTE_BOUNDS, PROCESS_BOUND)

MODES: Final[Mapping[str, Mode]] = MappingProxyType({str(mode): mode for mode in Mode})
ACTIONS: Final[Mapping[str, Action]] = MappingProxyType(
    {action.lower(): action for action in Action}
)
# What each outcome may lead to; "redact" needs claims to cut, flagged ones or open ones.
ON_FLAGGED = {word: ACTIONS[word] for word in ("withhold", "block", "redact", "annotate")}
ON_NO_CLAIMS = {word: ACTIONS[word] for word in ("withhold", "block", "annotate", "release")}
REACTIONS = {"on_unresolved": dict(ACTIONS), "on_not_checked": ON_NO_CLAIMS}
SHAPES = {str(shape): shape for shape in Shape}
STORE_TEXT = {"none": "none", "sampled": "sampled"}
# What is no decision (no_route) or not the gate's to act on (off) has no reaction.
_UNGATED = (NotCheckedReason.NO_ROUTE, NotCheckedReason.OFF)
REASONS = {
    "on_unresolved": tuple(map(str, UnresolvedReason)),
    "on_not_checked": tuple(str(reason) for reason in NotCheckedReason if reason not in _UNGATED),
}
