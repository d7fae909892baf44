"""Batches: which waiting pairs share the next forward pass.

Pure: the clock is an argument. A pass of n pairs costs n x longest tokens, for every row is
padded to the longest one.
"""

from collections.abc import Sequence


def plan_runs(lengths: Sequence[int], *, max_padded_tokens: int) -> list[list[int]]:
    """Cut pairs into runs of similar length, each under a ceiling of padded tokens.

    Args:
        lengths: Tokens of each pair.
        max_padded_tokens: Ceiling for pairs x longest; a single longer pair runs alone.

    Returns:
        Positions into ``lengths``, each exactly once, longest first within and over runs.
    """
    order = sorted(range(len(lengths)), key=lambda n: (-lengths[n], n))
    runs: list[list[int]] = []
    for position in order:
        longest = lengths[runs[-1][0]] if runs else 0
        if runs and longest * (len(runs[-1]) + 1) <= max_padded_tokens:
            runs[-1].append(position)
        else:
            runs.append([position])
    return runs
