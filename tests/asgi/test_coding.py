"""Content codings are undone within bounds, or not at all."""

import gzip
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatekeeper.asgi.coding import decode
from gatekeeper.asgi.jsontext import UncheckableError
from gatekeeper.policy import Bounds
from gatekeeper.verdict import NotCheckedReason

BOUNDS = Bounds(decoded_bytes=1_000_000, decoded_ratio=100)


def raw(data: bytes) -> bytes:
    """Deflate without a zlib header, as some servers send it."""
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


def whole(body: bytes, coding: str, bounds: Bounds = BOUNDS) -> bytes:
    """Decode to the end."""
    return b"".join(decode(body, coding, bounds))


def reason(body: bytes, coding: str, bounds: Bounds = BOUNDS) -> NotCheckedReason:
    """Return why the body can't be decoded."""
    with pytest.raises(UncheckableError) as caught:
        whole(body, coding, bounds)
    return caught.value.reason


@settings(deadline=None, derandomize=True, max_examples=50)
@given(st.binary(max_size=2_000), st.sampled_from([1, 300]))
def test_every_coding_gives_back_what_was_coded(data: bytes, times: int) -> None:
    """An answer is checked as the client will read it."""
    data *= times
    bounds = Bounds(decoded_bytes=1_000_000, decoded_ratio=100_000)

    assert whole(data, "", bounds) == whole(data, "identity", bounds) == data
    assert whole(gzip.compress(data), "GZIP", bounds) == data
    assert whole(gzip.compress(data), " x-gzip", bounds) == data
    assert whole(zlib.compress(data), "deflate", bounds) == data
    assert whole(raw(data), "deflate", bounds) == data


def test_members_of_gzip_are_read_on() -> None:
    """Browsers show all of them."""
    assert whole(gzip.compress(b"one ") + gzip.compress(b"two"), "gzip") == b"one two"


def test_members_without_end_are_refused() -> None:
    """Each one costs a copy of what is left."""
    assert reason(gzip.compress(b"") * 1_000, "gzip") is NotCheckedReason.ENCODING


@pytest.mark.parametrize(
    ("body", "coding"),
    [
        (b"x", "br"),
        (gzip.compress(gzip.compress(b"x")), "gzip, gzip"),
        (b"not gzip", "gzip"),
        (b"", "gzip"),
        (b"\xff\xff", "deflate"),
        (gzip.compress(b"some text")[:-9], "gzip"),
        (gzip.compress(b"some text")[:-1], "gzip"),
        (gzip.compress(b"some text") + b"tail", "gzip"),
        (gzip.compress(b"some text") + b"\0" * 8, "gzip"),
        (zlib.compress(b"some text") + b"tail", "deflate"),
        (zlib.compress(b"some text") * 2, "deflate"),
        (zlib.compress(b"some text")[:-2], "deflate"),
    ],
)
def test_what_clients_read_differently_is_not_decoded(body: bytes, coding: str) -> None:
    """Another coding, a body cut short, anything after the end."""
    assert reason(body, coding) is NotCheckedReason.ENCODING


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_bombs_stop_at_the_ratio_and_at_the_size(coding: str) -> None:
    """Forty kilobytes that become forty megabytes cost no more than the bound."""
    zeros = bytes(40_000_000)
    body = gzip.compress(zeros) if coding == "gzip" else zlib.compress(zeros)
    loose = Bounds(decoded_bytes=2_000_000, decoded_ratio=1_000_000)

    assert reason(body, coding) is NotCheckedReason.SIZE
    assert reason(body, coding, loose) is NotCheckedReason.SIZE
    assert decoded_until_refused(body, coding, loose) <= 2_000_000


def decoded_until_refused(body: bytes, coding: str, bounds: Bounds) -> int:
    """Return how many bytes came before the bound."""
    total = 0
    try:
        for piece in decode(body, coding, bounds):
            total += len(piece)
    except UncheckableError:
        return total
    raise AssertionError("the bound was never met")


def test_short_bodies_may_compress_well() -> None:
    """Equal rows pack better than any ratio that stops a bomb."""
    data = b"the same row\n" * 4_000

    assert whole(gzip.compress(data), "gzip") == data
