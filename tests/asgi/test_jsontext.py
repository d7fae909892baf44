"""JSON goes through unchanged, and what two readers could read differently is refused."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatekeeper.asgi.jsontext import (
    Number,
    UncheckableError,
    encode,
    find,
    parse,
    put,
    scalar,
    tokens,
    write,
)
from gatekeeper.verdict import NotCheckedReason

LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
DOCUMENTS = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def again(body: bytes, *, depth: int = 64) -> bytes:
    """Parse and write."""
    return encode(list(write(parse(body, depth=depth))))


@settings(deadline=None, derandomize=True)
@given(DOCUMENTS, st.booleans())
def test_any_document_comes_back_equal(document: object, escaped: bool) -> None:
    """A replaced answer must not change a value beside it, whatever that is."""
    body = json.dumps(document, ensure_ascii=escaped).encode("utf-8", "surrogatepass")
    try:
        written = again(body)
    except UncheckableError:
        assert not escaped  # a lone surrogate in raw UTF-8 is no UTF-8
        return

    assert json.loads(written) == json.loads(body)


@pytest.mark.parametrize(
    "number", ["1.10", "1e400", "-0", "0.1e-7", "1E5", "123456789012345678901234567890", "-0.0"]
)
def test_numbers_keep_their_text(number: str) -> None:
    """A price of 1.10 must not become 1.1, nor a large id a rounded one."""
    assert again(f'{{"n":[{number}]}}'.encode()) == f'{{"n":[{number}]}}'.encode()


def test_keys_keep_their_order() -> None:
    """Some clients show members in the order they come."""
    assert again(b'{"b":1,"a":{"z":[],"y":{}},"c":null}') == b'{"b":1,"a":{"z":[],"y":{}},"c":null}'


def test_lone_surrogate_is_escaped() -> None:
    """Half an emoji, cut by a generator, is valid JSON and must not stop the response."""
    assert again(b'{"a":"\\ud83d x \xc3\xbc"}') == b'{"a":"\\ud83d x \xc3\xbc"}'


def test_byte_order_mark_is_passed_over() -> None:
    """Clients strip it, so an answer behind one is an answer."""
    assert parse(b'\xef\xbb\xbf{"a":"b"}', depth=8) == {"a": "b"}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b'{"a":1,"a":2}',
        b'[{"a":{"b":1,"b":1}}]',
        b'{"a":NaN}',
        b"[Infinity,-Infinity]",
        b'{"a":"b"} x',
        b'{"a":"\xff"}',
        '{"a":"b"}'.encode("utf-16"),
        '{"a":"b"}'.encode("utf-16-le"),
        b'{"a":01}',
        b"\xef\xbb\xbf\xef\xbb\xbf1",
        b'{"a":"\x01"}',
    ],
)
def test_ambiguous_json_is_a_shape_nobody_planned_for(body: bytes) -> None:
    """The client's parser may see another answer than ours in it."""
    with pytest.raises(UncheckableError) as caught:
        parse(body, depth=64)

    assert caught.value.reason is NotCheckedReason.SHAPE


@pytest.mark.parametrize("body", [b"[" * 65 + b"]" * 65, b'{"a":' * 65 + b"1" + b"}" * 65])
def test_depth_is_bounded(body: bytes) -> None:
    """Recursion is never the client's to choose."""
    with pytest.raises(UncheckableError):
        parse(body, depth=64)

    assert parse(body, depth=65)


@pytest.mark.parametrize("bracket", [b"[", b"{", b'["', b'{"a":['])
def test_a_megabyte_of_brackets_is_refused_at_once(bracket: bytes) -> None:
    """No stack is spent on a hostile body."""
    with pytest.raises(UncheckableError):
        parse(bracket * 500_000, depth=64)


def test_brackets_in_strings_are_no_depth() -> None:
    """An answer about code is full of them."""
    body = json.dumps({"a": "[" * 100 + '\\"' + "{" * 100}).encode()

    assert parse(body, depth=1)


@pytest.mark.parametrize("filler", [b'\\"', b'"', b"\\", b'"\\'])
def test_depth_takes_linear_time(filler: bytes) -> None:
    """Two megabytes of quotes must not stop the worker."""
    with pytest.raises(UncheckableError):
        parse(b'"' + filler * 1_000_000, depth=64)


def test_long_documents_leave_room_for_other_work() -> None:
    """The worker writes a large body in slices."""
    pieces = list(write({"n": [Number("1")] * 5_000}))

    assert pieces.count("") >= 4
    assert encode(pieces) == b'{"n":[' + b",".join([b"1"] * 5_000) + b"]}"


@pytest.mark.parametrize(
    ("pointer", "expected"),
    [
        ("", {"a/b": [{"~": "x"}], "": 1, "c": {"0": "zero"}}),
        ("/a~1b/0/~0", "x"),
        ("/", 1),
        ("/c/0", "zero"),
    ],
)
def test_pointers_follow_the_rfc(pointer: str, expected: object) -> None:
    """The examples of RFC 6901 that people trip over."""
    document = {"a/b": [{"~": "x"}], "": 1, "c": {"0": "zero"}}

    assert find(document, tokens(pointer)) == expected


@pytest.mark.parametrize("pointer", ["/x", "/a/1", "/a/-", "/a/01", "/a/0/b", "/a/+0", "/a/٠"])
def test_what_is_not_there_is_not_found(pointer: str) -> None:
    """A pointer is followed to the letter; nothing is guessed."""
    with pytest.raises(LookupError):
        find({"a": ["b"]}, tokens(pointer))


def test_put_changes_existing_places_only() -> None:
    """A replaced text never appears where there was none."""
    document = {"a": ["b", {"c": "d"}]}

    assert put(document, tokens("/a/0"), "x") == {"a": ["x", {"c": "d"}]}
    assert put(document, tokens("/a/1/c"), "y") == {"a": ["x", {"c": "y"}]}
    assert put("text", (), "z") == "z"
    with pytest.raises(LookupError):
        put(document, tokens("/b"), "x")


def test_scalar_keeps_offsets() -> None:
    """Claims are cut out of the text as it was sent, by offsets into the text as checked."""
    assert scalar("a\ud83db") == "a\ufffdb"
