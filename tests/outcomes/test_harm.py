"""Harm among what is let through: worked bounds, words that are missing, and what is unknown."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatekeeper.core.decide import Side
from gatekeeper.outcomes.counts import Span, count
from gatekeeper.outcomes.estimate import Stratum, estimate_rates
from gatekeeper.outcomes.harm import harmful_accepted_error, no_event_bound
from gatekeeper.outcomes.labels import Label, Labels, settled_harm
from gatekeeper.outcomes.store import Batch, Store
from gatekeeper.outcomes.words import DAY_MS, Band, Harm, Rate, Truth
from tests.outcomes.made import NOON_MS, ROUTE, accepted, made

LATER_MS = NOON_MS + 60_000


def stratum(
    decisions: int, harms: tuple[int, int, int], correct: int, cannot_tell: int = 0, week: int = 0
) -> Stratum:
    """Return accepted decisions; ``harms`` are harmful, harmless, and wrong without a word."""
    harmful, harmless, silent = harms
    return Stratum(
        side=Side.ACCEPTED,
        band=Band.HIGH,
        week=week,
        decisions=decisions,
        wrong=harmful + harmless + silent,
        correct=correct,
        cannot_tell=cannot_tell,
        harmful=harmful,
        harmless=harmless,
    )


@pytest.mark.parametrize(("target", "labels"), [(0.01, 299), (0.05, 59)])
def test_no_harm_among_so_many_labels_meets_a_target(target: float, labels: int) -> None:
    """The worked numbers: one label less does not do."""
    enough = harmful_accepted_error([stratum(10_000, (0, 0, 0), labels)])
    short = harmful_accepted_error([stratum(10_000, (0, 0, 0), labels - 1)])

    assert enough.upper is not None
    assert enough.upper == pytest.approx(1 - 0.05 ** (1 / labels), abs=1e-12)
    assert enough.upper <= target
    assert short.upper is not None
    assert short.upper > target
    assert (enough.point, enough.low) == (0.0, 0.0)


def test_strata_of_one_weight_are_one_sample_where_there_is_no_harm() -> None:
    """299 labels are 299 labels, however many weeks they were given in."""
    weeks = [stratum(1_000, (0, 0, 0), 100, week=n) for n in range(2)]

    found = harmful_accepted_error([*weeks, stratum(990, (0, 1, 0), 98, week=2)])

    assert found.upper == pytest.approx(1 - 0.05 ** (1 / 299), abs=1e-12)


@settings(deadline=None, max_examples=25)
@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 30))
def test_bound_without_an_event_is_the_worst_case(first: int, second: int, times: int) -> None:
    """No shares of two strata with a larger mean would have shown nothing that often."""
    sizes = [(100.0, first), (100.0 * times, second)]

    found = no_event_bound(sizes, 0.95)

    steps = [n / 2_000 for n in range(2_000)]
    others = [(p, 1 - (0.05 / (1 - p) ** first) ** (1 / second)) for p in steps]
    means = [(p + times * q) / (1 + times) for p, q in others if q >= 0.0]
    assert max(means) == pytest.approx(found, abs=1e-3)
    assert max(means) <= found + 1e-12


def test_stratum_without_labels_may_be_all_harm() -> None:
    """Nobody has looked at 100 of 1,000: at best nine tenths of the bound are known."""
    assert no_event_bound([(900.0, 299), (100.0, 0)], 0.95) == pytest.approx(
        0.1 + 0.9 * (1 - 0.05 ** (1 / 299)), abs=1e-12
    )


def test_known_harm_is_a_rate_of_its_own() -> None:
    """4 of 10 wrong ones do harm: the same bounds as 4 wrong ones of 100 have."""
    found = harmful_accepted_error([stratum(10_000, (4, 6, 0), 90)])

    alone = estimate_rates([stratum(10_000, (0, 0, 4), 96)])[Rate.ACCEPTED_ERROR]
    assert found.point == found.as_harmful == found.as_harmless == 0.04
    assert found.low == pytest.approx(alone.low, abs=0.002)
    assert found.high == pytest.approx(alone.high, abs=0.004)
    assert found.upper == pytest.approx(alone.upper, abs=0.003)


def test_weights_are_those_of_the_labels() -> None:
    """A tenth of one week and all of another: 3 of 100 there, 1 of 100 here."""
    strata = [stratum(1_000, (3, 0, 0), 97), stratum(100, (1, 0, 0), 99, week=1)]

    assert harmful_accepted_error(strata).point == pytest.approx(31 / 1_100, abs=1e-12)


def test_wrong_answers_of_unknown_harm_are_like_the_others_and_shown_both_ways() -> None:
    """Of 10 wrong ones 8 have a word, half of them harmful: 5 of 100, between 4 and 6."""
    found = harmful_accepted_error([stratum(10_000, (4, 4, 2), 90)])

    assert (found.as_harmless, found.point, found.as_harmful) == (0.04, 0.05, 0.06)
    assert (found.labels, found.harmful, found.harm_not_known) == (100, 4, 2)
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0.04
    assert found.high > 0.06


def test_cannot_tell_is_left_out_and_shown_both_ways() -> None:
    """Ten labels that don't tell: harmful answers or correct ones."""
    found = harmful_accepted_error([stratum(10_000, (1, 0, 0), 89, cannot_tell=10)])

    assert found.point == pytest.approx(1 / 90, abs=1e-12)
    assert (found.as_harmless, found.as_harmful) == (0.01, 0.11)


