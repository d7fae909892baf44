"""A card says what the run and the folder say, and what is missing."""

import json
from pathlib import Path

import pytest

from gatekeeper.marks import SHIPPED_MODEL
from gatekeeper.runtime.manifest import model_folder, read_manifest
from gatekeeper.runtime.session import load
from models import card
from models.mixture import MIXTURE, Labelled, Mixture, read_mixture, training_sources

SHIPPED = model_folder(SHIPPED_MODEL)
RESULTS = Path(__file__).parents[2] / "benchmarks" / "results"


def labelled(name: str, *, stated: bool) -> Labelled:
    """Make a source."""
    return Labelled(
        name=name,
        file="f",
        source=name,
        stage1=10,
        stage2=0,
        stage3=5,
        licence="MIT" if stated else "none found",
        stated=stated,
        why="to test",
    )


def drawn(*pairs: Labelled) -> Mixture:
    """Make a mixture of sources and one kind."""
    kinds = {"stage2": {"number": 7}, "stage3": {"retold": 9}}
    return Mixture(seed=1, held_out=0.1, families=kinds, pairs=pairs, claims={}, texts=())


def test_sources_and_their_terms_are_listed() -> None:
    """A source without a licence is there and marked."""
    found = card.sources(drawn(labelled("a", stated=True), labelled("b", stated=False)))

    assert found.splitlines()[2:] == [
        "| a | MIT | yes | 10 |  | 5 | to test |",
        "| b | none found | no | 10 |  | 5 | to test |",
    ]


def test_kinds_are_counted_by_stage() -> None:
    """A stage without a kind has an empty cell."""
    assert card.families(drawn()).splitlines()[2:] == [
        "| number |  | 7 |  |",
        "| retold |  |  | 9 |",
    ]


def test_stage_of_another_run_is_said_to_be_one(tmp_path: Path) -> None:
    """Numbers are of the log's last line."""
    run = tmp_path / "stage3" / "run"
    run.mkdir(parents=True)
    lines = [{"steps": n, "passes": 1, "tokens": 5000 * n, "loss": 0.5} for n in (1, 2)]
    (run / "log.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n")

    rows = card.stages(tmp_path).splitlines()[2:]

    assert rows[2] == "| 3 | 2 | 1 | 10,000 | 0.5 |"
    assert all("made before this run" in row for row in rows[:2])


@pytest.mark.parametrize("part", [card.weighing, card.thresholds])
def test_shipped_card_says_what_the_folder_holds(part: card.Part) -> None:
    """A new threshold or weight needs a new card."""
    assert part(SHIPPED) in (SHIPPED / card.CARD).read_text(encoding="utf-8")


def test_shipped_card_lists_the_mixture() -> None:
    """Every source and kind of the file."""
    text = (SHIPPED / card.CARD).read_text(encoding="utf-8")
    mixture = read_mixture(MIXTURE)

    assert card.sources(mixture) in text
    assert card.families(mixture) in text
    assert card.unstated(card.ABLATIONS) in text


def test_shipped_manifest_names_the_sources_of_the_mixture() -> None:
    """None is missing and none is left over."""
    assert list(read_manifest(SHIPPED).training_sources) == training_sources(read_mixture(MIXTURE))


def test_shipped_card_has_what_the_model_says() -> None:
    """Another model answers otherwise."""
    text = (SHIPPED / card.CARD).read_text(encoding="utf-8")

    assert card.probes(load(SHIPPED)) in text


def test_shipped_card_has_the_measured_parity() -> None:
    """The result is of the file in the folder."""
    path = RESULTS / "parity.json"

    assert card.parity(path) in (SHIPPED / card.CARD).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("part", "said"),
    [(card.thresholds, "no thresholds yet"), (lambda at: card.parity(at / "p"), "not compared")],
)
def test_what_is_missing_is_said(part: card.Part, said: str, tmp_path: Path) -> None:
    """No empty table, and no number of another model."""
    assert said in part(tmp_path)
