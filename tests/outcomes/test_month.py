"""One month through the real store: the same numbers as counted by hand beside it."""

import hashlib
import hmac
import random
from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta

import pytest

from gatekeeper.core.decide import Side
from gatekeeper.outcomes.counts import Span, count
from gatekeeper.outcomes.estimate import Stratum, estimate_rates
from gatekeeper.outcomes.labels import Label, Labels
from gatekeeper.outcomes.recorder import LineBounds, Recorder
from gatekeeper.outcomes.review import Queue
from gatekeeper.outcomes.store import Store
from gatekeeper.outcomes.words import Band, Rate, Truth, milliseconds, moment, week_start_ms
from gatekeeper.outcomes.writer import Writer
from gatekeeper.policy import Keep
from gatekeeper.protocols import Decision
from gatekeeper.verdict import Action, ClaimStatus, ClaimVerdict, Verdict
from tests.outcomes.made import KEY, NOON, ROUTE, accepted, decision, made, source, unchecked

WEEKS, A_WEEK, LABELS_A_WEEK = 4, 400, 60
MONDAY = moment(week_start_ms(made(decision()).week))
KEEP = Keep(blocked=0.5, accepted_low=0.6, accepted_high=0.4, unchecked=0.5)
FIRST_CUT = 0.5


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of the month: when it came, what became of it, and the truth."""

    given: Decision
    at: datetime
    side: Side
    score: float | None
    truth: Truth


def scored(number: int, score: float) -> Decision:
    """Return a decision to accept an answer with one claim."""
    claim = ClaimVerdict(
        start=0,
        end=5,
        text="Five.",
        status=ClaimStatus.SUPPORTED,
        support=score,
        contradiction=0.0,
        score=score,
    )
    return accepted(number, verdict=Verdict(claims=(claim,), fingerprint="running"))


def month() -> list[list[Answer]]:
    """Make four weeks of answers: a fifth blocked, a tenth unchecked, some nobody can tell."""
    chance = random.Random(11)  # noqa: S311 - the same month in each run
    weeks = []
    for week in range(WEEKS):
        answers = []
        for n in range(A_WEEK):
            number, at = 1_000 * week + n, MONDAY + timedelta(weeks=week, minutes=25 * n)
            kind, score = chance.random(), round(chance.random(), 3)
            if kind < 0.2:
                verdict = decision(number).verdict
                given = decision(
                    number, verdict=Verdict(claims=verdict.claims, fingerprint="running")
                )
                made_, wrong = Answer(given, at, Side.BLOCKED, 0.0, Truth.WRONG), 0.8
            elif kind < 0.3:
                made_, wrong = Answer(unchecked(number), at, Side.UNCHECKED, None, Truth.WRONG), 0.2
            else:
                made_ = Answer(scored(number, score), at, Side.ACCEPTED, score, Truth.WRONG)
                wrong = 0.3 * (1 - score)
            truth = Truth.WRONG if chance.random() < wrong else Truth.CORRECT
            truth = Truth.CANNOT_TELL if chance.random() < 0.05 else truth
            answers.append(Answer(made_.given, made_.at, made_.side, made_.score, truth))
        weeks.append(answers)
    return weeks


def by_hand(weeks: list[list[Answer]], labelled: set[str]) -> list[tuple[Answer, Stratum]]:
    """Return each answer with its stratum, by arithmetic of this test's own."""
    found = []
    first_week = made(decision()).week
    for week, answers in enumerate(weeks):
        before = sorted(a.score or 0.0 for a in weeks[week - 1] if a.side is Side.ACCEPTED)
        cut = before[len(before) // 3] if week else FIRST_CUT
        for answer in answers:
            band = Band.ONE
            if answer.side is Side.ACCEPTED:
                band = Band.LOW if (answer.score or 0.0) < cut else Band.HIGH
            has = answer.given.id in labelled
            stratum = Stratum(
                side=answer.side,
                band=band,
                week=first_week + week,
                decisions=1,
                wrong=int(has and answer.truth is Truth.WRONG),
                correct=int(has and answer.truth is Truth.CORRECT),
                cannot_tell=int(has and answer.truth is Truth.CANNOT_TELL),
            )
            found.append((answer, stratum))
    return found


def number(id_: str) -> float:
    """Return a decision's random number, by arithmetic of this test's own."""
    digest = hmac.new(KEY, f"u:{id_}".encode(), hashlib.sha256).digest()
    return int.from_bytes(digest[:8]) / 2**64


def share(strata: list[Stratum], side: Side, *, wrong: bool) -> float:
    """Return one side's part of what is wrong, or correct, among the checked: plain weights."""
    part = whole = 0.0
    sizes: Counter[tuple[Side, Band, int]] = Counter()
    labels: Counter[tuple[Side, Band, int]] = Counter()
    for one in strata:
        sizes[one.side, one.band, one.week] += one.decisions
        labels[one.side, one.band, one.week] += one.labelled
    for one in strata:
        key = (one.side, one.band, one.week)
        if not one.labelled:
            continue
        weight = sizes[key] / labels[key]
        told = weight * (one.wrong if wrong else one.correct)
        part += told if one.side is side else 0.0
        whole += told if one.side is not Side.UNCHECKED else 0.0
    return part / whole


def test_month_through_the_store_gives_the_same_numbers(file_store: Store) -> None:
    """Recorder, sampling, queue, labels and counts together change no digit."""
    weeks = month()
    clock = {"now": NOON}
    writer = Writer(lambda: Store(file_store.engine), source(keep=KEEP))
    recorder = Recorder(
        writer,
        dropped=pytest.fail,
        notice=lambda *_, **__: None,
        now=lambda: clock["now"],
        bounds=LineBounds(linger_s=0.01),
    )
    labels, queue = Labels(file_store), Queue(file_store, draw=random.Random(3).random)  # noqa: S311
    truths = {answer.given.id: answer.truth for answers in weeks for answer in answers}
    labelled: set[str] = set()

    for answers in weeks:
        for answer in answers:
            clock["now"] = answer.at
            recorder.decided(answer.given)
        assert recorder.flush(60.0)
        now_ms = milliseconds(answers[-1].at) + 1_000
        for item in queue.take("ann", [ROUTE], now_ms=now_ms, count=LABELS_A_WEEK):
            label = Label(
                decision=item.decision, reviewer="ann", truth=truths[item.decision], seen_ms=now_ms
            )
            assert labels.add(label, at_ms=now_ms)
            labelled.add(item.decision)
    recorder.close()

    span = Span(
        route=ROUTE, start_ms=milliseconds(MONDAY), end_ms=milliseconds(MONDAY + timedelta(weeks=4))
    )
    found = count(file_store, span, fingerprint="running")
    hand = by_hand(weeks, labelled)
    ours = [stratum for _, stratum in hand]

    assert found.out_of_order == 0
    assert len(labelled) == WEEKS * LABELS_A_WEEK
    assert estimate_rates(found.strata, found.delivered) == estimate_rates(ours, ours)
    rates = estimate_rates(found.strata, found.delivered)
    for rate, expected in {
        Rate.SENSITIVITY: share(ours, Side.BLOCKED, wrong=True),
        Rate.FALSE_BLOCK: share(ours, Side.BLOCKED, wrong=False),
    }.items():
        assert rates[rate].point == pytest.approx(expected, abs=1e-9)


def test_reviewed_are_those_with_the_smallest_numbers(file_store: Store) -> None:
    """Of each stratum the labelled ones come first in the order of the numbers, no one left out."""
    writer = Writer(lambda: Store(file_store.engine), source())
    recorder = Recorder(writer, dropped=pytest.fail, notice=lambda *_, **__: None, now=lambda: NOON)
    given = [decision(n) for n in range(200)]
    for one in given:
        recorder.decided(one)
    recorder.close(60.0)

    taken = Queue(file_store).take("ann", [ROUTE], now_ms=milliseconds(NOON) + 1, count=50)

    in_order = sorted((one.id for one in given), key=number)
    assert [item.decision for item in taken] == in_order[:50]
    assert given[0].action is Action.RELEASE
