"""Evidence: the premises a claim is compared with, and their order.

Pure. A premise is a window of neighbouring sentences of one passage, or a joint premise: the best
windows of two or three places, in the order they stand. Ranking is lexical and cheap; it decides
which pairs the model sees, never a status. An index is built once an answer, with an inverted
list from term to sentence, so ranking a claim costs its matches and not the evidence's length.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Generator, Mapping, Sequence, Set
from dataclasses import dataclass

from gatekeeper.core.segment import Form, Sentence, sentence_steps
from gatekeeper.core.terms import terms
from gatekeeper.verdict import Evidence, PremiseRef

# A longer window must add this share of the claim's weight for each sentence more: otherwise the
# shorter one, which dilutes the model's view less, stands first.
LENGTH_PENALTY = 0.03
# Sentences round which windows are formed; far above any k, it bounds the work on long evidence.
ANCHORS = 24
# Reading this many sentences takes a few milliseconds: the worker can turn to others in between.
LINES_A_STEP = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A sentence of the evidence: its passage by position, its place in it, its terms."""

    passage: int
    sentence: Sentence
    terms: frozenset[str]

    @property
    def asserts(self) -> bool:
        """True unless it only asks or only names a topic: neither can support a claim alone."""
        return self.sentence.form not in (Form.QUESTION, Form.HEADING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Premise:
    """What is put to the model: text, and the evidence lines it was joined from, in order."""

    text: str
    lines: tuple[int, ...]
    passages: tuple[int, ...]
    refs: tuple[PremiseRef, ...]

    @property
    def is_joint(self) -> bool:
        """True if the premise was joined from lines that are not neighbours."""
        return len(self.refs) > 1


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceIndex:
    """The evidence of one answer, prepared once.

    ``postings`` tells which lines hold a term; ``copies`` finds an asserting line by its words.
    """

    ids: tuple[str, ...]
    lines: tuple[Line, ...]
    postings: Mapping[str, tuple[int, ...]]
    copies: Mapping[str, int]

    def weight(self, term: str) -> float:
        """Inverse document frequency over lines; a term no line holds weighs most.

        Source: Robertson and Zaragoza (2009), the form that is never negative.
        """
        n, df = len(self.lines), len(self.postings.get(term, ()))
        return math.log(1 + (n - df + 0.5) / (df + 0.5))


def build_index(evidence: Evidence) -> Generator[None, None, EvidenceIndex]:
    """Prepare the evidence, a sentence or a part of one a step."""
    lines: list[Line] = []
    for number, passage in enumerate(evidence.passages):
        for found in sentence_steps(passage.text):
            if found is not None:
                held = frozenset(terms(found.text))
                lines.append(Line(passage=number, sentence=found, terms=held))
            yield
    postings: defaultdict[str, list[int]] = defaultdict(list)
    for number, line in enumerate(lines):
        for term in line.terms:
            postings[term].append(number)
    return EvidenceIndex(
        ids=tuple(passage.id for passage in evidence.passages),
        lines=tuple(lines),
        postings={term: tuple(found) for term, found in postings.items()},
        copies={
            bare(line.sentence.text): number
            for number, line in reversed(list(enumerate(lines)))
            if line.asserts
        },
    )


def bare(text: str) -> str:
    """Return a sentence without case and final stop, for the comparison word for word."""
    return text.casefold().rstrip(" .!")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """The windows of the evidence for one claim, best first, with the claim terms each holds.

    ``weights`` has every term of the claim; ``known`` is the share of it, by weight, that stands
    anywhere in the evidence, 1.0 for a claim without a term.
    """

    premises: tuple[Premise, ...]
    covered: tuple[frozenset[str], ...]
    weights: Mapping[str, float]
    known: float


def rank(hypothesis: str, index: EvidenceIndex, *, longest: int, most: int) -> Ranking:
    """Rank windows of up to ``longest`` lines by the weighted share of claim terms they hold.

    Windows that only ask or only name a topic are left out, and so are those without a term of the
    claim: a small model finds support for "It is." in any text. Ties keep the order of the
    evidence, shorter windows first, so that the result depends on nothing but the texts.
    """
    weights = {term: index.weight(term) for term in sorted(set(terms(hypothesis)))}
    total = _weight(weights.keys(), weights)
    scored = []
    for first, last in _spans(_anchors(weights, index), index, longest):
        span = index.lines[first : last + 1]
        held = frozenset().union(*(line.terms for line in span)) & weights.keys()
        if not held:
            continue
        score = _weight(held, weights) / total - LENGTH_PENALTY * (last - first)
        scored.append((-score, last - first, first, held))
    scored.sort(key=lambda row: row[:3])
    best = scored[:most]
    return Ranking(
        premises=tuple(join_lines(range(row[2], row[2] + row[1] + 1), index) for row in best),
        covered=tuple(row[3] for row in best),
        weights=weights,
        known=_weight(weights.keys() & index.postings.keys(), weights) / total if total else 1.0,
    )


def _weight(held: Set[str], weights: Mapping[str, float]) -> float:
    """Sum weights in one order, so that the last bit depends on nothing but the texts."""
    return sum(weights[term] for term in sorted(held))


def _anchors(weights: Mapping[str, float], index: EvidenceIndex) -> list[int]:
    """Return the lines that hold most of the claim's weight, best first."""
    if len(index.lines) <= ANCHORS:
        return list(range(len(index.lines)))
    gain: Counter[int] = Counter()
    for term, weight in weights.items():
        for number in index.postings.get(term, ()):
            gain[number] += weight  # type: ignore[assignment]  # Counter holds any number
    best = sorted(gain, key=lambda number: (-gain[number], number))[:ANCHORS]
    return best or list(range(ANCHORS))


def _spans(anchors: Sequence[int], index: EvidenceIndex, longest: int) -> list[tuple[int, int]]:
    """Return each window (first, last) of one passage that holds an anchor, once."""
    found = set()
    for anchor in anchors:
        passage = index.lines[anchor].passage
        for first in range(max(0, anchor - longest + 1), anchor + 1):
            for last in range(anchor, min(len(index.lines), first + longest)):
                span = index.lines[first : last + 1]
                same = span[0].passage == passage == span[-1].passage
                if same and any(line.asserts for line in span):
                    found.add((first, last))
    return sorted(found)


def join_lines(numbers: Sequence[int], index: EvidenceIndex) -> Premise:
    """Join lines to one premise; neighbours share a reference, a new heading is said first."""
    texts: list[str] = []
    refs: list[PremiseRef] = []
    heading, before = "", None
    for number in numbers:
        line = index.lines[number]
        if line.sentence.heading and line.sentence.heading != heading:
            heading = line.sentence.heading
            texts.append(f"{heading}:")
        follows = before is not None and number == before + 1
        # Without the line before it, a pronoun at the start has lost what it stands for.
        texts.append(line.sentence.text if follows else line.sentence.resolved)
        place = index.ids[line.passage]
        if follows and refs[-1].passage == place:
            refs[-1] = PremiseRef(passage=place, start=refs[-1].start, end=line.sentence.end)
        else:
            refs.append(PremiseRef(passage=place, start=line.sentence.start, end=line.sentence.end))
        before = number
    return Premise(
        text=" ".join(texts),
        lines=tuple(numbers),
        passages=tuple(sorted({index.lines[number].passage for number in numbers})),
        refs=tuple(refs),
    )


def joint_premise(ranking: Ranking, index: EvidenceIndex, *, places: int) -> Premise | None:
    """Join the windows that together hold most of the claim, in the order they stand.

    Greedy: start from the best window, add the one that holds most of what is still missing.
    Places may be passages or distant lines of one passage (a long ticket is one passage too).
    Returns None if no second window adds a term.
    """
    if not ranking.premises:
        return None
    chosen = set(ranking.premises[0].lines)
    held = set(ranking.covered[0])
    for _ in range(places - 1):
        gains = [
            (_weight(covered - held, ranking.weights), -position)
            for position, covered in enumerate(ranking.covered)
        ]
        gain, position = max(gains)
        if gain <= 0.0:
            break
        chosen |= set(ranking.premises[-position].lines)
        held |= ranking.covered[-position]
    joined = join_lines(sorted(chosen), index)
    return joined if joined.is_joint else None
