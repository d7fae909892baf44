"""Negation and quantifiers: a claim that copies a sentence but turns it round.

Only near-copies count. A sentence and a claim that differ in anything but the negator, the items
of a list under it or a synonym of allowing and forbidding are left to the model.
"""

import re
from collections.abc import Iterator

from gatekeeper.core.terms import stem
from gatekeeper.core.values.align import Claim
from gatekeeper.core.values.model import Finding


def polarity(plain: str, hypothesis: str, claim: Claim) -> Iterator[Finding]:
    """Yield at most one finding about negation and one about quantifiers."""
    return iter(())
