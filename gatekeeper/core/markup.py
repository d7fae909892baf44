"""Markup: what of Markdown, HTML and citations is taken out of a text, and what stays as text.

Pure and linear. Only what is markup in every part goes: a fence with more than the name of a
language, a tag with free words, a link to no address may assert something and are read.
"""

import html
import re
from dataclasses import dataclass

from gatekeeper.core.characters import Edit, folded

_NUMBERS = r"[1-9]\d{0,2}(?:[ ]?[,;-][ ]?[1-9]\d{0,2}){0,30}"
_PLACE = r"(?:doc(?:ument)?|source|ref(?:erence)?|passage|chunk|note|excerpt|snippet|context)s?"
_WITH_LINK = r"(?:\((?:https?://|\#|\.{0,2}/(?!/))[^()\s]{0,500}\))?"
_CITATION = (
    rf"\[(?P<ids>\^?(?:(?:sources?:[ ]?)?{_PLACE}[ #:_-]{{0,2}})?{_NUMBERS})\]{_WITH_LINK}"
    rf"|\((?:(?:sources?|see|from|per|cf\.?|refs?\.?|references?)[: ]{{1,2}})?{_PLACE}"
    rf"[ #]{{0,2}}(?P<said>{_NUMBERS}(?:[ ](?:and|&)[ ](?:{_PLACE}[ ])?[1-9]\d{{0,2}})?)\)"
    r"|\((?:sources?|see|from|refs?\.?|references?)[: ]{1,2}\[(?P<inner>" + _NUMBERS + r")\]\)"
    rf"|\u3010(?P<wide>(?:{_PLACE}[ #:_-]{{0,2}})?\d{{1,3}}(?::\d{{1,3}})?"
    r"(?:\u2020[\w.-]{1,60})?)"
    r"\u3011"
)
CITATION = re.compile(_CITATION, re.IGNORECASE)
# A number in brackets is a value behind what waits for one, or before a unit.
_AWAITS = re.compile(
    r"(?:[$\u20ac\u00a3]|\b(?:is|are|was|were|be|least|exactly|approximately|roughly|nearly|"
    r"(?:fees?|prices?|costs?|rates?|sums?|amounts?|totals?|deposits?|fines?|charges?|number|"
    r"minimum|maximum|average|limit|weight|length|height|age) of) )\Z",
    re.IGNORECASE,
)
_UNIT = re.compile(
    r" ?(?:[%\u20ac\u00b0]|(?:percent|euros?|eur|dollars?|usd|pounds?|gbp|cents?|seconds?|minutes?|"
    r"hours?|days?|weeks?|months?|years?|nights?|mm|cm|m|km|g|kg|mg|ml|litres?|liters?|met(?:er|re)s?|"
    r"kilomet(?:er|re)s?|miles?|feet|inches|degrees|points?|people|persons|guests|times|am|pm|"
    r"a\.m\.|p\.m\.|o'clock)\b)",
    re.IGNORECASE,
)
# The word behind an opening fence names a language; with more behind it the line is text.
INFO = r"(?:(?!(?:yes|no|not|none|never|true|false)\b)[A-Za-z][A-Za-z+#._-]{0,15}\d?)?"
_INLINE_TAGS = (
    r"a|abbr|b|big|cite|code|em|font|i|ins|kbd|mark|q|s|del|strike|samp|small|span|strong|tt|u|var"
)
_BLOCK_TAGS = (
    r"blockquote|br|caption|center|col|dd|details|div|dl|dt|h[1-6]|hr|img|li|ol|p|pre|section|sub|"
    r"summary|sup|table|tbody|td|tfoot|th|thead|tr|ul"
)
_LOOKS = (
    r"(?:\s+(?:class|style|id|align|width|height|border|target|rel|colspan|rowspan|lang|dir)="
    r"(?:\"[^\"<>\n]{0,60}\"|'[^'<>\n]{0,60}'))"
)
_ADDRESSED = r"\s+(?:href|src)=[\"'](?P<href>[^\"'<>\s]{1,2000})[\"']"
_BLOCK_MARKUP = rf"""
      (?P<blank>\n[ \t]*\n)
    | (?P<fence>^[ \t]*(?:`{{3,}}|~{{3,}})[ \t]*{INFO}[ \t]*$)
    | (?P<rule>^[ \t]*(?:-[ \t]*){{3,}}$|^[ \t]*(?:\*[ \t]*){{3,}}$|^[ \t]*[=_]{{3,}}[ \t]*$)
    | (?P<line>^[ \t]*(?:(?:>|\#{{1,6}}[ \t]|[-*+\u2022\u2023\u25e6][ \t])[ \t]*)+
               (?:\[[ xX]\][ \t]+)?)
    | (?P<number>(?:\A|(?<=[.:;!?)]\n)|(?<=\n\n))[ \t]*(?:\d{{1,3}}[.)]|[a-z]\))[ \t]+(?=\S))
"""
_INLINE_MARKUP = rf"""
      (?P<code>(?P<ticks>(?<!`)`{{1,2}}(?!`))[^`\n]{{1,500}}(?P=ticks)(?!`))
    | (?P<cite>[ \t]{{0,4}}(?:{_CITATION}))
    | (?P<open>!?\[(?=[^\[\]\n]{{1,500}}\]\())
    | (?P<link>\]\((?P<url>[^()\n]{{0,2000}})\))
    | (?P<auto><(?P<address>(?:https?:|mailto:)[^<>\s]{{1,2000}})>)
    | (?P<struck>~~(?=[^\s~])[^~\n]{{0,500}}(?<!\s)~~(?!~)
               |<(?P<gone>del|s|strike)>[^<\n]{{0,500}}</(?P=gone)>)
    | (?P<inline></?(?:{_INLINE_TAGS}){_LOOKS}{{0,9}}(?:{_ADDRESSED})?{_LOOKS}{{0,9}}\s*>)
    | (?P<tag></?(?:{_BLOCK_TAGS}){_LOOKS}{{0,9}}\s*/?>|<!--|-->)
    | (?P<entity>&(?:amp|lt|gt|quot|apos|nbsp|\#\d{{1,6}});)
    | (?P<escape>\\(?=[\\`*_{{}}\[\]()\#+.!|>~$-]))
    | (?P<delimiter>\*+|_+|`+)
"""
_FLAGS = re.VERBOSE | re.MULTILINE | re.IGNORECASE
_MARKUP = re.compile(f"{_BLOCK_MARKUP}|{_INLINE_MARKUP}", _FLAGS)
_WITHIN = re.compile(_INLINE_MARKUP, _FLAGS)
# Addresses within the site or the text: they name no place that could be invented.
_LOCAL = re.compile(
    r"#[\w.-]*|\.{0,2}/(?!/)[\w./%#?=&-]*|[\w./%-]+\.(?:png|jpe?g|gif|svg|webp|pdf|md|html?|txt)(?:#[\w.-]*)?",
    re.IGNORECASE,
)


