"""Compare the values of a claim with those of the evidence.

Stated and derived are generous, clashing and absent strict: a false alarm blocks a right answer,
a miss leaves the claim to the model.
"""

from collections.abc import Generator
from dataclasses import replace

from gatekeeper.core.values.align import ALIGNED, Aligned, Claim, align, fits_worse
from gatekeeper.core.values.columns import wrong_column
from gatekeeper.core.values.derive import derive
from gatekeeper.core.values.extract import MAX_VALUES, extract
from gatekeeper.core.values.facts import blanked_terms, find_digits, find_glued, find_words
from gatekeeper.core.values.frames import frame, judge_frame
from gatekeeper.core.values.literals import spoken
from gatekeeper.core.values.match import LITERAL, Match, agreement, keys
from gatekeeper.core.values.model import FactIndex, Finding, Kind, Relation, Value
from gatekeeper.core.values.names import judge_name
from gatekeeper.core.values.polarity import polarity
from gatekeeper.core.values.rivals import MAX_HOLDERS, Holder, is_narrowed, rival_of
from gatekeeper.core.values.siblings import siblings
from gatekeeper.core.values.statements import is_negative
from gatekeeper.core.values.wording import wording
from gatekeeper.core.values.workings import worked_out
from gatekeeper.core.values.written import judge_written

MAX_JUDGED = 64  # values of a claim that are compared one by one
_MAX_SCANNED = 1500  # values of the evidence compared with one of the claim
_MAX_NEAR = 128  # values of a sentence that may stand in the place of the claim's
_LONG = 5  # digits that are found glued to other letters too: "PO Box 12345Springfield"
_YEAR = 4  # digits that are found glued to the word before: "in1996"
_MAX_TEXT = 4000  # characters of a sentence searched for a negation
_RIVALS_FROM = 5  # best-aligned sentences searched for another value in the same place


def compare(plain: str, hypothesis: str, facts: FactIndex) -> tuple[Finding, ...]:
    """Say of every value in the claim whether the evidence states, explains or denies it.

    Args:
        plain: The claim in its own words; its values are judged.
        hypothesis: The claim with carried subject or heading; aligns it with the evidence.
        facts: The evidence.

    Returns:
        One finding a value in the order of the text, then those about negation and quantifiers.
        A value that may be an idiom has a finding only when it is stated.
    """
    steps = compare_steps(plain, hypothesis, facts)
    try:
        while True:
            next(steps)
    except StopIteration as end:
        found: tuple[Finding, ...] = end.value
        return found


def compare_steps(
    plain: str, hypothesis: str, facts: FactIndex
) -> Generator[None, None, tuple[Finding, ...]]:
    """Do the same as ``compare``, and pause after each value that takes a search.

    Of a claim with more than MAX_JUDGED values the others are looked up only: stated, or absent.
    If it has more than are read at all, it is absent as a whole unless it stands word for word.
    """
    values = extract(plain)
    yield
    claim = yield from _claim(plain, hypothesis, values, facts)
    framed = judge_frame(frame(plain, claim.values), facts) or ()
    yield
    decided = {finding.value: finding for finding in framed}
    findings: list[Finding] = []
    for value in claim.values:
        found = decided[value] if value in decided else (yield from _judge(value, claim))
        if found is not None:
            findings.append(found)
        yield
    findings += [_looked_up(value, facts) for value in values[MAX_JUDGED:] if not value.weak]
    if len(values) >= MAX_VALUES and find_words(spoken(plain), facts) is None:
        findings.append(Finding(relation=Relation.ABSENT, rule="too many values"))
    if is_negative(plain):
        findings = [finding for finding in findings if _holds_under_negation(finding, facts)]
    yield
    findings += polarity(plain, hypothesis, claim)
    yield
    return (*findings, *wording(plain, claim), *siblings(plain, claim))


def _claim(
    plain: str, hypothesis: str, values: tuple[Value, ...], facts: FactIndex
) -> Generator[None, None, Claim]:
    """Align a claim; only what is near it is compared value by value."""
    read = values if hypothesis == plain else extract(hypothesis)
    claim_terms = blanked_terms(hypothesis, read)
    yield
    aligned = align(claim_terms, facts)
    judged = values[:MAX_JUDGED]
    placed = {}
    for near in aligned[:_RIVALS_FROM] if judged else ():
        placed[near.position] = tuple(
            other
            for other in facts.facts[near.position].values[:_MAX_NEAR]
            if not other.weak and not any(agreement(mine, other) for mine in judged)
        )
        yield
    return Claim(
        plain=plain, values=judged, terms=claim_terms, aligned=aligned, facts=facts, placed=placed
    )


def _looked_up(value: Value, facts: FactIndex) -> Finding:
    """Judge a value of an overlong claim by its words and its number alone."""
    words = spoken(value.text)
    position = find_words(words, facts) if _says_unit(value, words) else None
    if position is None:
        same = (
            at
            for key in keys(value)
            for at in facts.by_key.get(key, ())[:1]
            if any(agreement(value, other) is Match.SAME for other in facts.facts[at].values)
        )
        position = next(same, None)
    if position is None:
        return Finding(value=value, relation=Relation.ABSENT, rule="absent")
    return Finding(value=value, relation=Relation.STATED, rule="same", sentence=position)


def _holds_under_negation(finding: Finding, facts: FactIndex) -> bool:
    """False for a clash or absence that a negated claim may have by rights.

    "It did not open in 2018" is no error where the evidence says 2014; "not after 60 days" is one
    where it says "not after 14 days".
    """
    if finding.value is not None and finding.value.kind is Kind.QUOTE:
        return True
    if finding.relation is Relation.CLASHING and finding.sentence is not None:
        return is_negative(facts.facts[finding.sentence].text[:_MAX_TEXT])
    return finding.relation is not Relation.ABSENT or finding.value is None