def test_no_word_on_any_wrong_answer_is_unknown() -> None:
    """Nobody filled the column in; that is no proof that nothing did harm."""
    found = harmful_accepted_error([stratum(10_000, (0, 0, 3), 97)])

    assert (found.point, found.upper) == (None, None)
    assert found.unknown == "no word on harm on the 3 wrong among accepted"
    assert (found.as_harmless, found.as_harmful) == (0.0, 0.03)


@pytest.mark.parametrize(
    ("strata", "reason"),
    [
        ([], "nothing was accepted"),
        ([stratum(100, (0, 0, 0), 0)], "no labels among accepted (high scores)"),
    ],
)
def test_without_labels_it_is_unknown(strata: list[Stratum], reason: str) -> None:
    """As the accepted error itself."""
    found = harmful_accepted_error(strata)

    assert found.unknown == reason
    assert (found.point, found.as_harmful, found.as_harmless) == (None, None, None)


def test_all_harmful_has_no_upper_end_below_1() -> None:
    """The same from the other side."""
    found = harmful_accepted_error([stratum(1_000, (20, 0, 0), 0)])

    assert (found.point, found.high, found.upper) == (1.0, 1.0, 1.0)


def test_more_confidence_is_a_wider_bound() -> None:
    """What is promised is what was asked for."""
    [less, more] = (
        harmful_accepted_error([stratum(1_000, (2, 0, 0), 98)], confidence=level).upper
        for level in (0.9, 0.99)
    )

    assert less is not None
    assert more is not None
    assert less < more


@pytest.mark.parametrize(
    ("words", "harm"),
    [
        ([None], Harm.CANNOT_TELL),
        ([Harm.HARMFUL, None], Harm.HARMFUL),
        ([Harm.HARMFUL, Harm.HARMLESS], Harm.CANNOT_TELL),
        ([Harm.HARMFUL, Harm.HARMLESS, Harm.HARMLESS], Harm.HARMLESS),
        ([Harm.HARMFUL, Harm.CANNOT_TELL], Harm.CANNOT_TELL),
    ],
)
def test_words_of_several_people_come_to_one(words: list[Harm | None], harm: Harm) -> None:
    """Who says nothing of harm has no vote on it."""
    assert settled_harm(words) is harm


def test_harm_is_counted_from_the_store(store: Store) -> None:
    """A word on harm is that of a label which counts, on an answer that is wrong."""
    rows = sorted((made(accepted(n)) for n in range(6)), key=lambda row: row.u)
    store.write(Batch(decisions=rows))
    says = [Harm.HARMFUL, Harm.HARMLESS, Harm.CANNOT_TELL, None]
    for row, harm in zip(rows, says, strict=False):
        label = Label(
            decision=row.id, reviewer="ann", truth=Truth.WRONG, harm=harm, seen_ms=LATER_MS
        )
        Labels(store).add(label, at_ms=LATER_MS)
    # Past the fifth: out of order, so its harm is not counted.
    late = Label(
        decision=rows[5].id,
        reviewer="ann",
        truth=Truth.WRONG,
        harm=Harm.HARMFUL,
        seen_ms=LATER_MS,
    )
    Labels(store).add(late, at_ms=LATER_MS)

    span = Span(route=ROUTE, start_ms=NOON_MS - DAY_MS, end_ms=NOON_MS + DAY_MS)
    [found] = count(store, span).strata

    assert (found.wrong, found.harmful, found.harmless, found.cannot_tell) == (4, 1, 1, 0)
