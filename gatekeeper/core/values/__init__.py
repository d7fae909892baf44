"""The value guard: what numbers, dates and names in a claim have to do with those in the evidence.

Pure: no I/O, no clock, the standard library only, and time linear in the length of the texts.
"""

from gatekeeper.core.values.code import CodeIndex, code_steps, index_code, literal_support
from gatekeeper.core.values.compare import compare, compare_steps
from gatekeeper.core.values.extract import extract
from gatekeeper.core.values.facts import index, index_steps, read_fact
from gatekeeper.core.values.model import (
    Bound,
    Fact,
    FactIndex,
    Finding,
    Kind,
    Reading,
    Relation,
    Value,
)

__all__ = [
    "Bound",
    "CodeIndex",
    "Fact",
    "FactIndex",
    "Finding",
    "Kind",
    "Reading",
    "Relation",
    "Value",
    "code_steps",
    "compare",
    "compare_steps",
    "extract",
    "index",
    "index_code",
    "index_steps",
    "literal_support",
    "read_fact",
]
