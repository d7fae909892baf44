"""What doctor says of a store and of the review page: would a server start with them?"""

import os
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gatekeeper.cli.probes import Finding, State
from gatekeeper.cli.soundness import policy_findings
from gatekeeper.cli.storelooks import store_findings
from gatekeeper.outcomes.looking import look
from gatekeeper.outcomes.store import Store
from gatekeeper.outcomes.words import week_of
from gatekeeper.policy import Keep, Outcomes
from tests.config.policies import SECRET, toml

MONDAY = datetime(2026, 11, 30, 12, tzinfo=UTC)
NOW_MS = round(MONDAY.timestamp() * 1000)
ROUTE = "/v1/answer"
BARE = """
import sys
from pathlib import Path
sys.modules[sys.argv[1]] = None
from gatekeeper.cli.soundness import policy_findings
lines = policy_findings(Path(sys.argv[2]))
print(next(line for line in lines if line.name == sys.argv[3]))
"""


def outcomes(file: Path, keep: Keep | None = None) -> Outcomes:
    """Return what a policy says of a store in a file."""
    url = f"sqlite:///{file}"
    return Outcomes(url=url, store_text="none", retention_days=30, keep=keep or Keep())


def found(said: Outcomes) -> list[Finding]:
    """Return what is found of a store on a Monday."""
    return list(store_findings(said, [ROUTE], NOW_MS))


def policy_line(folder: Path, store: str) -> Finding:
    """Return what doctor finds first of the store of a policy; no model is loaded for it."""
    path = folder / "gatekeeper.toml"
    path.write_text(toml(outcomes=store), encoding="utf-8")
    return next(one for one in policy_findings(path, SECRET) if one.name == "store")


def test_store_that_is_still_to_be_made_is_no_fault_and_is_not_made(tmp_path: Path) -> None:
    """Before the first start there is none, and looking must not begin one."""
    line = policy_line(tmp_path, '{ store_text = "none", retention_days = 30 }')

    assert line.state is State.OK
    assert line.text.endswith("outcomes.db is not there yet; the first start makes it")
    assert not (tmp_path / "outcomes.db").exists()


def test_folder_that_is_missing_fails_as_at_a_start(tmp_path: Path) -> None:
    """All lines were ok, and the server did not start."""
    store = '{ url = "sqlite:///none/here.db", store_text = "none", retention_days = 30 }'

    line = policy_line(tmp_path, store)

    assert line.state is State.FAIL
    assert "none/here.db: no such folder" in line.text


def test_server_that_does_not_answer_fails(tmp_path: Path) -> None:
    """No decision would be stored, and only an alert would say so."""
    url = "postgresql://me@/x?host=/nowhere"
    line = policy_line(tmp_path, f'{{ url = "{url}", store_text = "none", retention_days = 30 }}')

    assert line.state is State.FAIL
    assert "connection" in line.text


def test_damaged_file_fails(tmp_path: Path) -> None:
    """The name of the fault, and what to do about it."""
    (tmp_path / "outcomes.db").write_bytes(b"no database, " * 1_000)

    line = policy_line(tmp_path, '{ store_text = "none", retention_days = 30 }')

    assert (line.state, "SQLITE_NOTADB" in line.text) == (State.FAIL, True)


def test_file_that_can_not_be_written_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was made by another user, as a rule."""
    (tmp_path / "outcomes.db").touch()
    monkeypatch.setattr(os, "access", lambda *_: False)

    line = policy_line(tmp_path, '{ store_text = "none", retention_days = 30 }')

    assert (line.state, "can't be written" in line.text) == (State.FAIL, True)


def test_empty_file_gets_no_tables_by_a_look(tmp_path: Path) -> None:
    """A server that was started once and saw no traffic leaves an empty file."""
    file = tmp_path / "outcomes.db"
    file.touch()

    (line,) = found(outcomes(file))

    assert (line.state, "made at the first start" in line.text) == (State.OK, True)
    assert look(f"sqlite:///{file}", [ROUTE], 1).version == 0


def test_store_of_a_newer_version_fails(tmp_path: Path) -> None:
    """A start refuses it."""
    url = f"sqlite:///{tmp_path / 'outcomes.db'}"
    with closing(Store.open(url)) as store, store.transaction() as connection:
        connection.exec_driver_sql("INSERT INTO gatekeeper_schema (version) VALUES (99)")

    line = policy_line(tmp_path, '{ store_text = "none", retention_days = 30 }')

    assert (line.state, "tables have version 99" in line.text) == (State.FAIL, True)


def test_shares_that_wait_for_monday_are_told(tmp_path: Path) -> None:
    """Whoever raised them sees no more to review and no reason why."""
    file = tmp_path / "outcomes.db"
    with closing(Store.open(f"sqlite:///{file}")) as store:
        store.week_plan(ROUTE, week_of(NOW_MS), keep=Keep(), first_cut=0.5)

    assert [one.state for one in found(outcomes(file))] == [State.OK]
    _, line = found(outcomes(file, Keep(blocked=1, accepted_low=1)))

    assert (line.state, line.name) == (State.WARN, "keep")
    assert line.text == (
        f"{ROUTE}: this week keeps blocked 0.1, accepted_low 0.1; "
        "those of the policy, blocked 1, accepted_low 1, hold from 2026-12-07 on"
    )


@pytest.mark.parametrize(("library", "name"), [("sqlalchemy", "store"), ("jinja2", "review")])
def test_extra_that_is_not_installed_fails(tmp_path: Path, library: str, name: str) -> None:
    """The app would not start, so the deployment has to stop here."""
    path = tmp_path / "gatekeeper.toml"
    path.write_text(
        toml(outcomes='{ store_text = "none", retention_days = 30 }', review="{ }"),
        encoding="utf-8",
    )
    (tmp_path / "reviewers.toml").write_text(
        f'[[reviewer]]\nname = "ann"\nrole = "review"\nsha256 = "{"a" * 64}"\n', encoding="utf-8"
    )

    done = subprocess.run(
        [sys.executable, "-c", BARE, library, str(path), name],
        capture_output=True,
        text=True,
        env={**os.environ, **SECRET},
        check=True,
    )

    assert f"fail  {name:<12}  outcome store: the library {library} is not installed" in done.stdout
