"""The kind of error in an answer, where a set names it, by the set's own words."""

import json
import re

from benchmarks.scoring import ScoredRow

# Set to the key of its meta that holds the kinds: a list, or a list written as text.
KEYS = {"summedits": "edit_types", "aggrefact_cliff_goyal21": "error_type"}

_WORD = re.compile(r"[A-Za-z][\w -]*")


def kinds_of(row: ScoredRow) -> tuple[str, ...]:
    """Return the kinds of error of an answer, each once; none where the set doesn't say."""
    key = KEYS.get(row.dataset)
    found = json.loads(row.meta).get(key) if key else None
    if isinstance(found, str):
        found = _WORD.findall(found)
    if not isinstance(found, list):
        return ()
    return tuple(dict.fromkeys(str(kind).strip().lower() for kind in found))
