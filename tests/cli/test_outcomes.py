"""``show``, ``purge``, ``labels`` and ``readiness``: the store from the command line."""

import csv
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gatekeeper.cli import main
from gatekeeper.config.scorer import read_scorer
from gatekeeper.marks import SHIPPED_MODEL
from gatekeeper.outcomes.labels import Label, Labels
from gatekeeper.outcomes.records import texts_of
from gatekeeper.outcomes.store import Batch, Store
from gatekeeper.outcomes.words import Truth, milliseconds
from gatekeeper.policy import Keep
from gatekeeper.runtime.manifest import model_folder
from tests.config.policies import SECRET, toml
from tests.outcomes.made import PLAN, accepted, days, decision, given_up, made, unchecked

OUTCOMES = '{ store_text = "sampled", retention_days = 30 }'
TARGETS: dict[str, str | None] = {"targets": "{ false_block = 0.2, accepted_error = 0.3 }"}
FIRST = f"{1:032x}"

COMMANDS = {
    "show": [FIRST],
    "purge": [],
    "readiness": [],
    "evaluate": ["--from-store"],
    "calibrate": ["--from-store", "--max-false-block", "0.1"],
    "labels export": ["out.csv", "--reviewer", "ann"],
    "labels import": ["in.csv", "--reviewer", "ann"],
    "labels undo": [FIRST, "--reviewer", "ann"],
}


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a policy with a store."""
    for name, value in SECRET.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("GATEKEEPER_MODE", raising=False)
    path = tmp_path / "gatekeeper.toml"
    path.write_text(toml(TARGETS, outcomes=OUTCOMES), encoding="utf-8")
    return path


@pytest.fixture
def store(config: Path) -> Iterator[Store]:
    """Fill the store with decisions of a minute ago: 20 blocked, 20 accepted, one old one."""
    store = Store.open(f"sqlite:///{config.parent / 'outcomes.db'}")
    now = datetime.now(UTC) - days(1 / 1440)  # what came in half a minute ago holds nobody up
    given = [decision(n) for n in range(20)] + [accepted(100 + n) for n in range(20)]
    old = decision(1_000)
    texts = {one.id: found for one in [*given, old] if (found := texts_of(one))}
    rows = [*(made(one, now) for one in given), made(old, now - days(60))]
    store.write(Batch(decisions=rows, texts=texts))
    yield store
    store.close()


def run(*arguments: str, config: Path) -> int:
    """Run a command on the policy."""
    return main([*arguments, "-c", str(config)])


def ready(*arguments: str, config: Path) -> int:
    """Ask for the scorer of the made up decisions."""
    return run("readiness", "--fingerprint", "fake-gate", *arguments, config=config)


def filled(path: Path, truths: dict[str, str]) -> list[str]:
    """Fill in a table by what the answers say; return the ids in its order."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row["truth"] = next(truth for word, truth in truths.items() if word in row["answer"])
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return [row["decision"] for row in rows]