def _judge(value: Value, claim: Claim) -> Generator[None, None, Finding | None]:
    if value.kind in LITERAL:
        return judge_written(value, claim)
    holders = _holders(value, claim)
    named = judge_name(value, [holder.position for holder in holders], claim)
    if named is not None:
        return named
    yield
    return (yield from _judge_amount(value, claim, holders))


def _judge_amount(
    value: Value, claim: Claim, holders: list[Holder]
) -> Generator[None, None, Finding | None]:
    rival = rival_of(value, claim)
    if holders:
        return _explained(value, claim, holders, rival)
    found = _points(value, claim) or _composed(value, claim) or _in_words(value, claim)
    if found is None:
        yield
        found = yield from worked_out(value, claim)
    if found is not None or value.weak:
        return found
    if rival is not None and rival.of_claim >= ALIGNED:
        return _clash(value, rival.position, "differs")
    if value.kind is Kind.ORDINAL:
        return None
    return Finding(value=value, relation=Relation.ABSENT, rule="absent")


def _clash(value: Value, position: int, rule: str) -> Finding:
    return Finding(value=value, relation=Relation.CLASHING, rule=rule, sentence=position)


def _holders(value: Value, claim: Claim) -> list[Holder]:
    """Return the sentences with a value that explains this one, best first."""
    found = []
    for position in _candidates(value, claim):
        matches = [agreement(value, other) for other in claim.facts.facts[position].values]
        known = [match for match in Match if match in matches]
        if known:
            found.append(Holder(position=position, match=known[0], share=claim.share(position)))
    order = list(Match)
    return sorted(found, key=lambda h: (order.index(h.match), -h.share, h.position))


def _candidates(value: Value, claim: Claim) -> list[int]:
    """Return the sentences to search: all of a short text, else the near and the likely ones."""
    facts = claim.facts
    if facts.value_count <= _MAX_SCANNED:
        return [position for position, fact in enumerate(facts.facts) if fact.values]
    found, seen = set(), 0
    likely = [at for key in sorted(keys(value), key=str) for at in facts.by_key.get(key, ())[:16]]
    for position in (*likely, *(aligned.position for aligned in claim.aligned)):
        if position not in found:
            found.add(position)
            seen += len(facts.facts[position].values)
            if seen > _MAX_SCANNED:
                break
    return sorted(found)


def _explained(value: Value, claim: Claim, holders: list[Holder], rival: Aligned | None) -> Finding:
    """Decide between a sentence that has the value and a closer one that has another."""
    narrowed = [holder for holder in holders if holder.match is Match.NARROWED]
    others = [holder for holder in holders if holder.match is not Match.NARROWED]
    if narrowed and is_narrowed(value, claim, narrowed, others):
        return _clash(value, narrowed[0].position, "narrowed")
    few = len(holders) <= MAX_HOLDERS
    if (
        rival is not None
        and few
        and all(fits_worse(claim, holder.position, rival) for holder in holders)
    ):
        return _clash(value, rival.position, "differs")
    best = (others or narrowed)[0]
    rows = [holder for holder in holders if holder.share >= best.share]
    if few and all(wrong_column(value, holder.position, claim) for holder in rows):
        return _clash(value, best.position, "column")
    if best.match in (Match.SAME, Match.NARROWED):
        rule = "same" if best.match is Match.SAME else "endpoint"
        return Finding(value=value, relation=Relation.STATED, rule=rule, sentence=best.position)
    return Finding(
        value=value, relation=Relation.DERIVED, rule=str(best.match), sentence=best.position
    )


def _composed(value: Value, claim: Claim) -> Finding | None:
    """Accept a date whose day and whose year stand in different places."""
    for reading in value.readings:
        year, month, day = reading.parts
        if not (year and month):
            continue
        rest = claim.facts.by_key.get(f"{month}-{day}")
        if rest and claim.facts.by_key.get(f"{year}"):
            return Finding(value=value, relation=Relation.DERIVED, rule="date", sentence=rest[0])
    return None


def _in_words(value: Value, claim: Claim) -> Finding | None:
    """Accept the very words of a value where they were read as something else.

    "7.8 per cent" may have been cut in two as sentences, "113" be part of "A-113".
    """
    words = spoken(value.text)
    if len(words) < 2 or value.bound is not None or not _says_unit(value, words):
        return None
    position = find_words(words, claim.facts)
    if position is None and words.isdigit() and len(words) >= _LONG:
        position = find_digits(words, claim.facts)
    elif position is None and words.isdigit() and len(words) == _YEAR:
        position = find_glued(words, claim.facts)
    if position is None:
        return None
    return Finding(value=value, relation=Relation.STATED, rule="words", sentence=position)


def _says_unit(value: Value, words: str) -> bool:
    """False where the words of a value leave its sign out: "12" of "£12"."""
    return not value.readings[0].unit or any(map(str.isalpha, words))


def _points(value: Value, claim: Claim) -> Finding | None:
    """Catch "by 10 percent" where 40 percent became 50 percent: those are 10 points."""
    if value.kind is not Kind.PERCENT:
        return None
    asked = replace(value.readings[0], kind=Kind.POINTS, unit="points")
    for aligned in claim.aligned[:1]:
        fact = claim.facts.facts[aligned.position]
        found = derive(replace(value, readings=(asked,)), (fact,))
        change = derive(value, (fact,))
        if aligned.of_claim >= ALIGNED and found and found.rule == "difference" and change is None:
            return _clash(value, aligned.position, "points")
    return None
