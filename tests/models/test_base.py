"""Finding the base encoder: only the files the recipe was written with."""

import hashlib
from pathlib import Path

import pytest
from tokenizers import Tokenizer

from models import base
from tests.models.toy import write_tokenizer


@pytest.fixture
def encoder(tmp_path: Path) -> tuple[Path, dict[str, str]]:
    """A folder like the package's, and the hashes of its files."""
    folder = tmp_path / "package"
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    write_tokenizer(folder / "tokenizer.json")
    cutting = Tokenizer.from_file(str(folder / "tokenizer.json"))
    cutting.enable_truncation(8)
    cutting.save(str(folder / "tokenizer.json"))
    names = ("config.json", "tokenizer.json")
    return folder, {n: hashlib.sha256((folder / n).read_bytes()).hexdigest() for n in names}


def test_encoder_is_copied_without_its_own_lengths(
    encoder: tuple[Path, dict[str, str]], tmp_path: Path
) -> None:
    """A tokenizer that cuts by itself would cut the claim off."""
    base.copy_base(encoder[0], tmp_path / "out", encoder[1])

    copied = Tokenizer.from_file(str(tmp_path / "out" / "tokenizer.json"))
    assert copied.truncation is None
    assert (tmp_path / "out" / "config.json").read_text() == "{}"


def test_another_file_is_refused(encoder: tuple[Path, dict[str, str]], tmp_path: Path) -> None:
    """Weights of an unknown origin would carry the card of the known one."""
    folder, expected = encoder
    (folder / "config.json").write_text('{"hidden_size": 1}')

    with pytest.raises(base.BaseEncoderError, match=expected["config.json"]):
        base.copy_base(folder, tmp_path / "out", expected)
    (folder / "config.json").unlink()
    with pytest.raises(base.BaseEncoderError, match="missing"):
        base.copy_base(folder, tmp_path / "out", expected)

    assert not (tmp_path / "out").exists()


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message says which dependency group brings it."""
    monkeypatch.setattr(base, "PACKAGE", "no_such_encoder")

    with pytest.raises(base.BaseEncoderError, match="group train"):
        base.package_folder()
