"""Which changes of the training are tried, one at a time; benchmarks/ablations.py makes them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from models.schedule import Settings

GIVEN = "given"
RATE = 5e-5
# A third less to compute; what the lower layers know of words is kept.
FROZEN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """A model made from the given checkpoint, or from another variant's.

    ``parts`` are pairs drawn of each part of the sample; ``between`` the two models that an
    average lies between. Neither: the given checkpoint itself, or a stage of the recipe's run.
    """

    name: str
    change: str
    parts: Mapping[str, int] = field(default_factory=dict)
    between: tuple[str, ...] = ()
    share: float = 0.0
    start: str = GIVEN
    seed: int = 1
    rate: float = RATE
    frozen_layers: int = FROZEN
    two_class: float = 0.0
    smoothing: float = 0.0

    def settings(self, tokens: int) -> Settings:
        """Return the settings of one pass over so many tokens."""
        return Settings(
            tokens=tokens,
            rate=self.rate,
            seed=self.seed,
            frozen_layers=self.frozen_layers,
            two_class=self.two_class,
            smoothing=self.smoothing,
        )


def _soups(name: str) -> tuple[Variant, ...]:
    return tuple(
        Variant(
            name=f"{name}-{share:.2f}",
            change=f"{share:.0%} of the way from the given checkpoint to {name}",
            between=(GIVEN, name),
            share=share,
        )
        for share in (0.25, 0.5, 0.75)
    )


VARIANTS = (
    Variant(name=GIVEN, change="the given checkpoint"),
    Variant(name="stage2", change="the recipe's run, after stage 2"),
    Variant(name="stage3", change="the recipe's run, after stage 3"),
    *_soups("stage2"),
    *_soups("stage3"),
    Variant(
        name="retold",
        change="sentence pairs, labelled pairs over documents, and retellings",
        parts={"sentences": 24_000, "documents": 4_000, "retold": 12_000},
    ),
    *_soups("retold"),
    Variant(
        name="documents",
        change="sentence pairs and labelled pairs over documents",
        parts={"sentences": 34_000, "documents": 6_000},
    ),
    *_soups("documents"),
)
