"""What a replaced response says about itself."""

from tests.asgi.wire import BAD, Desk, answering, reply


def test_nothing_to_count_is_no_header() -> None:
    """An empty header says nothing, and some proxies drop or refuse one."""
    flagged = Desk(app=answering(reply(BAD))).get()
    unchecked = Desk(app=answering(reply(""))).get()

    assert flagged.headers["gatekeeper-counts"] == "UNSUPPORTED=1"
    assert unchecked.headers["gatekeeper-reason"] == "no_text"
    assert "gatekeeper-counts" not in unchecked.headers
    assert unchecked.json["gatekeeper"]["counts"] == {}
