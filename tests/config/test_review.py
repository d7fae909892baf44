"""The table ``[review]`` and the file of the people: every fault at the start, in its place."""

from pathlib import Path

import pytest

from gatekeeper.config.reader import Faults
from gatekeeper.config.review import PATH, Reviewer, name_fault, read_reviewers
from gatekeeper.config.words import named
from gatekeeper.outcomes.words import Role
from tests.config.policies import SECRET, faults, load, toml

OUTCOMES = '{ store_text = "none", retention_days = 30 }'
ANN = f'[[reviewer]]\nname = "ann"\nrole = "review"\nsha256 = "{"a" * 64}"\n'
BOB = f'[[reviewer]]\nname = "bob"\nrole = "admin"\nsha256 = "{"b" * 64}"\n'


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """Write a file with two people."""
    path = tmp_path / "reviewers.toml"
    path.write_text(ANN + BOB, encoding="utf-8")
    return path


def places(folder: Path, review: str, *routes: dict[str, str | None]) -> list[str]:
    """Return the places of the faults of a policy with a page."""
    text = toml(*routes, outcomes=OUTCOMES, review=review)
    return [fault.place for fault in faults(folder, text, environment=SECRET)]


@pytest.mark.usefixtures("people")
def test_no_table_no_page(tmp_path: Path) -> None:
    """What shows people's texts is closed until somebody opens it."""
    found = load(tmp_path, toml(outcomes=OUTCOMES), environment=SECRET)

    assert found.review is None


def test_table_is_all_it_takes(tmp_path: Path, people: Path) -> None:
    """Path and file have defaults; the file lies beside the policy."""
    found = load(tmp_path, toml(outcomes=OUTCOMES, review="{}"), environment=SECRET).review

    assert found is not None
    assert (found.path, found.tokens) == (PATH, str(people))


def test_people_are_those_of_the_file(people: Path) -> None:
    """Name, role and hash reach whoever asks for a token."""
    noted = Faults()

    found = read_reviewers(people, place="x", faults=noted)

    assert noted.all == []
    assert found == (
        Reviewer(name="ann", role=Role.REVIEW, sha256="a" * 64),
        Reviewer(name="bob", role=Role.ADMIN, sha256="b" * 64),
    )


@pytest.mark.parametrize(
    ("review", "place"),
    [
        ('{ path = "review" }', "review.path"),
        ('{ path = "/" }', "review.path"),
        ('{ path = "/review/" }', "review.path"),
        ('{ path = "/a//b" }', "review.path"),
        ('{ path = "/a/../b" }', "review.path"),
        ('{ path = "/%76" }', "review.path"),
        ("{ path = 1 }", "review.path"),
        ('{ path = "/v1/answer" }', "review.path"),
        ('{ path = "/V1" }', "review.path"),
        ("{ token = 1 }", "review.token"),
        ('{ tokens = "nobody.toml" }', "review.tokens"),
        ("1", "review"),
    ],
)
@pytest.mark.usefixtures("people")
def test_faults_of_the_table_have_their_place(tmp_path: Path, review: str, place: str) -> None:
    """A path that a route has, or one above it, would take requests from the app."""
    assert places(tmp_path, review) == [place]


@pytest.mark.usefixtures("people")
def test_path_beside_a_route_is_free(tmp_path: Path) -> None:
    """A route is one exact path: what lies below it or looks like it is somebody else's."""
    assert places(tmp_path, '{ path = "/v1/answer/review" }') == []
    assert places(tmp_path, '{ path = "/v1/ans" }') == []


@pytest.mark.usefixtures("people")
def test_page_needs_a_store(tmp_path: Path) -> None:
    """Without one there is nothing to label."""
    [fault] = faults(tmp_path, toml(review="{}"), environment=SECRET)

    assert (fault.place, fault.expected) == ("review", "a store to review from")


