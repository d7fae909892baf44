"""What comes in a request: read within bounds, turned into labels and remarks, or refused."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs

from starlette.requests import Request

from gatekeeper.outcomes.exchange import read_ranges
from gatekeeper.outcomes.labels import Label, Remarks
from gatekeeper.outcomes.words import Harm, Truth
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
        raise RefusedError(415, "a body of another type", media, f"send content-type: {media}")
    body = bytearray()
    try:
        async with asyncio.timeout(_PATIENCE_S):
            async for part in request.stream():
                body += part
                if len(body) > limit:
                    raise RefusedError(413, "a larger body", f"at most {limit:,} bytes")
    except TimeoutError:
        expected = f"all of it within {_PATIENCE_S:g} seconds"
        raise RefusedError(408, "a body that does not end", expected) from None
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise RefusedError(400, "a body that is no UTF-8", "UTF-8") from None


async def read_form(request: Request, limit: int = MOST_BYTES) -> Form:
    """Return the fields of a form.

    Raises:
        RefusedError: As ``read_body``, or for too many fields.
    """
    text = await read_body(request, FORM, limit)
    try:
        return parse_qs(text, keep_blank_values=True, max_num_fields=_FIELDS)
    except ValueError:
        raise RefusedError(400, "a form with too many fields", f"at most {_FIELDS:,}") from None


async def read_object(request: Request, known: tuple[str, ...]) -> dict[str, Any]:
    """Return a JSON object that has no other keys.

    Raises:
        RefusedError: As ``read_body``, or if it is none.
    """
    text = await read_body(request, JSON)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise RefusedError(400, "no JSON", "a JSON object") from None
    if not isinstance(value, dict) or not value.keys() <= {*known}:
        raise RefusedError(422, "another value", f"an object with keys of {', '.join(known)}")
    return value


def one(form: Form, name: str) -> str:
    """Return the first value of a field, "" without one."""
    return form.get(name, [""])[0]


def form_label(form: Form, session: Session, seal: Seal) -> Label:
    """Return the label of a form; a word on harm is left out where nothing is wrong.

    Raises:
        RefusedError: If it is none.
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
        RefusedError: If it is none.
    """
    seen_ms = given.get("seen_ms", now_ms)
    ticket = given.get("ticket")
    if "seen_ms" in given or ticket is not None:
        facts = (session.name, decision, str(seen_ms))
        is_one = isinstance(ticket, str) and _is_whole(seen_ms)
        if not (is_one and seal.holds(str(ticket), "seen", *facts)):
            advice = "take the decision again"
            raise RefusedError(422, "another ticket", "that of this decision and time", advice)
    try:
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
    except ValueError as error:
        raise RefusedError(422, "a label that is none", str(error)) from None


def form_remarks(form: Form) -> Remarks:
    """Return what a form says of the gate.

    Raises:
        RefusedError: If it is nothing that can be said.
    """
    claims = [_number(word) for word in form.get("wrong_claim", ())]
    return object_remarks({"claims": claims, "missed": _form_ranges(form)})


def object_remarks(given: Mapping[str, Any]) -> Remarks:
    """Return what a JSON object says of the gate.

    Raises:
        RefusedError: If it is nothing that can be said.
    """
    claims = given.get("claims", ())
    if not isinstance(claims, list | tuple) or not all(_is_whole(claim) for claim in claims):
        raise RefusedError(422, "other claims", "a list of positions, counted from 0")
    try:
        return Remarks(claims=tuple(claims), missed=_ranges(given.get("missed", ())))
    except ValueError as error:
        raise RefusedError(422, "remarks that are none", str(error)) from None


def _form_ranges(form: Form) -> list[list[int]]:
    """Return the ranges of marked sentences and of the field, each once."""
    try:
        found = {pair for text in form.get("missed", ()) for pair in read_ranges(text)}
    except ValueError as error:
        raise RefusedError(422, "a missed claim that is none", str(error)) from None
    return [list(pair) for pair in sorted(found)]


def _ranges(value: Any) -> tuple[tuple[int, int], ...]:
    pairs = value if isinstance(value, list | tuple) else [value]
    if not all(_is_range(pair) for pair in pairs):
        raise ValueError("missed is a list of [START, END], characters from 0")
    return tuple((start, end) for start, end in pairs)


def _is_range(value: Any) -> bool:
    is_pair = isinstance(value, list | tuple) and len(value) == 2
    return is_pair and all(_is_whole(end) and 0 <= end < _FARTHEST for end in value)


def _word(key: str, value: Any, known: type[Truth] | type[Harm]) -> Any:
    if value not in tuple(known):
        raise ValueError(f"{key} is one of {', '.join(known)}")
    return known(value)


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError("source_wrong is true or false")  # noqa: TRY004 - told as the others
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("note is a string")  # noqa: TRY004 - told as the others
    return value


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else -1


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
