"""Code and commands: they stand in a passage letter by letter, whole, and not as a warning.

Blanks are compared too, except beside signs where no language minds them ("f(a, b)", "x = 1").
"rm -rf / tmp" is not "rm -rf /tmp", and "rm -rf /" does not stand in "rm -rf /tmp".
"""

import re
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass

# Places of a line that are looked at in a passage, and the text around one that is read.
MAX_PLACES = 32
_WORDS_A_STEP = 4096
_BEFORE, _AFTER = 400, 80  # characters

_PROMPT = re.compile(r"^(?:\$|>>>|%|#)\s+")
_CONTINUED = re.compile(r"\\\n\s*")
_FENCE = re.compile(r"^[ \t]{0,12}(?:```|~~~)[^\n]*$", re.MULTILINE)
_BLANKS = re.compile(r"\s+")
# A blank after one of the first, or before one of the second, means nothing.
_LOOSE_AFTER = frozenset(",;([{=<>|&+")
_LOOSE_BEFORE = frozenset(",;)]}=<>|&+")
_ITEM = re.compile(r"[-*\u2022]\s|[0-9]{1,3}[.)]\s")

# What belongs to the same word, path, option or call as the character beside it.
_JOINED_BEFORE = frozenset("_-./\\$@#%~+*")
_JOINED_AFTER = frozenset("_-/\\$@#%~+*=([{")
_STOPS = frozenset(".:!?")  # end a word unless a letter follows at once
_OPENERS = frozenset("`\"'(:\n")
_ENDINGS = (".", "!", "?", "$", ">>>", "%", "-", "*", "`")
# Words after which a command begins in running text.
_LEADS = frozenset(
    """run use type enter execute call command commands try via then first next finally invoke
    launch start with using by do""".split()
)

_ASSIGNED = re.compile(r"^[A-Za-z_]\w*=(?!=)")
# What says something without the name it is assigned to: a call or a list, never a lone setting.
_SPEAKS_ALONE = re.compile(r"[A-Za-z_][\w.]*\(.*\)|\[.+\]|\{.+\}", re.DOTALL)

