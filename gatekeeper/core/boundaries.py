"""Sentence boundaries as a fold over words: where one part of a line ends and the next begins.

A decision between two words rests on the words up to the second one and on nothing behind it, so
any cutting of the text gives the same parts. A part never holds a line break; whether a sentence
goes on in the next line is for the layer above, told by ``closed``. Closed lists, chosen from the
abbreviations of English prose, addresses and citations that stand before a capital or a digit.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from gatekeeper.core.markup import CITATION

_HARD = "\u3002\uff01\uff1f\uff61"  # CJK stops end a sentence without a blank behind them
_CLOSERS = "\"')]}*_`~\u201d\u2019\u00bb\u203a\u300d\u300f\uff09\u3011"
_OPENERS = "\"'([{*_`~\u201c\u2018\u201e\u00ab\u2039\u300c\u300e\uff08\u00bf\u00a1#>"
_QUOTES = frozenset('"\u201c\u201d\u201e\u00ab\u00bb\u300c\u300d')
_STOPS = ".!?\u2026" + _HARD
_INVISIBLE = {ord(c): None for c in "\u200b\u200c\u200d\u2060\ufeff\u200e\u200f\u202a\u202b\u202c"}
_PIECE = re.compile(rf"\s+|[{_HARD}]+|[{re.escape(_CLOSERS)}]+|[^\s{_HARD}{re.escape(_CLOSERS)}]+")
_LINE_BREAK = re.compile("\r\n|[\n\r\x0b\x0c\x85\u2028\u2029]")
_TAIL = re.compile(
    rf"(?:[{re.escape(_CLOSERS)}]|\[[^\[\]]{{1,40}}\]|\u3010[^\u3010\u3011]{{1,40}}\u3011"
    r"|[\u00b2\u00b3\u00b9\u2070\u2074-\u2079])+\Z"
)
_ENUMERATOR = re.compile(r"\(?(?:\d{1,3}|[A-Za-z])[.)]")
_ACRONYM = re.compile(r"(?:[A-Za-z]\.)+[A-Za-z]")

# Something always follows these, whatever its case.
_PREFIXES = frozenset(
    """dr mr mrs ms mx prof rev hon capt col gen lt sgt gov sen rep pres messrs mme approx ca cf
    vs v e.g i.e eg ie viz al bldg apt dept est incl excl resp tel ext""".split()
)
# These are abbreviations before a number only: "No. 4", but "No. It is closed."
_NUMBERED = frozenset(
    "no nos nr art sec sect ch chap vol vols p pp par para fig figs eq tab ver rev rm ed".split()
)
# These may end a sentence; then it is the next word that tells.
_EITHER = frozenset(
    """st ave rd blvd sq mt ft etc inc ltd co corp llc plc jr sr max min avg jan feb mar apr jun jul
    aug sept sep oct nov dec mon tue tues wed thu thur thurs fri sat sun a.m p.m am pm phd
    ph.d""".split()
)
# Units end a sentence before anything but a digit ("5 ft. 3 in.").
_UNITS = frozenset("cm mm km kg mg ml lb lbs oz yd hr hrs mins secs ft in".split())
# Words that begin sentences and hardly ever names.
_STARTERS = frozenset(
    """a an the this that these those it its he she they we you i there here in on at for from to
    with by as if when while after before once since although however but and or so yes no not
    please all any each every both some many most other another our your his her their my one
    then also thus what who how why where which is are was were do does did can may must
    will""".split()
)
# What has a letter for a name; a capital behind any other word is an initial.
_LETTERED = frozenset(
    """appendix bldg block building category class gate grade group hall hepatitis level option part
    phase plan platform room row section table terminal type unit version vitamin wing
    zone""".split()
)
# No model reads a sentence of this many characters at once; a limit keeps all work on one short.
_LONGEST = 4000
_QUOTE_REACH = 40  # words a quotation or bracket may hold sentences back, in case it never closes


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of one line: a sentence, or what of it stands on this line.

    ``end`` takes in the blanks behind it (``gap``), ``breaks`` counts the line breaks among them
    (0: the line goes on). ``indent`` is the column of the first part of a line. ``closed`` means
    that the sentence ends here.
    """

    start: int
    end: int
    text: str
    gap: str
    first: bool
    indent: int
    breaks: int
    closed: bool


@dataclass(slots=True)
class _Word:
    text: str
    gap: str
    bare: str = ""
    first: bool = False

    def __post_init__(self) -> None:
        self.bare = self.text.translate(_INVISIBLE)

    @property
    def opening(self) -> str:
        """The first letter or digit; "" if there is none near the start."""
        return next((c for c in self.bare[:80] if c.isalnum()), "")

    @property
    def floats(self) -> bool:
        """True for citations, dashes, emoji: they stay with the sentence before."""
        return not any(c.isalnum() for c in self.bare) or bool(CITATION.fullmatch(self.bare))


