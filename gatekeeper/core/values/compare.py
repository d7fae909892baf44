"""Compare the values of a claim with those of the evidence."""

from gatekeeper.core.values.model import FactIndex, Finding


def compare(plain: str, hypothesis: str, facts: FactIndex) -> tuple[Finding, ...]:
    """Say of every value in the claim whether the evidence states, explains or denies it.

    Args:
        plain: The claim in its own words; its values are judged.
        hypothesis: The claim with carried subject or heading; aligns it with the evidence.
        facts: The evidence.
    """
    return ()