_CLAUSE_START = re.compile(
    r"(?<=[.!?])\s|;|,\s?(?=(?:but|instead|rather|use|run|then|try|please|just)\b)", re.IGNORECASE
)
_SUBORDINATE = re.compile(
    r"\s*(?:if|when|where|unless|once|after|before|as|since|while|to|for|in|with)\b", re.IGNORECASE
)
_FORBIDS = re.compile(
    r"\b(?:never|avoid|(?:do|must|should|may) not|cannot|(?:do|must|should|ca)n't)\b", re.IGNORECASE
)
_NEGATES = re.compile(
    r"\b(?:never|not|no|cannot|avoid|forbidden|prohibited|refrain|instead of|rather than)\b|n't\b",
    re.IGNORECASE,
)
_PARENTHESIS = re.compile(r"(?<=not|ver),[^,.;\n]{1,60},", re.IGNORECASE)  # "not, ever, run"
_NOT_ONLY = re.compile(r"\bnot (?:only|just)\b", re.IGNORECASE)
_DENIED_AFTER = re.compile(
    r"[`\"')\]]{0,3}\s?(?:(?:command|script|call)\s)?"
    r"(?:(?:must|should|may|can|is|are|will|do|does|has|have)(?:\s(?:not|never|no longer)\b|n't\b)"
    r"|cannot\b|(?:is|are)\s(?:forbidden|prohibited|banned|wrong|dangerous|unsafe)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeIndex:
    """Passages made ready for any number of comparisons.

    ``texts`` has their blanks as they are compared, a line break where a paragraph or an item of a
    list begins; ``line_starts`` are the places where lines begin.
    """

    texts: tuple[str, ...]
    line_starts: tuple[frozenset[int], ...]


def index_code(passages: Sequence[str]) -> CodeIndex:
    """Prepare passages for ``literal_support``; linear in their length."""
    steps = code_steps(passages)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            found: CodeIndex = end.value
            return found


def code_steps(passages: Sequence[str]) -> Generator[None, None, CodeIndex]:
    """Do the same as ``index_code``, and pause after each few words."""
    read = []
    for passage in passages:
        tight = yield from _tight_steps(passage)
        read.append(tight)
    return CodeIndex(texts=tuple(text for text, _ in read), line_starts=tuple(s for _, s in read))


def literal_support(code: str, passages: Sequence[str] | CodeIndex) -> int | None:
    """Return the index of the first passage that holds the code, None if none does.

    The block stands there in one piece, or each of its lines stands where a line or a command
    begins. Both ends must be ends of words, and no negation may stand over it ("Never run ...").
    A prompt is free, and so is the name that the result of a call, or a list, is assigned to.
    """
    found = passages if isinstance(passages, CodeIndex) else index_code(passages)
    lines = [_PROMPT.sub("", line.strip()) for line in _CONTINUED.sub(" ", code).splitlines()]
    lines = [line for line in lines if line]
    if not lines:
        return None
    block = _forms("\n".join(lines))
    each = [_forms(line) for line in lines] if len(lines) > 1 else []
    for position, text in enumerate(found.texts):
        if any(True for form in block for _ in _places(form, text)):
            return position
        starts = found.line_starts[position]
        if each and all(_begins(forms, text, starts) for forms in each):
            return position
    return None


def _tight(text: str) -> tuple[str, frozenset[int]]:
    """Return a text with its blanks as they are compared, and where its lines begin."""
    steps = _tight_steps(text)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            found: tuple[str, frozenset[int]] = end.value
            return found


def _tight_steps(text: str) -> Generator[None, None, tuple[str, frozenset[int]]]:
    text = _FENCE.sub("\n", _CONTINUED.sub(" ", text)).strip()
    pieces: list[str] = []
    starts = {0}
    length = end = 0
    for number, found in enumerate(_BLANKS.finditer(text), 1):
        mark = _mark(text, found)
        pieces += (text[end : found.start()], mark)
        length += found.start() - end + len(mark)
        end = found.end()
        if "\n" in found.group():
            starts.add(length)
        if number % _WORDS_A_STEP == 0:
            yield
    pieces.append(text[end:])
    return "".join(pieces), frozenset(starts)


def _mark(text: str, blanks: re.Match[str]) -> str:
    """Return what stands for a run of blanks between two characters that are none."""
    lines = blanks.group().count("\n")
    if lines > 1 or (lines and _ITEM.match(text, blanks.end(), blanks.end() + 6)):
        return "\n"
    loose = text[blanks.start() - 1] in _LOOSE_AFTER or text[blanks.end()] in _LOOSE_BEFORE
    return "" if loose else " "


def _forms(code: str) -> tuple[str, ...]:
    """Return what may stand for the code: itself, or what it assigns if that speaks alone."""
    wanted, _ = _tight(code)
    bare = _ASSIGNED.sub("", wanted, count=1)
    return (wanted, bare) if bare != wanted and _SPEAKS_ALONE.fullmatch(bare) else (wanted,)


def _begins(forms: Sequence[str], text: str, starts: frozenset[int]) -> bool:
    return any(_is_opened(text, at, starts) for form in forms for at in _places(form, text))


def _is_opened(text: str, at: int, starts: frozenset[int]) -> bool:
    """True if a line, a quotation or a command begins at a place."""
    if at in starts or text[at - 1] in _OPENERS:
        return True
    before = text[max(0, at - 40) : at].rstrip()
    return before.endswith(_ENDINGS) or before.lower().rpartition(" ")[2] in _LEADS


def _places(form: str, text: str) -> Iterator[int]:
    """Yield where a form stands whole and is not denied."""
    at = text.find(form)
    for _ in range(MAX_PLACES):
        if at < 0:
            return
        end = at + len(form)
        if _is_whole(text, at, end) and not _is_denied(text, at, end):
            yield at
        at = text.find(form, at + 1)


def _is_whole(text: str, at: int, end: int) -> bool:
    """True if neither end cuts a word, a path, an option or a call."""
    before, after = text[at - 1 : at] if at else "", text[end : end + 1]
    first, last = text[at], text[end - 1]
    if before and first not in _LOOSE_BEFORE and (before.isalnum() or before in _JOINED_BEFORE):
        return False
    if after in _STOPS:
        following = text[end + 1 : end + 2]
        return not (following.isalnum() or following in _JOINED_AFTER)
    return after not in _JOINED_AFTER and (not after.isalnum() or last in _LOOSE_AFTER)


def _is_denied(text: str, at: int, end: int) -> bool:
    """True if the sentence, or the lead-in of its list, warns of what stands here."""
    if _DENIED_AFTER.match(text, end, end + _AFTER):
        return True
    return any(map(_is_negative, _clauses_over(text[max(0, at - _BEFORE) : at])))


def _clauses_over(before: str) -> Iterator[str]:
    """Yield the clause that runs up to a place, and the lead-in of what it is an item of."""
    *pieces, last = _PARENTHESIS.sub(" ", before).split("\n")
    yield _CLAUSE_START.split(last)[-1]
    is_item = not last.strip() or _ITEM.match(last) is not None
    for number, piece in enumerate(reversed(pieces)):
        if piece.endswith(":") and (is_item or not number):
            yield _CLAUSE_START.split(piece)[-1]
            return
        if not (is_item and _ITEM.match(piece)):
            return


def _is_negative(clause: str) -> bool:
    """True if a clause warns; what a subordinate clause before it denies is left out."""
    clause = _NOT_ONLY.sub(" ", clause)
    if not _SUBORDINATE.match(clause):
        return _NEGATES.search(clause) is not None
    main = clause.rpartition(",")
    return (_NEGATES if main[1] else _FORBIDS).search(main[2]) is not None
