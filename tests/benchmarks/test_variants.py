"""The gate without one of its parts."""

from benchmarks.replay import Rules
from benchmarks.variants import Variant, average, variants
from gatekeeper.core.aggregate import Thresholds
from tests.benchmarks.rows import claim, drawn, premise, row

RULES = Rules(thresholds=Thresholds(support=0.5, contradiction=0.9))


def test_each_part_is_taken_away_alone() -> None:
    """An ablation that takes away two things tells nothing of either."""
    contradicted = row(claim(premise(0.8, 0.95)))
    absent = row(claim(premise(0.8), absent=True))
    joint = row(claim(premise(0.2), premise(0.9, joint=True)))

    def scores(name: str) -> list[float | None]:
        return [one.score for one in variants(RULES)[name].scores([contradicted, absent, joint])]

    assert scores("gate") == [0.0, 0.0, 0.9]
    assert scores("without contradiction") == [0.8, 0.0, 0.9]
    assert scores("without value guard") == [0.0, 0.8, 0.9]
    assert scores("without joint premise") == [0.0, 0.0, 0.2]
    assert scores("maximum alone, worst claim") == [0.8, 0.8, 0.9]


def test_mean_claim_dilutes_the_worst() -> None:
    """What SummaC-ZS does, and the reason why the gate does not."""
    two = row(claim(premise(0.2)), claim(premise(0.8)))

    assert [one.score for one in Variant(rules=RULES).scores([two])] == [0.2]
    assert [one.score for one in Variant(rules=RULES, of_answer=average).scores([two])] == [0.5]


def test_small_set_has_no_say_in_the_threshold() -> None:
    """With ten answers one of them moves its curve by a tenth."""
    variant = variants(RULES)["gate"]
    large, small = (
        drawn(300),
        [row(claim(premise(0.05)), wrong=n > 5, name=str(n)) for n in range(10)],
    )

    alone, beside = variant.choose({"a": large}), variant.choose({"a": large, "b": small})

    assert beside.threshold == alone.threshold
    assert set(beside.by_set) == {"a"}


def test_threshold_is_the_variants_own() -> None:
    """Held against a threshold made for other scores it would look worse than it is."""
    rows = {"one": drawn(300), "two": drawn(300, seed=1)}
    variant = variants(RULES)["maximum alone, worst claim"]

    choice = variant.choose(rows)
    blocked = [one.blocked for one in variant.judge(rows["one"], choice.threshold)]

    assert 0.3 < choice.threshold < 0.7
    assert 0.2 < sum(blocked) / len(blocked) < 0.8
