r"""One normalisation for guard, ranking and tokenizer, with a map back to the text as given.

Pure and linear: three layers of edits, each a list of slices replaced in the text before it.

characters  NFKC cluster by cluster; zero-width, bidi and control characters out; dashes and
            quotes to ASCII; a raised number is a citation behind a word or a stop ("salt[4]"), a
            power behind a digit ("10^2"), otherwise part of a unit ("m2"); "3\u00bd" is "3 1/2".
markup      markdown out, also inside a word: a wrong number in bold must be seen. Citation
            markers out. Link text stays, with the address of a web link behind it, because an
            invented address is an invented fact. Text in backticks stays letter by letter.
spaces      every run of white space is one space, none at the ends.
"""

import html
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

_FOLD = str.maketrans(
    dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2e3a\u2e3b\ufe58\ufe63", "-")
    | dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u02bc\u2035\u00b4", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u301d\u301e", '"')
    | {"\u2044": "/", "\u2122": "", "\u00ae": "", "\u2028": "\n", "\u2029": "\n\n", "\x85": "\n"}
)
_RAISED = "\u00b2\u00b3\u00b9\u2070\u2074-\u2079"
# A run keeps the ASCII character before it: a combining mark belongs to that one.
_ODD = re.compile(rf"[{_RAISED}]+|[ -~]?[^\t-\r\x1c-~{_RAISED}]+")
# Dropped categories: format (zero-width, bidi, soft hyphen), control, surrogate, private use.
_DROPPED = frozenset(("Cf", "Cc", "Cs", "Co"))
_UNIT_END = re.compile(r"(?:\b[A-Za-z]{1,3}|met(?:er|re)s?|feet|inch(?:es)?|miles?|yards?)\Z")

_CITATION = (
    r"\[(?P<ids>\^?(?:(?:doc(?:ument)?|source|ref|passage|chunk|note)[ #:_-]{0,2})?"
    r"[1-9]\d{0,2}(?:[ ]?[,;-][ ]?[1-9]\d{0,2}){0,30})\](?:\([^()\s]{0,500}\))?"
    r"|\u3010(?P<wide>[^\u3010\u3011\n]{1,60})\u3011"
)
CITATION = re.compile(_CITATION, re.IGNORECASE)
_MARKUP = re.compile(
    rf"""
      (?P<blank>\n[ \t]*\n)
    | (?P<fence>^[ \t]*(?:```|~~~)[^\n]*$)
    | (?P<rule>^[ \t]*(?:-[ \t]*){{3,}}$|^[ \t]*(?:\*[ \t]*){{3,}}$|^[ \t]*[=_]{{3,}}[ \t]*$)
    | (?P<line>^[ \t]*(?:(?:>|\#{{1,6}}[ \t]|[-*+\u2022\u2023\u25e6][ \t])[ \t]*)+
               (?:\[[ xX]\][ \t]+)?)
    | (?P<number>(?:\A|(?<=[.:;!?)]\n)|(?<=\n\n))[ \t]*(?:\d{{1,3}}[.)]|[a-z]\))[ \t]+(?=\S))
    | (?P<code>(?P<ticks>(?<!`)`{{1,2}}(?!`))[^`\n]{{1,500}}(?P=ticks)(?!`))
    | (?P<cite>[ \t]{{0,4}}(?:{_CITATION}))
    | (?P<open>!?\[(?=[^\[\]\n]{{1,500}}\]\())
    | (?P<link>\]\((?P<url>[^()\n]{{0,2000}})\))
    | (?P<auto><(?P<address>(?:https?:|mailto:)[^<>\s]{{1,2000}})>)
    | (?P<tag></?[a-zA-Z][^<>\n]{{0,200}}>|<!--[^<>\n]{{0,500}}-->)
    | (?P<entity>&(?:amp|lt|gt|quot|apos|nbsp|\#\d{{1,6}});)
    | (?P<escape>\\(?=[\\`*_{{}}\[\]()\#+.!|>~$-]))
    | (?P<delimiter>\*+|_+|~~|`+)
    """,
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)
_BLANKS = re.compile(r"\s+")