@dataclass(slots=True)
class _Sentence:
    """What has been read of the sentence at hand, as far as boundaries need it."""

    words: int = 0
    length: int = 0
    lower: bool = False
    quote: int | None = None  # number of the word that opened a quotation
    bracket: int | None = None
    ended: bool = False  # a stop was read and only floating words since
    before: str = ""

    def read(self, word: _Word) -> None:
        if self.words == 0 or (not self.lower and self.before == ""):
            self.lower = word.opening.islower()
        bare = word.bare[:80]
        head = bare[: len(bare) - len(bare.lstrip(_OPENERS))]
        tail = word.bare[len(word.bare.rstrip(_CLOSERS + _STOPS + ",;:")) :]
        if self.words and not _QUOTES.isdisjoint(head):
            self.quote = self.words
        if not _QUOTES.isdisjoint(tail):
            self.quote = None
        depth = word.bare.count("(") - word.bare.count(")")
        if depth > 0 and self.words:
            self.bracket = self.words
        elif depth < 0:
            self.bracket = None
        self.words += 1
        self.length += len(word.text) + len(word.gap)

    def is_held(self) -> bool:
        """True inside a quotation or bracket that began within the sentence."""
        inner = max(-1 if self.quote is None else self.quote,
                    -1 if self.bracket is None else self.bracket)  # fmt: skip
        return inner >= 0 and self.words - inner <= _QUOTE_REACH


@dataclass(slots=True)
class Boundaries:
    """The fold: ``feed`` pieces of text, get the parts that are complete; ``finish`` once.

    Blanks before the first word are counted in ``lead`` and belong to no part.
    """

    lead: str = ""
    _word: list[str] = field(default_factory=list)
    _gap: list[str] = field(default_factory=list)
    _stopped: bool = False
    _held: _Word | None = None
    _sentence: _Sentence = field(default_factory=_Sentence)
    _texts: list[str] = field(default_factory=list)
    _start: int = 0
    _first: bool = True
    _indent: int = 0

    def feed(self, text: str) -> Iterator[Part]:
        """Take the next piece; yield the parts it completes."""
        for match in _PIECE.finditer(text):
            piece = match.group()
            if piece.isspace():
                self._gap.append(piece)
                continue
            hard, closer = piece[0] in _HARD, piece[0] in _CLOSERS
            if self._gap or (self._stopped and not hard and not closer):
                yield from self._complete()
            self._stopped = hard or (self._stopped and closer)
            self._word.append(piece)

    def finish(self) -> Iterator[Part]:
        """Yield the parts that are left."""
        yield from self._complete()
        if self._held is not None:
            self._texts.append(self._held.text)
            yield self._part(self._held, breaks=_breaks(self._held.gap), closed=True)
            self._held = None

    def _complete(self) -> Iterator[Part]:
        text, gap = "".join(self._word), "".join(self._gap)
        self._word, self._gap, self._stopped = [], [], False
        if not text:
            self.lead += gap
            self._start, self._indent = len(self.lead), _indent(self.lead)
            return
        word, held = _Word(text, gap), self._held
        if held is None:
            word.first = True
        else:
            breaks = _breaks(held.gap)
            word.first = breaks > 0
            self._sentence.read(held)
            closed = self._closes(held, word, breaks)
            self._texts.append(held.text)
            if closed or breaks:
                yield self._part(held, breaks=breaks, closed=closed)
            else:
                self._texts.append(held.gap)
        self._held = word

    def _part(self, last: _Word, *, breaks: int, closed: bool) -> Part:
        text = "".join(self._texts)
        end = self._start + len(text) + len(last.gap)
        part = Part(self._start, end, text, last.gap, self._first, self._indent, breaks, closed)
        self._texts, self._start = [], end
        self._first, self._indent = breaks > 0, _indent(last.gap) if breaks else 0
        if closed:
            self._sentence = _Sentence()
        return part

    def _closes(self, word: _Word, following: _Word, breaks: int) -> bool:
        sentence = self._sentence
        stem = _without_tail(word.bare)
        stop = stem[len(stem.rstrip(_STOPS)) :]
        ended = bool(stop) or (sentence.ended and word.floats and not word.first)
        sentence.ended = ended
        before, sentence.before = sentence.before, word.bare
        if breaks > 1 or not following.text or sentence.length > _LONGEST:
            return True
        if not ended:
            return False
        if not _HARD_SET.isdisjoint(stop):
            return True
        if sentence.is_held() or (following.floats and not breaks):
            return False
        if stop == ".":
            return self._full_stop(stem[:-1].lstrip(_OPENERS), before, word, following)
        return not following.opening.islower()

    def _full_stop(self, base: str, before: str, word: _Word, following: _Word) -> bool:
        lower, bare = base.lower(), following.bare.strip(_OPENERS + _CLOSERS + _STOPS + ",;:")
        if lower in _PREFIXES or (word.first and _ENUMERATOR.fullmatch(word.bare)):
            return False
        if following.opening.islower():
            plain = len(base) > 2 and base.isalpha() and lower not in _EITHER | _UNITS
            return plain and self._sentence.lower
        if lower in _NUMBERED or base in _UNITS:
            return not following.opening.isdigit()
        starter = re.split("['\u2019]", bare.lower(), maxsplit=1)[0] in _STARTERS
        if lower in _EITHER or _ACRONYM.fullmatch(base):
            return starter
        if len(base) == 1 and base.isupper():
            return starter or before[-1:].isdigit() or before.lower().rstrip(".") in _LETTERED
        return True


_HARD_SET = frozenset(_HARD)


def _without_tail(word: str) -> str:
    """Cut closing quotes, brackets, markup and citation markers off a word."""
    tail = _TAIL.search(word[-80:])
    return word[: len(word) - len(tail.group())] if tail else word


def _breaks(gap: str) -> int:
    return sum(1 for _ in _LINE_BREAK.finditer(gap)) if gap else 0


def _indent(gap: str) -> int:
    """Columns behind the last line break; a tab counts four."""
    last = _LINE_BREAK.split(gap)[-1]
    return len(last.expandtabs(4))
