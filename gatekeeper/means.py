"""What a check works with, and what it tells the judge. Pure declarations."""

from dataclasses import dataclass, field
from typing import Protocol

from gatekeeper.core.aggregate import Thresholds
from gatekeeper.core.plan import Limits
from gatekeeper.core.support import Weighing
from gatekeeper.protocols import Judge, Model, Priority, Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What decides verdicts beside the model: marks, pipeline constants, a route's boilerplate.

    ``weighing`` comes with the model and is part of its fingerprint.
    """

    thresholds: Thresholds
    limits: Limits = field(default_factory=Limits)
    boilerplate: tuple[str, ...] = ()
    weighing: Weighing | None = None


class Means(Protocol):
    """What a check works with: a gate."""

    model: Model
    judge: Judge
    settings: Settings

    @property
    def fingerprint(self) -> str:
        """The scorer's."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """What a check tells the judge with each call."""

    deadline: float | None = None
    priority: Priority = Priority.ENFORCE
    usage: Usage
