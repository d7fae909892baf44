"""Reading: from a text to its units, in steps of bounded work."""

from collections.abc import Generator, Iterator

from gatekeeper.core.blocks import Blocks
from gatekeeper.core.boundaries import Boundaries
from gatekeeper.core.records import record_steps
from gatekeeper.core.units import Unit

_CHARS_A_STEP = 2048


class Reader:
    """Words to parts to units; None stands for a step of work that completed no unit."""

    __slots__ = ("_blocks", "_boundaries")

    def __init__(self) -> None:
        self._boundaries = Boundaries()
        self._blocks = Blocks()

    @property
    def lead(self) -> str:
        """The blanks before the first word."""
        return self._boundaries.lead

    def feed(self, text: str) -> Iterator[Unit | None]:
        """Take the next piece; yield the units it completes."""
        for at in range(0, len(text), _CHARS_A_STEP):
            for part in self._boundaries.feed(text[at : at + _CHARS_A_STEP]):
                yield from self._blocks.feed(part)
            yield None

    def finish(self) -> Iterator[Unit | None]:
        """Yield the units that are left."""
        for part in self._boundaries.finish():
            yield from self._blocks.feed(part)
        yield from self._blocks.finish()


def units_of(text: str) -> Generator[Unit | None, None, None]:
    """Yield the units of a whole text, records of JSON among them; None as in ``Reader``."""
    found = yield from record_steps(text)
    if found:
        yield from found
        return
    reader = Reader()
    yield from reader.feed(text)
    yield from reader.finish()
