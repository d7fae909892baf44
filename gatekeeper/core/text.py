r"""One normalisation for guard, ranking and tokenizer, with a map back to the text as given.

Pure and linear: three layers of edits, each a list of slices replaced in the text before it.

characters  NFKC cluster by cluster; zero-width, bidi and control characters out; dashes and
            quotes to ASCII; a raised number is a citation behind a word or a stop ("salt[4]"), a
            power behind a digit ("10^2"), otherwise part of a unit ("m2"); "3\u00bd" is "3 1/2".
markup      markdown out, also inside a word: a wrong number in bold must be seen. Citation
            markers out, unless a number in brackets stands where a value is due ("costs [2]
            euros"). Link text stays, with the address of a web link behind it, because an
            invented address is an invented fact. Text in backticks stays letter by letter, struck
            text is deleted text. What is only almost markup is text: it may assert.
spaces      every run of white space is one space, none at the ends, nor ornaments there.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gatekeeper.core.characters import Edit, character_edits, is_edge
from gatekeeper.core.markup import markup_edits

_BLANKS = re.compile(r"\s+")


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


def normalise(text: str, *, inline: bool = False) -> Normalised:
    """Return the one text that guard, ranking and tokenizer see; total, also on surrogates.

    ``inline`` is for a text that stands within a line, such as a cell: no line begins in it, so
    a dash or a hash at its start is text.
    """
    characters = _apply(text, character_edits(text))
    edits, citations = markup_edits(characters.text, inline=inline)
    markup = _apply(characters.text, edits)
    spaces = _apply(markup.text, _space_edits(markup.text))
    layers = tuple(layer for layer in (characters, markup, spaces) if layer.starts)
    return Normalised(spaces.text, citations, layers)


def citations(text: str) -> tuple[str, ...]:
    """Return the citation markers of a text in order, without brackets: "4" for "[4]"."""
    return normalise(text).citations


def _apply(text: str, edits: Iterable[Edit]) -> _Layer:
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


def _space_edits(text: str) -> Iterator[Edit]:
    """Fold blanks; at the ends, and before a final stop, ornaments go with them."""
    begin, last = 0, _edge(text, len(text))
    while begin < last and is_edge(text[begin]):
        begin += 1
    stop = last
    while stop > begin and last - stop < 3 and text[stop - 1] in ".!?":
        stop -= 1
    end = max(begin, _edge(text, stop))
    end = stop if text[end:stop].isspace() else end
    cuts = ((0, begin), (end, stop), (last, len(text)))
    yield from ((a, b, "") for a, b in cuts[:1] if a < b)
    for match in _BLANKS.finditer(text, begin, end):
        if match.group() != " ":
            yield match.start(), match.end(), " "
    yield from ((a, b, "") for a, b in cuts[1:] if a < b)


def _edge(text: str, end: int) -> int:
    """Return where the blanks and ornaments before a place begin."""
    while end and is_edge(text[end - 1]):
        end -= 1
    return end
