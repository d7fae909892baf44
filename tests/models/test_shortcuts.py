"""What predicts a label without reading; skipped without scikit-learn (dependency group train)."""

import pytest

from models.pairs import Pair

pytest.importorskip("sklearn")


def sided(number: int, *, telling: bool) -> list[Pair]:
    """Return pairs whose claims tell their label, or don't."""
    word = "certainly"
    return [
        Pair(
            premise=f"house {n} is old",
            hypothesis=f"house {n % 10 // 2} is {word if telling and n % 2 else 'really'} old",
            label="entailment" if n % 2 else "neutral",
            source="leaky" if telling else "fair",
        )
        for n in range(number)
    ]


def test_a_claim_that_tells_its_label_is_found() -> None:
    """This is what the mixture must not have."""
    from models.shortcuts import report  # noqa: PLC0415  # needs scikit-learn

    train = sided(400, telling=True) + sided(400, telling=False)
    found = report(train, sided(100, telling=True) + sided(100, telling=False))

    assert found["leaky"]["claim_only"] == 1.0
    assert float(str(found["fair"]["claim_only"])) < 0.8
    assert found["leaky"]["labels"] == {"entailment": 200, "neutral": 200}


def test_too_few_pairs_give_no_figure() -> None:
    """A figure over a handful of pairs is noise with decimals."""
    from models.shortcuts import report  # noqa: PLC0415  # needs scikit-learn

    assert "claim_only" not in report(sided(40, telling=True), sided(20, telling=True))["leaky"]
