"""Which changes of the training are tried, one at a time; benchmarks/ablations.py makes them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from models.samples import SHORT
from models.schedule import Settings

GIVEN = "given"
# Checkpoints of whole runs of the recipe, not of samples.
WHOLE_RUNS = ("stage2", "stage3", "stage3-full")
RATE = 5e-5
# A third less to compute; what the lower layers know of words is kept.
FROZEN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """A model made from the given checkpoint, or from that of another variant, ``start``.

    ``parts`` are pairs drawn of each part of the sample; ``between`` the two models that an
    average lies between. Neither: the given checkpoint itself, or a stage of the recipe's run.
    Of pairs by construction those are left out that the given checkpoint gets right with a
    probability above ``sure``; premises are cut to ``longest`` characters. ``stated_only`` draws
    from sources with a stated licence alone, so many pairs as they have.
    """

    name: str
    change: str
    parts: Mapping[str, int] = field(default_factory=dict)
    between: tuple[str, ...] = ()
    share: float = 0.0
    start: str = GIVEN
    sure: float = 1.0
    longest: int = SHORT
    stated_only: bool = False
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


RETOLD = {"sentences": 24_000, "documents": 4_000, "retold": 12_000}
STAGE3_RETOLD = {"stage3": 28_000, "retold": 12_000}


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
    Variant(name="stage3-full", change="the recipe's run, after a stage 3 with retellings"),
    *_soups("stage2"),
    *_soups("stage3"),
    *_soups("stage3-full"),
    Variant(
        name="sentences",
        change="pairs of sentences only",
        parts={"sentences": 40_000},
    ),
    Variant(
        name="documents",
        change="labelled pairs over documents for a tenth of them",
        parts={"sentences": 36_000, "documents": 4_000},
    ),
    Variant(name="retold", change="documents, and retellings for a third", parts=RETOLD),
    *_soups("retold"),
    Variant(
        name="stage2-sample",
        change="a sample of the recipe's stage 2",
        parts={"stage2": 40_000},
    ),
    Variant(
        name="stage3-sample",
        change="a sample of the recipe's stage 3",
        parts={"stage3": 40_000},
    ),
    Variant(
        name="stage3-retold",
        change="a sample of the recipe's stage 3, and retellings for a third",
        parts=STAGE3_RETOLD,
    ),
    *_soups("stage3-retold"),
    Variant(
        name="stage3-then-retold",
        change="retold, from the recipe's run after stage 3",
        parts=RETOLD,
        start="stage3",
    ),
    *_soups("stage3-then-retold"),
    Variant(
        name="stage3-and-retold",
        change="half way from the recipe's run after stage 3 to stage3-then-retold",
        between=("stage3", "stage3-then-retold"),
        share=0.5,
    ),
    Variant(
        name="stage3-full-and-retold",
        change="half way from stage3-full to stage3-then-retold",
        between=("stage3-full", "stage3-then-retold"),
        share=0.5,
    ),
    Variant(
        name="stage3-then-both",
        change="stage3-retold, from the recipe's run after stage 3",
        parts=STAGE3_RETOLD,
        start="stage3",
    ),
    *_soups("stage3-then-both"),
    Variant(
        name="retold-two-class",
        change="retold, loss of two classes too",
        parts=RETOLD,
        two_class=1.0,
    ),
    Variant(name="retold-hard", change="retold, without what is known", parts=RETOLD, sure=0.95),
    Variant(
        name="retold-whole", change="retold, all layers trained", parts=RETOLD, frozen_layers=0
    ),
    Variant(
        name="retold-long", change="retold, premises of 700 characters", parts=RETOLD, longest=700
    ),
    Variant(name="retold-gentle", change="retold, rate 2e-5", parts=RETOLD, rate=2e-5),
    Variant(name="retold-smooth", change="retold, labels smoothed", parts=RETOLD, smoothing=0.1),
    Variant(
        name="retold-stated",
        change="retold, sources with a stated licence alone",
        parts=RETOLD,
        stated_only=True,
    ),
    Variant(name="retold-again", change="retold, second seed", parts=RETOLD, seed=2),
    Variant(
        name="stage3-then-retold-again",
        change="stage3-then-retold, second seed",
        parts=RETOLD,
        start="stage3",
        seed=2,
    ),
    Variant(
        name="stage3-retold-again",
        change="stage3-retold, second seed",
        parts=STAGE3_RETOLD,
        seed=2,
    ),
)
