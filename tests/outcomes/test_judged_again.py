"""A month through the real store, its labelled sample judged again by the same scorer and others.

An answer's colour is its score; the gate that ran held a lamp's colour against 0.5.
"""

import asyncio
import json
import random
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from gatekeeper.cli import main
from gatekeeper.cli.gates import Opened, Opener
from gatekeeper.core.aggregate import Thresholds
from gatekeeper.core.decide import together
from gatekeeper.evaluation.calibration import Fit, read_calibration
from gatekeeper.gate import Gate, Settings
from gatekeeper.outcomes.counts import Span, count
from gatekeeper.outcomes.estimate import estimate_rates
from gatekeeper.outcomes.labels import Label, Labels
from gatekeeper.outcomes.recorder import LineBounds, Recorder
from gatekeeper.outcomes.review import Queue
from gatekeeper.outcomes.store import Store
from gatekeeper.outcomes.words import DAY_MS, Band, Rate, Truth, milliseconds
from gatekeeper.outcomes.writer import Writer
from gatekeeper.policy import Keep
from gatekeeper.protocols import Decision, PairScore
from gatekeeper.testing import FakeJudge, FakeModel
from gatekeeper.verdict import Action, Evidence, Outcome, Passage, Verdict
from tests.config.policies import SECRET, toml
from tests.outcomes.made import ROUTE, decision, source, unchecked

# Each colour has its support, from 0.05 to 0.95.
COLOURS = "grey pink teal gold rust plum mint navy lime jade".split()
EVIDENCE = Evidence(passages=(Passage(id="0", text="The lamp is here."),), question="Which?")
MARK, STRICTER = 0.5, 0.7
DAYS, A_DAY, LABELS_A_WEEK = 27, 30, 60
KEEP = Keep(blocked=0.5, accepted_low=0.6, accepted_high=0.4, unchecked=0.5)
NAMES = {
    Rate.SENSITIVITY: "sensitivity",
    Rate.FALSE_BLOCK: "false_block_rate",
    Rate.ACCEPTED_ERROR: "accepted_error",
    Rate.COVERAGE: "coverage",
}


def by_colour(premise: str, hypothesis: str) -> PairScore:
    """Support a claim by the colour that it ends in."""
    word = hypothesis.rstrip(".").split()[-1]
    return PairScore(entailment=COLOURS.index(word) / 10 + 0.05, contradiction=0.0)


def gate(support: float) -> Gate:
    """Return a gate with a mark of its own."""
    model = FakeModel(by_colour)
    marks = Thresholds(support=support, contradiction=0.9)
    return Gate(model, FakeJudge(model), Settings(thresholds=marks))


def opener(support: float) -> Opener:
    """Return what opens a candidate."""

    def open_(model: Path | None, *, tested: bool, calibration: Path | None = None) -> Opened:
        return Opened(gate=gate(support), fit=Fit.OWN)

    return open_


@dataclass(frozen=True, slots=True)
class Month:
    """What was asked, what a reviewer who sees each answer would say, and the store of it."""

    store: Store
    given: Mapping[str, Decision]
    truths: Mapping[str, Truth]
    labelled: frozenset[str]


def answer(number: int, texts: tuple[str, ...], verdicts: Mapping[str, Verdict]) -> Decision:
    """Return a decision on an answer of one or more choices."""
    found = [verdicts[text] for text in texts]
    verdict = found[0] if len(found) == 1 else together(found, found[0].fingerprint)
    is_flagged = verdict.outcome is Outcome.FLAGGED
    return decision(
        number,
        verdict=verdict,
        would=Action.WITHHOLD if is_flagged else Action.RELEASE,
        answers=texts,
        evidence=EVIDENCE,
    )


def verdicts() -> dict[str, Verdict]:
    """Return what the gate that ran says of each answer there is."""
    texts = [*(f"The lamp is {colour}." for colour in COLOURS), "Hello!"]
    running = gate(MARK)
    return {text: asyncio.run(running.check(text, EVIDENCE)) for text in texts}


def decisions(chance: random.Random, choices: int) -> list[tuple[Decision, Truth]]:
    """Make a day: mostly answers on lamps, some greetings, some that can't be read."""
    known = verdicts()
    found = []
    for n in range(A_DAY):
        number, kind = chance.getrandbits(100), chance.random()
        picked = [chance.randrange(10) for _ in range(choices)]
        wrong = max(0.7 - 0.07 * colour for colour in picked)
        if kind < 0.05:
            given = unchecked(number)
        elif kind < 0.15:
            given = answer(number, ("Hello!",), known)
        else:
            texts = tuple(f"The lamp is {COLOURS[colour]}." for colour in picked)
            given = answer(number, texts, known)
        truth = Truth.WRONG if chance.random() < wrong else Truth.CORRECT
        found.append((given, Truth.CANNOT_TELL if n % 20 == 0 else truth))
    return found