@pytest.mark.usefixtures("store")
def test_shows_what_is_known_of_a_decision(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The id in a response or a log line leads to scores, reasons and words."""
    assert run("show", FIRST, config=config) == 0

    out = capsys.readouterr().out
    assert "side: blocked" in out
    assert "claim [21, 35): UNSUPPORTED, score 0.000, no_support" in out
    assert "answer: Refunds take 14 days. Cups are red." in out
    assert "passage a: Refunds take 14 days." in out


@pytest.mark.usefixtures("store")
def test_shows_a_decision_as_json(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Programs read the fields by the names of the store."""
    assert run("show", FIRST, "--json", config=config) == 0

    told = json.loads(capsys.readouterr().out)
    assert told["decision"]["claims"][1]["status"] == "UNSUPPORTED"
    assert told["texts"]["answers"] == ["Refunds take 14 days. Cups are red."]
    assert told["labels"] == []


def test_text_that_steers_a_terminal_is_escaped(
    store: Store, config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An answer is a stranger's text."""
    one = decision(7_000, answers=("\x1b[2Jgone",))
    texts = texts_of(one)
    assert texts is not None
    store.write(Batch(decisions=[made(one)], texts={one.id: texts}))

    run("show", one.id, config=config)

    assert "answer: \\x1b[2Jgone" in capsys.readouterr().out


@pytest.mark.parametrize(
    "command", [["show"], ["purge", "--id"], ["labels", "undo", "--reviewer", "ann"]]
)
@pytest.mark.usefixtures("store")
def test_unknown_id_is_a_usage_fault(
    config: Path, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    """A mistyped id must not look like an empty decision."""
    assert run(*command, "unheard", config=config) == 2
    assert "'unheard'" in capsys.readouterr().err


def test_policy_without_a_store_says_so(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The table is what is missing, not the decision."""
    config.write_text(toml(), encoding="utf-8")

    assert run("show", FIRST, config=config) == 2
    assert "a table: [outcomes]" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["show", "purge", "readiness", "evaluate", "labels export"])
def test_store_that_was_never_written_is_told_and_not_made(
    config: Path, capsys: pytest.CaptureFixture[str], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reading command in the wrong place must not begin a database there."""
    monkeypatch.chdir(config.parent)

    assert run(*name.split(), *COMMANDS[name], config=config) == 1

    file = config.parent / "outcomes.db"
    told = f"gatekeeper: outcome store: {file} is not there yet; start a server"
    assert capsys.readouterr().err.startswith(told)
    assert not file.exists()
    assert not (config.parent / "out.csv").exists()


def test_export_of_nothing_says_why(
    config: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """No traffic, nothing kept and all done look the same by their number."""
    table = str(tmp_path / "labels.csv")
    store = Store.open(f"sqlite:///{config.parent / 'outcomes.db'}")
    assert run("labels", "export", table, "--reviewer", "ann", config=config) == 0
    assert "no decision of /v1/answer is in the store" in capsys.readouterr().out

    nothing = replace(PLAN, keep=Keep(blocked=0, accepted_low=0, accepted_high=0, unchecked=0))
    store.write(Batch(decisions=[made(decision(1), datetime.now(UTC), nothing)]))
    store.close()
    assert run("labels", "export", table, "--reviewer", "ann", config=config) == 0
    told = capsys.readouterr().out
    assert "0 decisions to label" in told
    assert "of 1 decisions of /v1/answer none that was kept for review waits for ann" in told


def test_store_that_is_away_is_no_traceback(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody can use a stack at 3 a.m."""
    outcomes = OUTCOMES.replace("{", '{ url = "postgresql://me@/x?host=/nowhere",', 1)
    config.write_text(toml(TARGETS, outcomes=outcomes), encoding="utf-8")

    assert run("readiness", config=config) == 1
    assert capsys.readouterr().err.startswith("gatekeeper: outcome store: connection")


BARE = """
import json, sys
sys.modules["sqlalchemy"] = None
from gatekeeper.cli import main
print([main(words) for words in json.loads(sys.argv[1])])
"""


def test_command_without_the_extra_names_it(config: Path) -> None:
    """A library that is missing is a line that says what to install, whichever command it is."""
    (config.parent / "in.csv").write_text("decision,seen,truth\n", encoding="utf-8")
    calls = [[*name.split(), *words] for name, words in COMMANDS.items()]

    done = subprocess.run(
        [sys.executable, "-c", BARE, json.dumps(calls)],
        capture_output=True,
        text=True,
        cwd=config.parent,
        check=False,
    )

    assert done.stdout.strip() == str([1] * len(COMMANDS)), done.stderr
    line = "gatekeeper: outcome store: the library sqlalchemy is not installed; pip install"
    assert done.stderr.count(line) == len(COMMANDS)
    assert not (config.parent / "outcomes.db").exists()


def test_purge_takes_what_is_past_its_days(
    store: Store, config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Texts of 60 days ago go, the decision stays."""
    assert run("purge", config=config) == 0

    assert capsys.readouterr().out.splitlines() == [
        "texts deleted (older than 30 days): 1",
        "notes deleted (older than 30 days): 0",
        "decisions deleted (older than 400 days): 0",
    ]
    shown = store.show(f"{1_000:032x}")
    assert shown is not None
    assert shown.texts is None


def test_purge_of_one_decision(
    store: Store, config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Somebody asked for deletion."""
    assert run("purge", "--id", FIRST, config=config) == 0

    assert f"{FIRST}: texts and notes deleted" in capsys.readouterr().out
    shown = store.show(FIRST)
    assert shown is not None
    assert shown.texts is None


def test_labels_by_table_make_a_route_ready(
    store: Store, config: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """From the first export to the answer, with nothing but a spreadsheet."""
    table = tmp_path / "labels.csv"

    assert ready(config=config) == 4
    before = capsys.readouterr().out
    assert run("labels", "export", str(table), "--reviewer", "ann", config=config) == 0
    ids = filled(table, {"red": "wrong", "": "correct"})
    assert run("labels", "import", str(table), "--reviewer", "ann", config=config) == 0
    stored = capsys.readouterr().out
    assert ready(config=config) == 0
    after = capsys.readouterr().out

    assert "false_block at most 0.2: unknown" in before
    assert "labels are missing" in before
    assert len(ids) == 40
    assert "labels stored: 40" in stored
    assert "40 decisions in 28d, 40 labels" in after
    assert "accepted_error at most 0.3: yes" in after
    assert "  scorer fake-gate, as asked for" in after
    assert "  harmful accepted error: 0.0000, upper bound (exact) 0.1391 at 95%" in after
    assert re.search(r"    0\.\d{4}, upper bound \(Beta\) 0\.\d{4} at 95%", after)
    assert store.show(ids[0])


@pytest.mark.usefixtures("store")
def test_undone_label_makes_the_rest_wait(
    config: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Those behind it were labelled past it, and say so."""
    table = tmp_path / "labels.csv"
    run("labels", "export", str(table), "--reviewer", "ann", config=config)
    ids = filled(table, {"red": "wrong", "": "correct"})
    run("labels", "import", str(table), "--reviewer", "ann", config=config)

    assert run("labels", "undo", ids[0], "--reviewer", "ann", config=config) == 0
    capsys.readouterr()
    ready("--json", config=config)

    [told] = json.loads(capsys.readouterr().out)
    assert told["labels_out_of_order"] > 0


@pytest.mark.usefixtures("store")
def test_second_import_changes_nothing(
    config: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Each reviewer's first label counts, whatever a file says later."""
    table = tmp_path / "labels.csv"
    run("labels", "export", str(table), "--reviewer", "ann", "--count", "5", config=config)
    filled(table, {"": "correct"})
    run("labels", "import", str(table), "--reviewer", "ann", config=config)
    filled(table, {"": "wrong"})
    capsys.readouterr()

    assert run("labels", "import", str(table), "--reviewer", "ann", config=config) == 0
    assert "labelled before by ann, left as they were: 5" in capsys.readouterr().out


@pytest.mark.usefixtures("store")
def test_bad_rows_are_told_and_the_others_count(
    config: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A table of a hundred rows is not refused for one."""
    table = tmp_path / "labels.csv"
    rows = [f"{FIRST},2024-05-08,wrong", "unheard,2024-05-08,wrong", "x,2024-05-08,maybe"]
    table.write_text("\n".join(["decision,seen,truth", *rows]), encoding="utf-8")

    assert run("labels", "import", str(table), "--reviewer", "ann", config=config) == 1
    told = capsys.readouterr()
    assert "labels stored: 1" in told.out
    assert "rows with faults: 2; mend them and import again" in told.out
    assert "line 4: truth: found 'maybe'" in told.err
    assert "line 3: decision: found 'unheard'" in told.err


def test_silent_where_shadow_checks_came_to_nothing(
    store: Store, config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A gate that was overloaded all day has seen the easy hours only."""
    now = datetime.now(UTC)
    store.write(Batch(decisions=[made(given_up(5_000 + n), now) for n in range(10)]))

    assert ready(config=config) == 4
    out = capsys.readouterr().out
    assert "silent" in out
    assert "shadow checks of" in out


def test_readiness_judges_the_scorer_that_would_run_now(
    store: Store, config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Enforcing begins with this model and calibration, whatever ran last and gave up."""
    now = datetime.now(UTC)
    store.write(Batch(decisions=[made(given_up(5_000 + n), now) for n in range(10)]))
    scorer = read_scorer(model_folder(SHIPPED_MODEL))

    assert run("readiness", config=config) == 4
    out = capsys.readouterr().out
    assert run("readiness", "--json", config=config) == 4
    [told] = json.loads(capsys.readouterr().out)

    assert "/v1/answer: 0 decisions in 28d, 0 labels" in out
    assert f"  scorer {scorer.fingerprint}, which the policy runs now" in out
    assert "the store has no decision of it in 28d" in out
    assert "of another scorer, left out: 50 decisions of fake-gate" in out
    assert "silent" not in out
    assert (told["fingerprint"], told["fingerprint_from"]) == (scorer.fingerprint, "policy")
    assert (told["decisions"], told["other_scorers"]) == (0, {"fake-gate": 50})
    assert told["harmful_accepted_error"]["unknown"] == "nothing was accepted"


def test_readiness_counts_the_decisions_of_the_running_scorer(
    store: Store, config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The fingerprint read from small files is the one that workers store."""
    scorer = read_scorer(model_folder(SHIPPED_MODEL))
    verdict = replace(accepted().verdict, fingerprint=scorer.fingerprint)
    ours = [accepted(9_000 + n, verdict=verdict) for n in range(3)]
    store.write(Batch(decisions=[made(one, datetime.now(UTC)) for one in ours]))

    assert run("readiness", "--json", config=config) == 4
    [told] = json.loads(capsys.readouterr().out)

    assert (told["decisions"], told["decisions_of_other_scorers"]) == (3, 40)


@pytest.mark.usefixtures("store")
def test_beginning_of_a_fingerprint_will_do(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody types 64 characters; and what fits nothing is a mistake, not an empty store."""
    assert run("readiness", "--fingerprint", "fake", config=config) == 4
    assert "  scorer fake-gate, as asked for" in capsys.readouterr().out

    assert run("readiness", "--fingerprint", "else", config=config) == 2
    assert "decisions in the window (fake-gate)" in capsys.readouterr().err


@pytest.mark.usefixtures("store")
def test_readiness_needs_the_scorer_to_be_there(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A model that is gone runs nothing, and its decisions can still be asked for."""
    text = toml(TARGETS, model='"./gone"', outcomes=OUTCOMES)
    config.write_text(text, encoding="utf-8")

    assert run("readiness", config=config) == 2
    assert "model: found" in capsys.readouterr().err
    assert ready(config=config) == 4


@pytest.mark.parametrize(
    ("targets", "arguments", "fault"),
    [
        ({}, [], "a route with targets"),
        (TARGETS, ["--route", "/none"], "a route of the policy (/v1/answer)"),
    ],
)
def test_route_needs_targets(
    config: Path,
    capsys: pytest.CaptureFixture[str],
    targets: dict[str, str | None],
    arguments: list[str],
    fault: str,
) -> None:
    """Ready for what? The policy has to say."""
    config.write_text(toml(targets, outcomes=OUTCOMES), encoding="utf-8")

    assert run("readiness", *arguments, config=config) == 2
    assert fault in capsys.readouterr().err


def test_what_was_not_read_has_no_words_to_show(
    store: Store, config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No texts is not an empty answer."""
    store.write(Batch(decisions=[made(unchecked(8_000))]))

    assert run("show", f"{8_000:032x}", config=config) == 0
    assert "texts: not stored" in capsys.readouterr().out


def test_readiness_tells_agreement_and_what_was_out_of_order(
    store: Store, config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both are reasons to look at how labels come about before anything is enforced."""
    now_ms = milliseconds(datetime.now(UTC))
    last = [f"{n:032x}" for n in range(20)]
    for reviewer, truths in (("ann", (Truth.WRONG, Truth.CORRECT)), ("bob", (Truth.WRONG,) * 2)):
        for decision_id, truth in zip(last, truths, strict=False):
            label = Label(decision=decision_id, reviewer=reviewer, truth=truth, seen_ms=now_ms)
            assert Labels(store).add(label, at_ms=now_ms)

    ready(config=config)

    said = capsys.readouterr().out
    assert "labelled by two: 2, Cohen's kappa 0.00" in said
    assert "out of order, not counted: " in said


@pytest.mark.usefixtures("store")
def test_export_of_an_unknown_route_names_those_there_are(
    config: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A typo would give an empty table that looks like an empty queue."""
    table = str(tmp_path / "labels.csv")

    code = run("labels", "export", table, "--reviewer", "ann", "--route", "/nope", config=config)

    assert code == 2
    assert "found '/nope', expected a route of the policy (" in capsys.readouterr().err


@pytest.mark.usefixtures("store")
def test_import_of_a_table_in_another_encoding_says_so(
    config: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Spreadsheets save in what the machine is used to."""
    table = tmp_path / "labels.csv"
    table.write_bytes("decision,truth,note\nx,wrong,Größe".encode("utf-16"))

    code = run("labels", "import", str(table), "--reviewer", "ann", config=config)

    assert code == 2
    assert "found no UTF-8, expected a table saved as UTF-8" in capsys.readouterr().err
