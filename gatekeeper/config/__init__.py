"""The policy as it is set: read, checked with every fault at once, and changed at run time."""

from gatekeeper.config.policies import (
    check_policy,
    forced_mode,
    load_policy,
    policy_hash,
    read_draft,
    uncalibrated_paths,
)

__all__ = [
    "check_policy",
    "forced_mode",
    "load_policy",
    "policy_hash",
    "read_draft",
    "uncalibrated_paths",
]