def test_missing_file_says_how_to_make_it(tmp_path: Path) -> None:
    """The first start comes before the first token."""
    text = toml(outcomes=OUTCOMES, review="{}")

    [fault] = faults(tmp_path, text, environment=SECRET)

    assert fault.place == "review.tokens"
    assert fault.found == f'no file "{tmp_path / "reviewers.toml"}"'
    assert "gatekeeper review token NAME" in fault.instead


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("", "nobody in {}"),
        ("[[", "{}: no TOML ("),
        (b"\xff", "{} with the byte 0xff"),
        (None, "{}: is a directory"),
    ],
)
def test_fault_of_a_whole_file_names_it(
    tmp_path: Path, people: Path, written: str | bytes | None, found: str
) -> None:
    """The policy may name none: the file beside it is the default; one fault, and what to do."""
    people.unlink()
    if written is None:
        people.mkdir()
    else:
        people.write_bytes(written.encode() if isinstance(written, str) else written)
    noted = Faults()

    read_reviewers(people, place="review.tokens", faults=noted)
    told = faults(tmp_path, toml(outcomes=OUTCOMES, review="{}"), environment=SECRET)

    assert [fault.found for fault in noted.all] in ([], [told[0].found])
    assert len(told) == 1
    assert told[0].found.startswith(found.format(named(people)))


@pytest.mark.parametrize(
    ("review", "found", "advice"),
    [
        ('{ path = "/v1" }', '"/v1"', f'write path = "{PATH}"'),
        ('{ path = "/a//b" }', '"/a//b"', f'write path = "{PATH}"'),
        ("{}", f'"{PATH}"', 'write another one, such as path = "/review"'),
    ],
)
@pytest.mark.usefixtures("people")
def test_path_of_others_is_shown_with_another(
    tmp_path: Path, review: str, found: str, advice: str
) -> None:
    """What is advised is not what was refused, though the path may be the default."""
    route: dict[str, str | None] = {"path": f'"{PATH}/answer"'} if review == "{}" else {}

    text = toml(route, outcomes=OUTCOMES, review=review)
    [fault] = faults(tmp_path, text, environment=SECRET)

    assert (fault.place, fault.instead) == ("review.path", advice)
    assert fault.found.startswith(found)


@pytest.mark.parametrize(
    ("written", "place"),
    [
        ("", "review.tokens"),
        ("[[", "review.tokens"),
        ("people = 1", "review.tokens.people"),
        ("reviewer = 1", "review.tokens.reviewer"),
        (ANN.replace('review"', 'boss"'), "review.tokens.reviewer[0].role"),
        (ANN.replace('role = "review"', ""), "review.tokens.reviewer[0].role"),
        (ANN.replace('"ann"', '" "'), "review.tokens.reviewer[0].name"),
        (ANN.replace('"ann"', "1"), "review.tokens.reviewer[0].name"),
        (ANN.replace('name = "ann"', ""), "review.tokens.reviewer[0].name"),
        (ANN.replace("a" * 64, "gkr_hunter2"), "review.tokens.reviewer[0].sha256"),
        (ANN.replace("sha256", "token"), "review.tokens.reviewer[0].token"),
        (ANN + BOB.replace("bob", "Ann"), "review.tokens.reviewer[1].name"),
        (ANN + BOB.replace("b" * 64, "a" * 64), "review.tokens.reviewer[1].sha256"),
    ],
)
def test_faults_of_the_file_have_their_place(
    tmp_path: Path, people: Path, written: str, place: str
) -> None:
    """A role nobody knows must not become the least or the most; a token is never shown."""
    people.write_text(written, encoding="utf-8")

    found = faults(tmp_path, toml(outcomes=OUTCOMES, review="{}"), environment=SECRET)

    assert found[0].place == place
    assert not any("hunter2" in str(fault) for fault in found)


def test_all_faults_come_at_once(tmp_path: Path, people: Path) -> None:
    """Who sets up a page starts it twice, not five times."""
    people.write_text(ANN.replace('review"', 'boss"') + ANN, encoding="utf-8")

    found = places(tmp_path, '{ path = "/" }', {"mode": '"on"'})

    assert found == [
        "review.path",
        "review.tokens.reviewer[0].role",
        "review.tokens.reviewer[1].name",
        "review.tokens.reviewer[1].sha256",
        'route[0] "/v1/answer".mode',
    ]


@pytest.mark.parametrize("name", ["", " ann", "ann ", "-ann", "a\nb", "a\u202eb", "<b>", "x" * 61])
def test_name_is_harmless_anywhere(name: str) -> None:
    """It stands in tables, logs and pages of colleagues."""
    assert name_fault(name) is not None


@pytest.mark.parametrize("name", ["a", "Ann Lee", "ann.lee+qa@example.org", "Øyvind"])
def test_people_have_names(name: str) -> None:
    """What people are called passes."""
    assert name_fault(name) is None
