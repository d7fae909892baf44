"""What keeps a request from being answered: its status, and words for whoever asked."""

from collections.abc import Mapping
from types import MappingProxyType

from gatekeeper.errors import InputError

NO_HEADERS: Mapping[str, str] = MappingProxyType({})


class RefusedError(Exception):
    """A request that is refused. It may quote what was sent, cut short, and nothing of the store.

    Args:
        status: Of the response.
        found: What was found.
        expected: What was expected.
        advice: What to do.
        headers: More headers of the response.
    """

    def __init__(
        self,
        status: int,
        found: str,
        expected: str,
        advice: str,
        headers: Mapping[str, str] = NO_HEADERS,
    ) -> None:
        self.status, self.found, self.expected, self.advice = status, found, expected, advice
        self.headers = headers
        super().__init__(f"found {found}, expected {expected}; {advice}")


def unfit(error: InputError) -> RefusedError:
    """Return the refusal of a field that says what it can't, or of a decision that is not there."""
    found, status = f"{error.place} {error.found}", 404 if error.place == "decision" else 422
    return RefusedError(status, found, error.expected, "nothing was stored: mend it and send again")


def not_there() -> RefusedError:
    """Return the refusal of what is not there, or not for this person: one answer for both."""
    advice = "label it first; an admin sees every decision"
    return RefusedError(404, "no such decision, or none of yours", "one you have labelled", advice)
