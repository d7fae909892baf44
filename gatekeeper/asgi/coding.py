"""Undo content codings, never past a bound: gzip (also of several members) and deflate.

Pure. zlib is asked for no more than what is left of the bound, so a bomb costs its bound and no
more. What a client might read differently (cut short, something after the end) is refused.
"""

import zlib
from collections.abc import Iterator

from gatekeeper.asgi.jsontext import UncheckableError
from gatekeeper.policy import Bounds
from gatekeeper.verdict import NotCheckedReason

_GZIP = 16 + zlib.MAX_WBITS
_ZLIB = zlib.MAX_WBITS
_RAW = -zlib.MAX_WBITS

# Decoded a step; zlib takes about a millisecond for it.
_SLICE = 256 * 1024

# Short bodies may compress better than the ratio allows (a list of equal rows); no bomb is small.
_FREE = 64 * 1024

# What is left after a member is copied, so many small members would cost the square of the body.
_MEMBERS = 64


def decode(body: bytes, coding: str, bounds: Bounds) -> Iterator[bytes]:
    """Yield the decoded body in slices.

    Args:
        body: As it was sent.
        coding: Value of Content-Encoding; "" and "identity" stand for none.
        bounds: ``decoded_bytes`` and ``decoded_ratio`` end the decoding.

    Raises:
        UncheckableError: With ``encoding`` for another coding, several of them, or broken data;
            with ``size`` past a bound.
    """
    match coding.strip().lower():
        case "" | "identity":
            yield body
        case "gzip" | "x-gzip":
            yield from _inflate(body, _GZIP, _limit(body, bounds))
        case "deflate":
            yield from _inflate(body, _wrapping(body), _limit(body, bounds))
        case _:
            raise UncheckableError(NotCheckedReason.ENCODING)


def _limit(body: bytes, bounds: Bounds) -> int:
    return min(bounds.decoded_bytes, max(_FREE, bounds.decoded_ratio * len(body)))


def _wrapping(body: bytes) -> int:
    """Tell zlib data from raw deflate by the header check of RFC 1950, as browsers do."""
    is_zlib = len(body) >= 2 and body[0] & 0x0F == 8 and (body[0] * 256 + body[1]) % 31 == 0
    return _ZLIB if is_zlib else _RAW


def _inflate(body: bytes, wbits: int, limit: int) -> Iterator[bytes]:
    """Decode member after member; only gzip may have more than one (RFC 1952, 2.2)."""
    total, rest = 0, body
    for _ in range(_MEMBERS if wbits == _GZIP else 1):
        member = zlib.decompressobj(wbits)
        while not member.eof:
            piece, rest = _piece(member, rest)
            total += len(piece)
            if total > limit:
                raise UncheckableError(NotCheckedReason.SIZE)
            yield piece
        rest = member.unused_data
        if not rest:
            return
    raise UncheckableError(NotCheckedReason.ENCODING)


def _piece(member: "zlib._Decompress", data: bytes) -> tuple[bytes, bytes]:
    """Decode one slice; returns it and the input not used yet."""
    try:
        piece = member.decompress(data, _SLICE)
    except zlib.error:
        raise UncheckableError(NotCheckedReason.ENCODING) from None
    if not piece and not member.eof:
        raise UncheckableError(NotCheckedReason.ENCODING)
    return piece, member.unconsumed_tail
