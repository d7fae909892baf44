"""The bundled pages and tickets: a demo is only as good as what it can be asked about."""

import re

from gatekeeper.demo.documents import documents, parse, script

PAGES = [document for document in documents() if not document.is_ticket]
TICKETS = [document for document in documents() if document.is_ticket]


def test_there_is_enough_to_ask_about() -> None:
    """Some fifty documents, each long enough to hold more than one fact."""
    words = [len(document.text.split()) for document in documents()]

    assert len(PAGES) > 40
    assert len(TICKETS) >= 8
    assert min(words) >= 60
    assert max(words) <= 250


def test_ids_are_unique() -> None:
    """Passages are named by id in verdicts; two of one name could not be told apart."""
    ids = [document.id for document in documents()]

    assert len(set(ids)) == len(ids)


def test_one_price_list_is_withdrawn_and_says_so_nowhere_in_its_text() -> None:
    """That is how stale pages look to retrieval: only the data about the page knows."""
    (withdrawn,) = [document for document in documents() if document.status == "withdrawn"]

    assert withdrawn.id == "price-list-2023"
    assert "withdrawn" not in withdrawn.text


def test_every_ticket_is_a_conversation_with_a_summary() -> None:
    """The summary route must have something to sum up, and something to say."""
    assert {ticket.id for ticket in TICKETS} == set(script().summaries)
    assert all(ticket.text.count("\n\n**") >= 3 for ticket in TICKETS)


def test_every_reply_names_a_page() -> None:
    """A reply without its page would never be given."""
    assert {reply.source for reply in script().replies} <= {page.id for page in PAGES}


def test_addresses_are_reserved_for_examples() -> None:
    """Nobody's real site or mailbox may be named by invented documents (RFC 2606)."""
    text = "\n".join(document.text for document in documents())

    hosts = re.findall(r"(?:https?://|@)([\w.-]+)", text)

    assert hosts
    assert {host.rstrip(".").rpartition(".")[2] for host in hosts} == {"example"}


def test_parse_keeps_rules_inside_the_text() -> None:
    """Only the first two fences frame the data; a rule in a document is text."""
    document = parse(
        "---\nid: a\nkind: policy\ndate: 2025-01-01\nstatus: current\n---\nx\n---\ny\n"
    )

    assert document.text == "x\n---\ny"