def month(store: Store, *, choices: int = 1) -> Month:
    """Fill a store with four weeks up to an hour ago, and label some of each week."""
    chance = random.Random(7)  # noqa: S311 - the same month in each run
    begin = datetime.now(UTC) - timedelta(days=DAYS, hours=1)
    clock = {"now": begin}
    made = source(keep=KEEP, store_text="sampled")
    writer = Writer(lambda: Store(store.engine), replace(made, fingerprint=gate(MARK).fingerprint))
    recorder = Recorder(
        writer,
        dropped=pytest.fail,
        notice=lambda *_, **__: None,
        now=lambda: clock["now"],
        bounds=LineBounds(linger_s=0.01),
    )
    queue = Queue(store, draw=random.Random(3).random)  # noqa: S311
    given: dict[str, Decision] = {}
    truths: dict[str, Truth] = {}
    labelled: set[str] = set()
    for day in range(DAYS):
        for n, (one, truth) in enumerate(decisions(chance, choices)):
            clock["now"] = begin + timedelta(days=day, minutes=40 * n)
            recorder.decided(one)
            given[one.id], truths[one.id] = one, truth
        if day % 7 == 6 or day == DAYS - 1:
            assert recorder.flush(60.0)
            now_ms = milliseconds(clock["now"]) + 1
            for item in queue.take("ann", [ROUTE], now_ms=now_ms, count=LABELS_A_WEEK):
                truth = truths[item.decision]
                label = Label(decision=item.decision, reviewer="ann", truth=truth, seen_ms=now_ms)
                Labels(store).add(label, at_ms=now_ms)
                labelled.add(item.decision)
    recorder.close(60.0)
    return Month(store, given, truths, frozenset(labelled))


def policy(outcomes: str) -> str:
    """Write a policy under which answers that can't be read were let through."""
    reactions = '{ default = "withhold", shape = "release" }'
    return toml({"on_not_checked": reactions}, outcomes=f"{{ {outcomes} }}")


