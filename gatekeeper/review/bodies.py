"""What comes in a request: read within bounds, turned into labels and remarks, or refused."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs

from starlette.requests import Request

from gatekeeper.errors import InputError
from gatekeeper.outcomes.exchange import read_ranges
from gatekeeper.outcomes.labels import Label, Remarks
from gatekeeper.outcomes.words import Harm, Truth, quoted
from gatekeeper.review.refusals import RefusedError
from gatekeeper.review.seals import Seal, Session

MOST_BYTES = 64_000
MOST_TABLE_BYTES = 5_000_000

FORM = "application/x-www-form-urlencoded"
JSON = "application/json"
CSV = "text/csv"

_FIELDS = 2_000
_FARTHEST = 10**9
_PATIENCE_S = 20.0
LABEL_KEYS = ("truth", "source_wrong", "harm", "missed", "note", "seen_ms", "ticket")
REMARK_KEYS = ("claims", "missed")

Form = Mapping[str, list[str]]


async def read_body(request: Request, media: str, limit: int = MOST_BYTES) -> str:
    """Return a body of one kind as text.

    Raises:
        RefusedError: If it is of another kind, too large, too slow, or no UTF-8.
    """
    given = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if given != media:
        found, advice = f"content-type {quoted(given)}", f"send content-type: {media}"
        raise RefusedError(415, found, media, advice)
    body = bytearray()
    try:
        async with asyncio.timeout(_PATIENCE_S):
            async for part in request.stream():
                body += part
                if len(body) > limit:
                    raise RefusedError(
                        413, "a larger body", f"at most {limit:,} bytes", "send less"
                    )
    except TimeoutError:
        expected = f"all of it within {_PATIENCE_S:g} seconds"
        found, advice = "a body that does not end", "send it again"
        raise RefusedError(408, found, expected, advice) from None
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        found = f"the byte 0x{body[error.start]:02x} at offset {error.start}"
        raise RefusedError(400, found, "UTF-8", "encode the text as UTF-8") from None


async def read_form(request: Request, limit: int = MOST_BYTES) -> Form:
    """Return the fields of a form.

    Raises:
        RefusedError: As ``read_body``, or for too many fields.
    """
    text = await read_body(request, FORM, limit)
    try:
        return parse_qs(text, keep_blank_values=True, max_num_fields=_FIELDS)
    except ValueError:
        found, advice = "a form with too many fields", "send less"
        raise RefusedError(400, found, f"at most {_FIELDS:,}", advice) from None


async def read_object(request: Request, known: tuple[str, ...]) -> dict[str, Any]:
    """Return a JSON object that has no other keys.

    Raises:
        RefusedError: As ``read_body``, or if it is none.
    """
    text = await read_body(request, JSON)
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        found = f"no JSON from character {error.pos} on"
        raise RefusedError(400, found, "a JSON object", "send the object as JSON") from None
    except (ValueError, RecursionError):
        found = "JSON of longer numbers or deeper nests than can be read"
        raise RefusedError(400, found, "a JSON object", "send a flat object") from None
    expected, advice = f"an object with keys of {', '.join(known)}", "send these keys only"
    if not isinstance(value, dict):
        raise RefusedError(422, quoted(value), expected, advice)
    unknown = [key for key in value if key not in known]
    if unknown:
        raise RefusedError(422, f"the key {quoted(unknown[0])}", expected, advice)
    return value


def one(form: Form, name: str) -> str:
    """Return the first value of a field, "" without one."""
    return form.get(name, [""])[0]


def form_label(form: Form, session: Session, seal: Seal) -> Label:
    """Return the label of a form; a word on harm is left out where nothing is wrong.

    Raises:
        InputError: If a field says what it can't.
        RefusedError: If it is of a decision that was not handed out.
    """
    truth = one(form, "truth")
    given = {
        "truth": truth,
        "source_wrong": one(form, "source_wrong") == "yes",
        "harm": one(form, "harm") or None if truth == Truth.WRONG else None,
        "missed": _form_ranges(form),
        "note": one(form, "note").replace("\r\n", "\n"),
        "seen_ms": _number(one(form, "seen_ms")),
        "ticket": one(form, "ticket"),
    }
    return object_label(given, one(form, "decision"), session, seal, now_ms=-1)


def object_label(
    given: Mapping[str, Any], decision: str, session: Session, seal: Seal, *, now_ms: int
) -> Label:
    """Return the label of a JSON object.

    Args:
        given: The object.
        decision: The id it is for.
        session: Whose label it is.
        seal: Has signed when the decision was handed out.
        now_ms: Stands for that where no ticket is given: who labels what they were not handed.

    Raises:
        InputError: If a field says what it can't.
        RefusedError: If it is of a decision that was not handed out.
    """
    seen_ms = given.get("seen_ms", now_ms)
    ticket = given.get("ticket")
    if "seen_ms" in given or ticket is not None:
        facts = (session.name, decision, str(seen_ms))
        is_one = isinstance(ticket, str) and _is_whole(seen_ms)
        if not (is_one and seal.holds(str(ticket), "seen", *facts)):
            advice = "take the decision again"
            raise RefusedError(422, "another ticket", "that of this decision and time", advice)
    return Label(
        decision=decision,
        reviewer=session.name,
        role=session.role,
        truth=_word("truth", given.get("truth"), Truth),
        seen_ms=seen_ms,
        source_wrong=_flag(given.get("source_wrong", False)),
        harm=None if given.get("harm") is None else _word("harm", given["harm"], Harm),
        note=_text(given.get("note", "")),
        missed=_ranges(given.get("missed", ())),
    )


def form_remarks(form: Form) -> Remarks:
    """Return what a form says of the gate.

    Raises:
        InputError: If a field says what it can't.
    """
    claims = [_number(word) for word in form.get("wrong_claim", ())]
    return object_remarks({"claims": claims, "missed": _form_ranges(form)})


def object_remarks(given: Mapping[str, Any]) -> Remarks:
    """Return what a JSON object says of the gate.

    Raises:
        InputError: If a field says what it can't.
    """
    claims = _positions(given.get("claims", ()))
    return Remarks(claims=claims, missed=_ranges(given.get("missed", ())))


def _form_ranges(form: Form) -> list[list[int]]:
    """Return the ranges of marked sentences and of the field, each once."""
    found = {pair for text in form.get("missed", ()) for pair in read_ranges(text)}
    return [list(pair) for pair in sorted(found)]


def _positions(value: Any) -> tuple[int, ...]:
    claims = value if isinstance(value, list | tuple) else [value]
    for claim in claims:
        if not _is_whole(claim) or value is not claims:
            raise InputError("claims", quoted(claim), "a list of positions, counted from 0")
    return tuple(claims)


def _ranges(value: Any) -> tuple[tuple[int, int], ...]:
    pairs = value if isinstance(value, list | tuple) else [value]
    for pair in pairs:
        if not _is_range(pair):
            expected = "a list of [START, END], characters from 0"
            raise InputError("missed", quoted(pair), expected)
    return tuple((start, end) for start, end in pairs)


def _is_range(value: Any) -> bool:
    is_pair = isinstance(value, list | tuple) and len(value) == 2
    return is_pair and all(_is_whole(end) and 0 <= end < _FARTHEST for end in value)


def _word(key: str, value: Any, known: type[Truth] | type[Harm]) -> Any:
    if value not in tuple(known):
        raise InputError(key, quoted(value), f"one of {', '.join(known)}")
    return known(value)


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise InputError("source_wrong", quoted(value), "true or false")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise InputError("note", "another value", "a string")
    return value


def _number(text: str) -> int | str:
    """Return a number of a form; a field that is none stays as it is, to be refused."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else text


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