_Edit = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class _Layer:
    """A text after edits: its pieces as (start in it, start before, end before)."""

    text: str
    starts: tuple[int, ...]
    before: tuple[tuple[int, int], ...]

    def _piece(self, index: int) -> tuple[int, int, int, bool]:
        k = bisect_right(self.starts, index) - 1
        begin, end = self.before[k]
        stop = self.starts[k + 1] if k + 1 < len(self.starts) else len(self.text)
        return index - self.starts[k], begin, end, stop - self.starts[k] == end - begin

    def first(self, index: int) -> int:
        """Where the character at ``index`` begins in the text before."""
        offset, begin, _, exact = self._piece(index)
        return begin + offset if exact else begin

    def last(self, index: int) -> int:
        """Where the character at ``index`` ends in the text before."""
        offset, begin, end, exact = self._piece(index)
        return begin + offset + 1 if exact else end


@dataclass(frozen=True, slots=True)
class Normalised:
    """A normalised text and the way back. ``citations`` are the markers taken out, in order."""

    text: str
    citations: tuple[str, ...]
    _layers: tuple[_Layer, ...]

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """Return where a slice of the normalised text stands in the original, as offsets.

        A character that came of several (a ligature, a cluster) maps to all of them. An empty
        slice maps to (0, 0).

        Raises:
            IndexError: If the slice does not lie in the text.
        """
        if not 0 <= start <= end <= len(self.text):
            raise IndexError(f"[{start}, {end}) lies outside the text of {len(self.text)}")
        if start == end:
            return 0, 0
        last = end - 1
        for layer in reversed(self._layers):
            start, stop = layer.first(start), layer.last(last)
            last = stop - 1
        return start, last + 1


def normalise(text: str) -> Normalised:
    """Return the one text that guard, ranking and tokenizer see; total, also on surrogates."""
    characters = _apply(text, _character_edits(text))
    edits, citations = _markup_edits(characters.text)
    markup = _apply(characters.text, edits)
    spaces = _apply(markup.text, _space_edits(markup.text))
    layers = tuple(layer for layer in (characters, markup, spaces) if layer.starts)
    return Normalised(spaces.text, citations, layers)


def citations(text: str) -> tuple[str, ...]:
    """Return the citation markers of a text in order, without brackets: "4" for "[4]"."""
    return normalise(text).citations


def _apply(text: str, edits: Iterable[_Edit]) -> _Layer:
    """Replace slices; edits are sorted and do not overlap."""
    parts: list[str] = []
    starts: list[int] = []
    before: list[tuple[int, int]] = []
    length = done = 0
    for begin, end, new in (*edits, (len(text), len(text), "")):
        for part, span in ((text[done:begin], (done, begin)), (new, (begin, end))):
            if part:
                parts.append(part)
                starts.append(length)
                before.append(span)
                length += len(part)
        done = end
    return _Layer("".join(parts), tuple(starts), tuple(before))


def _character_edits(text: str) -> Iterator[_Edit]:
    for match in _ODD.finditer(text):
        run, at = match.group(), match.start()
        if unicodedata.normalize("NFKC", run[0]).isdecimal() and not run[0].isdecimal():
            yield at, match.end(), _raised(text[max(0, at - 8) : at], run)
            continue
        starts = [i for i, c in enumerate(run) if i == 0 or not _continues(c)]
        for begin, end in pairwise([*starts, len(run)]):
            cluster = run[begin:end]
            new = _folded(cluster, text[at + begin - 1] if at + begin else "")
            if new != cluster:
                yield at + begin, at + end, new


def _continues(character: str) -> bool:
    """True if a character composes with the one before it (marks, Hangul vowels and finals)."""
    return unicodedata.combining(character) != 0 or "\u1160" <= character <= "\u11ff"