@dataclass(slots=True)
class _Run:
    """A delimiter run met on the way; whether it is markup may turn out later."""

    start: int
    end: int
    removed: bool


def markup_edits(text: str, *, inline: bool = False) -> tuple[list[Edit], tuple[str, ...]]:
    """Return the edits that take markup out, and the citation markers among it in order.

    ``inline`` leaves out the markup that stands at the start of a line.
    """
    markup = _WITHIN if inline else _MARKUP
    edits: list[Edit | _Run] = []
    found: list[str] = []
    waiting: dict[str, _Run] = {}
    names = [name for name in _GROUPS if name in markup.groupindex]
    for match in markup.finditer(text):
        group = next(name for name in names if match[name] is not None)
        if group == "blank":
            waiting.clear()
        elif group == "delimiter":
            edits.append(_delimiter(text, match, waiting))
        elif group == "code":
            ticks = len(match["ticks"])
            edits.append((match.start(), match.start() + ticks, ""))
            edits.append((match.end() - ticks, match.end(), ""))
        elif group == "cite" and _is_value(match):
            edits += [(match.start("ids") - 1, match.start("ids"), ""),
                      (match.end("ids"), match.end("ids") + 1, "")]  # fmt: skip
        else:
            if group == "cite":
                found += _ids(match)
            edits.append((match.start(), match.end(), _replacement(group, match)))
    kept = [(e.start, e.end, "") if isinstance(e, _Run) else e
            for e in edits if not isinstance(e, _Run) or e.removed]  # fmt: skip
    return kept, tuple(found)


_GROUPS = ("blank", "fence", "rule", "line", "number", "code", "cite", "open", "link", "auto",
           "struck", "inline", "tag", "entity", "escape", "delimiter")  # fmt: skip


def _replacement(group: str, match: re.Match[str]) -> str:
    if group == "link":
        address = _address(match["url"])
        return "" if match.string.endswith(address.strip(" ()"), 0, match.start()) else address
    if group == "auto":
        return match["address"]
    if group == "inline" and match["href"] is not None:
        return _address(match["href"]).removeprefix(" ") + " "
    if group == "entity":
        return folded(html.unescape(match.group()), "")
    return " " if group == "tag" else ""


def _address(target: str) -> str:
    """Return what of a link target is kept: all but a place within the site and a short title."""
    url, _, title = target.strip().partition(" ")
    title = title.strip(" \"'()")
    title = title if " " in title or any(map(str.isdigit, title)) else ""
    kept = "" if _LOCAL.fullmatch(url) else url.removeprefix("mailto:").removeprefix("tel:")
    said = " ".join(part for part in (kept, title) if part)
    return f" ({said})" if said else ""


def _is_value(match: re.Match[str]) -> bool:
    """True for a number in brackets where a value is due."""
    ids = match["ids"]
    if ids is None or not ids[0].isdigit() or not ids[-1].isdigit():
        return False
    if match.string[match.end() - 1] != "]":
        return False
    at = match.start("ids") - 1
    before = match.string[max(0, at - 40) : at]
    if before.rstrip()[-1:].isdigit() or not before.strip():
        return False
    return bool(_AWAITS.search(before) or _UNIT.match(match.string, match.end()))


def _ids(match: re.Match[str]) -> list[str]:
    if match["wide"] is not None:
        return [re.split("[:\u2020]", match["wide"])[0].strip()]
    said = match["ids"] or match["said"] or match["inner"]
    said = re.sub(r"[ ](?:and|&)[ ]\D*", ",", said.lstrip("^"))
    said = re.sub(r"(?i)^sources?: ?", "", said)
    return [part.strip() for part in re.split(r"[,;]", said)]


def _delimiter(text: str, match: re.Match[str], waiting: dict[str, _Run]) -> _Run:
    """Judge a run of ``*``, ``_`` or backticks, and pair it with an earlier one.

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
