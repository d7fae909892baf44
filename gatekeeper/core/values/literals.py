"""Values that are compared as text: addresses, identifiers, versions, quotations, code."""

import re
from collections.abc import Sequence

_ASSIGNED = re.compile(r"^[A-Za-z_]\w*=(?!=)")
_PROMPT = re.compile(r"^(?:\$|>>>|%|#)\s+")


def literal_support(code: str, passages: Sequence[str]) -> int | None:
    """Return the index of the first passage that holds the code, blanks apart.

    A shell or Python prompt and the name that a result is assigned to are free. None if no
    passage holds it or the code is blank.
    """
    squeezed = "".join(_PROMPT.sub("", line.strip()) for line in code.strip().splitlines())
    wanted = "".join(squeezed.split())
    forms = [form for form in (wanted, _ASSIGNED.sub("", wanted)) if form]
    for position, passage in enumerate(passages):
        held = "".join(passage.split())
        if any(form in held for form in forms):
            return position
    return None