@pytest.fixture
def config(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a policy whose store is the one under test."""
    monkeypatch.setenv("GATEKEEPER_SECRET", SECRET["GATEKEEPER_SECRET"])
    monkeypatch.delenv("GATEKEEPER_MODE", raising=False)
    path = tmp_path / "gatekeeper.toml"
    path.write_text(policy(f'url = "{url}", store_text = "sampled", retention_days = 30'))
    return path


@pytest.fixture
def file_config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a policy whose store is the file beside it."""
    monkeypatch.setenv("GATEKEEPER_SECRET", SECRET["GATEKEEPER_SECRET"])
    monkeypatch.delenv("GATEKEEPER_MODE", raising=False)
    path = tmp_path / "gatekeeper.toml"
    path.write_text(policy('store_text = "sampled", retention_days = 30'))
    return path


@pytest.fixture(scope="module")
def filled_once(tmp_path_factory: pytest.TempPathFactory) -> Month:
    """Fill a file with the month that most tests begin with; they get copies."""
    store = Store.open(f"sqlite:///{tmp_path_factory.mktemp('month') / 'outcomes.db'}")
    filled = month(store)
    store.close()
    return filled


@pytest.fixture
def filled(filled_once: Month, file_config: Path) -> Iterator[Month]:
    """Copy the month beside the policy."""
    copy = file_config.parent / "outcomes.db"
    shutil.copy(str(filled_once.store.engine.url.database), copy)
    store = Store.open(f"sqlite:///{copy}")
    yield replace(filled_once, store=store)
    store.close()


def forget(filled: Month, side: str, band: str = "%") -> None:
    """Take the labels of a side back to nothing."""
    of_side = "SELECT id FROM gatekeeper_decisions WHERE side = ? AND band LIKE ?"
    with filled.store.transaction() as connection:
        connection.exec_driver_sql(
            f"DELETE FROM gatekeeper_labels WHERE decision_id IN ({of_side})",  # noqa: S608
            (side, band),
        )


def judged(config: Path, support: float, *options: str) -> dict[str, object]:
    """Run the command with a candidate and return its result."""
    out = config.parent / "out.json"
    arguments = ["evaluate", "--from-store", "-c", str(config), "--json", str(out), *options]
    assert main(arguments, open_gate=opener(support)) == 0
    found: dict[str, object] = json.loads(out.read_text(encoding="utf-8"))
    return found


def rates(found: Mapping[str, object], part: str = "gate") -> dict[str, dict[str, float]]:
    """Return the rates of a result."""
    gate_: dict[str, dict[str, float]] = found[part]  # type: ignore[assignment]
    return {name: gate_[name] for name in NAMES.values()}


def by_hand(
    filled: Month,
    blocks: Callable[[Decision], bool | None],
    labelled: frozenset[str] | None = None,
) -> dict[str, float]:
    """Return the four rates by arithmetic of this test's own.

    ``blocks`` says what a candidate makes of a decision, None where it takes no side.
    """
    labelled = filled.labelled if labelled is None else labelled
    query = "SELECT id, week, side, band FROM gatekeeper_decisions"
    with filled.store.transaction() as connection:
        rows = connection.exec_driver_sql(query).all()
    key = {row[0]: tuple(row[1:]) for row in rows}
    sizes = Counter(key.values())
    labels = Counter(key[id_] for id_ in labelled)
    by_name: dict[tuple[str, str], Counter[bool]] = defaultdict(Counter)
    for stratum, size in sizes.items():
        by_name[stratum[1:]][labels[stratum] > 0] += size
    cells: Counter[tuple[bool, bool]] = Counter()
    for id_ in labelled:
        side, truth = blocks(filled.given[id_]), filled.truths[id_]
        if side is None or truth is Truth.CANNOT_TELL:
            continue
        with_labels = by_name[key[id_][1:]]
        weight = sizes[key[id_]] / labels[key[id_]] * with_labels.total() / with_labels[True]
        cells[side, truth is Truth.WRONG] += weight  # type: ignore[assignment]
    accepted = cells[False, True] + cells[False, False]
    return {
        "sensitivity": cells[True, True] / (cells[True, True] + cells[False, True]),
        "false_block_rate": cells[True, False] / (cells[True, False] + cells[False, False]),
        "accepted_error": cells[False, True] / accepted,
        "coverage": accepted / cells.total(),
    }


def at(mark: float) -> Callable[[Decision], bool | None]:
    """Return what a gate with a mark does, read off the colours."""

    def blocks(given: Decision) -> bool | None:
        words = [(text or "").rstrip(".").split()[-1] for text in given.answers]
        known = [COLOURS.index(word) for word in words if word in COLOURS]
        return min(known) / 10 + 0.05 < mark if known else None

    return blocks


def test_same_scorer_gives_the_live_rates_and_a_stricter_one_those_by_hand(
    store: Store, config: Path
) -> None:
    """Through both databases: weights, order, texts and the candidate change no digit."""
    filled = month(store)
    end_ms = milliseconds(datetime.now(UTC))
    counts = count(store, Span(route=ROUTE, start_ms=end_ms - 28 * DAY_MS, end_ms=end_ms))
    live = estimate_rates(counts.strata)

    same, stricter = judged(config, MARK), judged(config, STRICTER)

    assert counts.out_of_order == 0
    for rate in (Rate.SENSITIVITY, Rate.FALSE_BLOCK, Rate.ACCEPTED_ERROR):
        name, estimate = NAMES[rate], live[rate]
        found = rates(same)[name]
        assert found["value"] == pytest.approx(estimate.point, abs=1e-9)
        assert found["low"] < found["value"] < found["high"]
        # A candidate might part from the gate that ran on what nobody labelled.
        assert estimate.low is not None
        assert estimate.high is not None
        assert found["high"] - found["low"] > 0.9 * (estimate.high - estimate.low)
        both: dict[str, dict[str, float]] = same["cannot_tell"]  # type: ignore[assignment]
        assert both["as_wrong"][name] == pytest.approx(estimate.as_wrong, abs=1e-9)
        assert both["as_correct"][name] == pytest.approx(estimate.as_correct, abs=1e-9)
    for mark, result in ((MARK, same), (STRICTER, stricter)):
        hand = by_hand(filled, at(mark))
        for name, value in hand.items():
            assert rates(result)[name]["value"] == pytest.approx(value, abs=1e-9)
    assert rates(stricter)["sensitivity"]["value"] > rates(same)["sensitivity"]["value"]


def test_every_labelled_decision_is_shown(filled: Month, file_config: Path) -> None:
    """Rows nobody can tell and answers nobody read are in the counts and in no rate."""
    found = judged(file_config, MARK)

    told = [filled.truths[id_] for id_ in filled.labelled]
    table: dict[str, dict[str, int]] = found["verdicts"]  # type: ignore[assignment]
    unlabelled = sum(row["unlabelled"] for row in table.values())
    unread = [id_ for id_ in filled.labelled if not filled.given[id_].answers]
    store: dict[str, object] = found["store"]  # type: ignore[assignment]
    assert found["n"] == len(filled.labelled)
    assert unlabelled == told.count(Truth.CANNOT_TELL) > 0
    assert sum(table["NOT_CHECKED"].values()) == len(unread) > 0
    assert table["UNRESOLVED"] == {"supported": 0, "unsupported": 0, "unlabelled": 0}
    assert (store["decisions"], store["left_out"]) == (DAYS * A_DAY, 0)
    assert store["labels_without_text"] == 0
    declared: dict[str, str] = found["declared"]  # type: ignore[assignment]
    assert declared["interval"].startswith("95 %, Beta within ")
    # Greetings and what can't be read, by the weights of those that are labelled.
    share = sum(at(MARK)(one) is None for one in filled.given.values()) / len(filled.given)
    assert found["undecided_share"] == pytest.approx(share, abs=0.02)
    assert declared["blocked"] == "what the route's policy holds back or cuts"


def test_where_texts_are_purged_the_others_stand_for_them(
    filled: Month, file_config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Weights are by labels that still have their text, and the rest is counted and told."""
    now_ms = milliseconds(datetime.now(UTC))
    filled.store.purge(now_ms=now_ms, retention_days=10, decision_days=400)
    shown = {id_: filled.store.show(id_) for id_ in filled.labelled}
    usable = frozenset(
        id_
        for id_, one in shown.items()
        if one is not None and (one.texts is not None or not filled.given[id_].answers)
    )

    found = judged(file_config, STRICTER)

    lost = len(filled.labelled) - len(usable)
    hand = by_hand(filled, at(STRICTER), usable)
    store: dict[str, object] = found["store"]  # type: ignore[assignment]
    assert 0 < lost == store["labels_without_text"]
    assert f"  labels without a text any more: {lost}" in capsys.readouterr().out
    for name, value in hand.items():
        assert rates(found)[name]["value"] == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize(
    ("store_text", "fault"),
    [
        ("none", 'outcomes.store_text: found "none", and no text of '),
        ("sampled", "labelled answers, and the texts of all are gone, expected answers"),
    ],
)
def test_without_texts_nothing_can_be_judged(
    filled: Month,
    file_config: Path,
    capsys: pytest.CaptureFixture[str],
    store_text: str,
    fault: str,
) -> None:
    """The message says which setting it takes, or how long texts are kept."""
    with filled.store.transaction() as connection:
        connection.exec_driver_sql("DELETE FROM gatekeeper_texts")
    file_config.write_text(policy(f'store_text = "{store_text}", retention_days = 30'))

    for command in (["evaluate"], ["calibrate", "--max-false-block", "0.2"]):
        code = main([*command, "--from-store", "-c", str(file_config)], open_gate=opener(MARK))
        assert code == 2
        assert fault in capsys.readouterr().err


def test_side_whose_texts_are_gone_is_told_with_why(
    filled: Month, file_config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """More labels would not help where it is the texts that are missing."""
    of_side = "SELECT id FROM gatekeeper_decisions WHERE side = 'blocked'"
    with filled.store.transaction() as connection:
        connection.exec_driver_sql(
            f"DELETE FROM gatekeeper_texts WHERE decision_id IN ({of_side})"  # noqa: S608
        )

    code = main(["evaluate", "--from-store", "-c", str(file_config)], open_gate=opener(MARK))

    told = capsys.readouterr().err
    assert code == 2
    assert "decisions blocked and no usable label on any (" in told
    assert " labels have no text any more)" in told


def test_unlabelled_unchecked_ones_are_unknown_and_named(
    filled: Month, file_config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the gate did not check is not as good as the rest, and not as bad: nobody looked."""
    share = sum(at(MARK)(one) is None for one in filled.given.values()) / len(filled.given)
    forget(filled, "unchecked")

    found = judged(file_config, MARK)

    out = " ".join(capsys.readouterr().out.split())
    store: dict[str, object] = found["store"]  # type: ignore[assignment]
    assert f"and {share:.1%} of the decisions is in no figure below" in out
    assert store["left_out"] == pytest.approx(share, abs=1e-12)
    hand = by_hand(filled, at(MARK))
    assert rates(found)["sensitivity"]["value"] == pytest.approx(hand["sensitivity"], abs=1e-9)


@pytest.mark.parametrize(
    ("side", "band", "name"),
    [("blocked", "one", "blocked"), ("accepted", "high", "accepted (high scores)")],
)
def test_side_without_labels_is_refused(
    filled: Month,
    file_config: Path,
    capsys: pytest.CaptureFixture[str],
    side: str,
    band: str,
    name: str,
) -> None:
    """Labels of what was let through say nothing of what was stopped, whatever the candidate."""
    forget(filled, side, band)

    code = main(["evaluate", "--from-store", "-c", str(file_config)], open_gate=opener(MARK))

    assert code == 2
    assert f"decisions {name} and no usable label on any" in capsys.readouterr().err


def test_several_choices_are_one_row_and_the_worst_decides(
    file_store: Store, file_config: Path
) -> None:
    """One label is on all of them, so they stand together, as over HTTP."""
    filled = month(file_store, choices=3)

    found = judged(file_config, STRICTER)

    hand = by_hand(filled, at(STRICTER))
    assert found["n"] == len(filled.labelled)
    for name, value in hand.items():
        assert rates(found)[name]["value"] == pytest.approx(value, abs=1e-9)


def test_decisions_of_other_scorers_are_judged_too(filled: Month, file_config: Path) -> None:
    """A label is on an answer; which gate saw it first only tells how it was drawn."""
    with filled.store.transaction() as connection:
        connection.exec_driver_sql(
            "UPDATE gatekeeper_decisions SET fingerprint = 'older' WHERE answer_hmac < '8'"
        )

    found = judged(file_config, STRICTER)

    store: dict[str, object] = found["store"]  # type: ignore[assignment]
    hand = by_hand(filled, at(STRICTER))
    assert store["scorers"] == 2
    assert rates(found)["accepted_error"]["value"] == pytest.approx(
        hand["accepted_error"], abs=1e-9
    )


def test_labels_out_of_order_count_no_more_than_in_the_live_rates(
    filled: Month, file_config: Path
) -> None:
    """Without the first label of a stratum the others of it were chosen by somebody."""
    first = (
        "SELECT d.id FROM gatekeeper_decisions d JOIN gatekeeper_labels l ON l.decision_id = d.id"
        " WHERE d.side = 'blocked' ORDER BY d.u LIMIT 1"
    )
    with filled.store.transaction() as connection:
        connection.exec_driver_sql(
            f"DELETE FROM gatekeeper_labels WHERE decision_id IN ({first})"  # noqa: S608
        )
    end_ms = milliseconds(datetime.now(UTC))
    span = Span(route=ROUTE, start_ms=end_ms - 28 * DAY_MS, end_ms=end_ms)
    counts = count(filled.store, span)
    live = estimate_rates(counts.strata)

    found = judged(file_config, MARK)

    store: dict[str, object] = found["store"]  # type: ignore[assignment]
    assert store["labels_out_of_order"] == counts.out_of_order > 0
    for rate in (Rate.SENSITIVITY, Rate.FALSE_BLOCK, Rate.ACCEPTED_ERROR):
        value = rates(found)[NAMES[rate]]["value"]
        assert value == pytest.approx(live[rate].point, abs=1e-9)


def test_calibrate_takes_the_sample(
    filled: Month, file_config: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Rows kept in proportion to their weight, how many of how many, and a file with a promise."""
    out = tmp_path / "calibration.json"
    # Well above what any cut of the weeks gives: which rows are kept hangs on the hour it runs.
    target = ["--max-accepted-error", "0.6", "--min-accepted", "0.1", "--confidence", "0.8"]
    arguments = ["calibrate", "--from-store", "-c", str(file_config), "-o", str(out), *target]

    assert main(arguments, open_gate=opener(MARK)) == 0

    told = sum(filled.truths[id_] is not Truth.CANNOT_TELL for id_ in filled.labelled)
    shown = capsys.readouterr().out
    written = read_calibration(out)
    assert f"rows {len(filled.labelled)}, labelled {told}, counted " in shown
    assert " rows kept in proportion to their weight, seed 0" in shown
    [source_] = written.sets
    assert source_.startswith(f"outcome store: {ROUTE}, 28 days to ")
    assert written.guarantee is not None
    assert written.guarantee.n < told


@pytest.mark.usefixtures("filled")
def test_missing_labels_are_counted_in_rows_that_are_left(
    file_config: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Of new labels some are thrown away by their weight as well."""
    out = tmp_path / "calibration.json"
    arguments = ["calibrate", "--from-store", "-c", str(file_config), "-o", str(out)]

    assert main([*arguments, "--max-false-block", "0.001"], open_gate=opener(MARK)) == 1

    assert " more correct answers would do, of those that are left as above" in (
        capsys.readouterr().out
    )
    assert not out.exists()


@pytest.mark.usefixtures("filled")
def test_what_is_blocked_is_what_the_policy_holds_back(file_config: Path) -> None:
    """Under a route that only annotates nothing is blocked, whatever is flagged."""
    outcomes = '{ store_text = "sampled", retention_days = 30 }'
    reactions = '{ default = "withhold", shape = "release" }'
    route: dict[str, str | None] = {"on_flagged": '"annotate"', "stream": '"whole"'}
    text = toml({**route, "on_not_checked": reactions}, outcomes=outcomes)
    file_config.write_text(text, encoding="utf-8")

    found = rates(judged(file_config, STRICTER))

    assert (found["sensitivity"]["value"], found["coverage"]["value"]) == (0.0, 1.0)


def test_days_look_no_further_back(filled: Month, file_config: Path) -> None:
    """Without the option as far as texts are kept, four weeks at most."""
    table = 'store_text = "sampled", retention_days = 12'

    seven = judged(file_config, MARK, "--days", "7")
    file_config.write_text(policy(table), encoding="utf-8")
    twelve = judged(file_config, MARK)

    found = [one["store"] for one in (seven, twelve)]
    assert [store["days"] for store in found] == [7, 12]  # type: ignore[index]
    assert [store["decisions"] // A_DAY for store in found] in ([6, 11], [7, 12])  # type: ignore[index]


def test_empty_store_is_told(
    file_store: Store, file_config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing was decided, or nothing was labelled: two things, and what to do about each."""
    arguments = ["evaluate", "--from-store", "-c", str(file_config)]

    assert main(arguments, open_gate=opener(MARK)) == 2
    assert f"outcome store: {ROUTE}: found no decision in 28 days" in capsys.readouterr().err
    clock = datetime.now(UTC) - timedelta(hours=1)
    writer = Writer(lambda: Store(file_store.engine), source(store_text="sampled"))
    recorder = Recorder(
        writer, dropped=pytest.fail, notice=lambda *_, **__: None, now=lambda: clock
    )
    recorder.decided(decision(1))
    recorder.close(60.0)
    assert main(arguments, open_gate=opener(MARK)) == 2
    assert "found 1 decisions and no label that counts in 28 days" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        ([], "give DATA or --from-store"),
        (["--from-store", "rows.jsonl"], "give DATA or --from-store"),
        (["rows.jsonl", "--days", "7"], "go with --from-store"),
        (["rows.jsonl", "-c", "rows.jsonl"], "go with --from-store"),
        (["--from-store", "--boilerplate", "rows.jsonl"], "go with DATA"),
        (["--from-store"], "gatekeeper.toml: found no such file"),
        (["--from-store", "-c", "two.toml"], "--route: found nothing, expected one of"),
        (["--from-store", "-c", "two.toml", "--route", "/c"], "--route: found '/c', expected"),
    ],
)
def test_half_a_request_is_wrong_usage(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    fault: str,
) -> None:
    """It is told before a model is loaded."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.jsonl").write_text("{}")
    outcomes = '{ store_text = "sampled", retention_days = 30 }'
    two = toml({"path": '"/a"'}, {"path": '"/b"'}, outcomes=outcomes)
    (tmp_path / "two.toml").write_text(two)

    assert main(["evaluate", *arguments], open_gate=opener(MARK)) == 2
    assert fault in capsys.readouterr().err


def test_bands_are_those_of_the_store() -> None:
    """The names in messages are the ones that reviewers and estimates use."""
    from gatekeeper.outcomes.estimate import Stratum  # noqa: PLC0415
    from gatekeeper.outcomes.kept import Key  # noqa: PLC0415

    for side in ("blocked", "accepted", "unchecked"):
        for band in Band:
            key = Key(0, side, band)  # type: ignore[arg-type]
            stratum = Stratum(side=key.side, band=band, week=0, decisions=1)
            assert key.name == stratum.name