def _folded(cluster: str, before: str) -> str:
    new = unicodedata.normalize("NFKC", cluster.translate(_FOLD)).translate(_FOLD)
    if len(cluster) == 1 and "/" in new and before.isdigit():
        return f" {new}"
    if new.isascii():
        return new if new.isprintable() or new.isspace() else ""
    return "".join(c for c in new if unicodedata.category(c) not in _DROPPED)


def _raised(before: str, run: str) -> str:
    digits = unicodedata.normalize("NFKC", run)
    if before[-1:].isdigit():
        return f"^{digits}"
    return digits if _UNIT_END.search(before) and before[-1:].isalpha() else f"[{digits}]"


@dataclass(slots=True)
class _Run:
    """A delimiter run met on the way; whether it is markup may turn out later."""

    start: int
    end: int
    removed: bool


def _markup_edits(text: str) -> tuple[list[_Edit], tuple[str, ...]]:
    edits: list[_Edit | _Run] = []
    found: list[str] = []
    waiting: dict[str, _Run] = {}
    for match in _MARKUP.finditer(text):
        kind = match.lastgroup
        group = next(name for name in _GROUPS if match[name] is not None) if kind else ""
        if group == "blank":
            waiting.clear()
        elif group == "delimiter":
            edits.append(_delimiter(text, match, waiting))
        elif group == "code":
            ticks = len(match["ticks"])
            edits.append((match.start(), match.start() + ticks, ""))
            edits.append((match.end() - ticks, match.end(), ""))
        else:
            if group == "cite":
                found += _ids(match)
            edits.append((match.start(), match.end(), _replacement(group, match)))
    kept = [(e.start, e.end, "") if isinstance(e, _Run) else e
            for e in edits if not isinstance(e, _Run) or e.removed]  # fmt: skip
    return kept, tuple(found)


_GROUPS = ("blank", "fence", "rule", "line", "number", "code", "cite", "open", "link", "auto",
           "tag", "entity", "escape", "delimiter")  # fmt: skip


def _replacement(group: str, match: re.Match[str]) -> str:
    if group == "link":
        url = match["url"].split(" ")[0]
        return f" ({url})" if url.startswith(("http:", "https:")) else ""
    if group == "auto":
        return match["address"]
    if group == "entity":
        return html.unescape(match.group())
    return " " if group == "tag" else ""


def _ids(match: re.Match[str]) -> list[str]:
    if match["wide"] is not None:
        return [re.split("[:\u2020]", match["wide"])[0].strip()]
    return [part.strip() for part in re.split(r"[,;]", match["ids"].lstrip("^"))]


def _delimiter(text: str, match: re.Match[str], waiting: dict[str, _Run]) -> _Run:
    """Judge a run of ``*``, ``_``, ``~~`` or backticks, and pair it with an earlier one.

    An unpaired ``*`` beside a word is markup (a slice may begin inside bold text), between two
    letters or digits it is not ("5*3"), nor is any run with blanks on both sides ("5 * 3"). An
    underscore is markup only in pairs and never within a word ("open_store").
    """
    run, start, end = match.group(), match.start(), match.end()
    before, after = text[start - 1 : start] or " ", text[end : end + 1] or " "
    inside = before.isalnum() and after.isalnum()
    alone = before.isspace() and after.isspace()
    here = _Run(start, end, run[0] == "`" or (run[0] == "*" and not inside and not alone))
    if alone or (inside and (run[0] == "_" or run == "*")):
        return here
    opener = waiting.get(run)
    if opener and not before.isspace():
        del waiting[run]
        if not (inside and " " in text[opener.end : start]):
            opener.removed = here.removed = True
    elif not after.isspace():
        waiting[run] = here
    return here


def _space_edits(text: str) -> Iterator[_Edit]:
    for match in _BLANKS.finditer(text):
        at_edge = match.start() == 0 or match.end() == len(text)
        if at_edge or match.group() != " ":
            yield match.start(), match.end(), "" if at_edge else " "
