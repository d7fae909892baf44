"""What the worker has done so far, as numbers anyone may read."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """A snapshot. What waits is enforced and shadow work together; everything else counts up.

    ``expired_pairs`` were let in and ran out of time; ``refused_calls`` were not let in,
    ``shadow_refused`` of them in shadow; ``dropped_cancelled`` pairs left the line with their
    waiter.
    """

    queue_calls: int = 0
    queue_pairs: int = 0
    queue_tokens: int = 0
    most_queue_pairs: int = 0
    most_queue_tokens: int = 0
    passes: int = 0
    failed_passes: int = 0
    longest_pass_s: float = 0.0
    pairs: int = 0
    tokens: int = 0
    padded_tokens: int = 0
    slices: int = 0
    longest_slice_s: float = 0.0
    refused_calls: int = 0
    shadow_refused: int = 0
    expired_calls: int = 0
    expired_pairs: int = 0
    dropped_cancelled: int = 0
    deaths: int = 0
    loads: int = 0
    failed_loads: int = 0
