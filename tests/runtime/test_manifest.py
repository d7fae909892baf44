"""Manifests broken in every way, and files that are not the ones they name."""

import dataclasses
import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from gatekeeper.errors import ManifestError, ModelError, ModelFileError, ModelMissingError
from gatekeeper.runtime import manifest as module
from gatekeeper.runtime.manifest import (
    MANIFEST,
    MODEL,
    TOKENIZER,
    model_folder,
    read_manifest,
    shipped_models,
    verify,
)

Edit = Callable[[str, str], Path]
LABELS = 'labels = ["entailment", "neutral", "contradiction"]'
DIRECTION = 'direction = "premise_first"'
TEMPLATE = 'template = "[CLS] {premise} [SEP] {hypothesis} [SEP]"'


def replace_model(folder: Path, content: bytes) -> None:
    """Put other bytes in the model's place and their hash into the manifest."""
    path = folder / MODEL
    path.unlink()
    path.write_bytes(content)
    old, new = read_manifest(folder).files[MODEL], hashlib.sha256(content).hexdigest()
    manifest = folder / MANIFEST
    manifest.write_text(manifest.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


def test_shipped_folder_is_whole() -> None:
    """The files in the repository are the ones whose scores the manifest holds."""
    manifest = verify(model_folder("minilm-l6-nli"))

    assert manifest.name == "minilm-l6-nli"
    assert manifest.labels == ("entailment", "neutral", "contradiction")
    assert len(manifest.self_test) == 16
    assert {MODEL, TOKENIZER} <= set(manifest.files)


def test_shipped_models_are_found_by_name() -> None:
    """The list and the folder of a name come from the same places."""
    names = shipped_models()

    assert "minilm-l6-nli" in names
    assert all((model_folder(name) / MANIFEST).is_file() for name in names)


def test_unknown_model_is_a_clear_error() -> None:
    """A typing error in a name must not look like a broken installation."""
    with pytest.raises(ModelMissingError, match="no-such-model"):
        model_folder("no-such-model")


def test_installed_package_finds_its_own_models_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside an installed package a folder "models" is somebody else's."""
    package = tmp_path / "site-packages" / "gatekeeper"
    for folder in (package / "models" / "mine", package.parent / "models" / "theirs"):
        folder.mkdir(parents=True)
        (folder / MANIFEST).touch()
    monkeypatch.setattr(module, "__file__", str(package / "runtime" / "manifest.py"))

    assert shipped_models() == ("mine",)
    assert model_folder("mine") == package / "models" / "mine"


@pytest.mark.parametrize("name", ["nothing", "empty"])
def test_folder_without_a_manifest_is_no_model(name: str, tmp_path: Path) -> None:
    """A wrong path is told apart from a broken model."""
    (tmp_path / "empty").mkdir()

    with pytest.raises(ModelMissingError, match=name):
        read_manifest(tmp_path / name)


@pytest.mark.parametrize(
    "content", [b"name = ", b"\xff\xfe", b"a = " + b"[" * 5000, b"a = " + b"1" * 5000]
)
def test_manifest_that_is_no_toml_is_refused(content: bytes, copied: Path) -> None:
    """Half a file, another file under the name, or one made to break its reader."""
    (copied / MANIFEST).write_bytes(content)

    with pytest.raises(ManifestError, match="no TOML"):
        read_manifest(copied)


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("format = 1", "format = 2", "format = 2"),
        ("format = 1", "format = true", "format = True, expected format: 1"),
        ("format = 1", "format = 1.0", "format = 1.0"),
        ("format = 1", "", "no format"),
        ('name = "minilm-l6-nli"', 'name = " "', "name = ' '"),
        ('licence = "Apache-2.0"', "licence = 2", "licence = 2"),
        ("training_sources = [", "training_sources = []\nothers = [", "training_sources"),
        (LABELS, "labels = []", r"labels = \[\]"),
        (LABELS, 'labels = ["yes", "no"]', "'yes', 'no'"),
        (LABELS, LABELS.replace("neutral", "entailment"), "entailment"),
        (LABELS, 'labels = ["entailment", "neutral"]', "'entailment', 'neutral'"),
        (DIRECTION, 'direction = "hypothesis_first"', "hypothesis_first"),
        (DIRECTION, 'direction = "both"', "both"),
        (TEMPLATE, 'template = "{hypothesis} {premise}"', "premise_first"),
        (TEMPLATE, 'template = "{premise}"', "{premise}"),
        (TEMPLATE, 'template = "{premise} {hypothesis} {premise}"', "{premise}"),
        ("max_tokens = 256", "max_tokens = 8", "max_tokens = 8"),
        ("max_tokens = 256", "max_tokens = true", "max_tokens = True"),
        ("window = 6", "window = 0", "window = 0"),
        ("window = 6", f"window = 0x{'f' * 9000}", "window = a number that is too long"),
        ("temperature = ", "temperature = 0.0 #", "temperature = 0.0"),
        ("temperature = ", "temperature = nan #", "temperature = nan"),
        ("[files]", "[others]", "no files"),
        ('"tokenizer.json" = ', '"words.json" = ', "tokenizer.json"),
        ('"tokenizer.json" = ', '"../tokenizer.json" = ', r"\.\./tokenizer.json"),
        ('"tokenizer.json" = ', '"/etc/tokenizer.json" = ', "/etc/tokenizer.json"),
        ('"tokenizer.json" = "', '"tokenizer.json" = "x', "tokenizer.json"),
        ("[files]", f"[files]\nx = 0x{'f' * 9000}", r"files\['x'\] = a number that is too long"),
        ('label = "entailment"', 'label = "maybe"', "maybe"),
        ('label = "entailment"', "", r"self_test\[0\] no label"),
        ("entailment = 0.", "entailment = 10.", r"self_test\[0\] entailment = 10"),
    ],
)
def test_impossible_entry_is_named(old: str, new: str, found: str, edited: Edit) -> None:
    """The error names the entry and its value, so that it can be corrected without guessing."""
    with pytest.raises(ManifestError, match=found):
        read_manifest(edited(old, new))


def test_all_faults_are_named_at_once(edited: Edit) -> None:
    """Correcting one fault only to meet the next wastes an afternoon."""
    edited("window = 6", "window = 0")
    folder = edited("max_tokens = 256", 'max_tokens = "many"')

    with pytest.raises(ManifestError) as caught:
        read_manifest(folder)

    assert "window = 0" in caught.value.found
    assert "max_tokens = 'many'" in caught.value.found
    assert "window: 1 to" in caught.value.expected


def test_self_test_that_is_no_list_of_tables_is_refused(copied: Path) -> None:
    """Without pairs nothing could prove label order and direction."""
    path = copied / MANIFEST
    head = path.read_text(encoding="utf-8").partition("[[self_test]]")[0]
    path.write_text(head.replace("[files]", "self_test = [1]\n[files]"), encoding="utf-8")

    with pytest.raises(ManifestError, match=r"self_test = \[1\]"):
        read_manifest(copied)


@pytest.mark.parametrize("name", [MODEL, TOKENIZER])
def test_missing_file_is_named(name: str, copied: Path) -> None:
    """A model folder copied by halves."""
    (copied / name).unlink()

    with pytest.raises(ModelFileError, match=f"{name}: found no file"):
        verify(copied)


@pytest.mark.parametrize("name", [MODEL, TOKENIZER])
def test_changed_file_is_named(name: str, copied: Path) -> None:
    """One byte more is another model, and its scores are not the calibrated ones."""
    path = copied / name
    content = path.read_bytes()
    path.unlink()
    path.write_bytes(content + b" ")

    with pytest.raises(ModelFileError, match=f"{name}: found sha256") as caught:
        verify(copied)

    assert caught.value.path == path


@pytest.mark.parametrize(("method", "name"), [("read_text", MANIFEST), ("read_bytes", MODEL)])
def test_file_that_can_not_be_read_is_a_fault(
    method: str, name: str, copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder installed by somebody else for themselves is a model fault, not a traceback."""
    real: Callable[..., object] = getattr(Path, method)

    def refuse(path: Path, **options: str) -> object:
        if path.name == name:
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, **options)

    monkeypatch.setattr(Path, method, refuse)

    with pytest.raises(ModelError, match=f"{name}: found permission denied"):
        verify(copied)


def test_calibration_is_no_file_of_the_model(copied: Path) -> None:
    """Thresholds are refitted without touching the model, so they may change under a manifest."""
    path = copied / "calibration.json"
    path.unlink(missing_ok=True)
    path.write_text("{}", encoding="utf-8")

    verify(copied)


@pytest.mark.parametrize(
    "entry",
    [
        b"\x0a\x08location\x12\x0b../elsewhere",
        b"\x0a\x08location\x12\x0b/etc/passwd",
        b"\x0a\x08location\x12\x0bweights.bin",
        b"\x0a\x08location\x1a\x0bmodel.onnxx",
        b"\x0a\x88\x00location\x12\x0amodel.onnx",
    ],
)
def test_external_data_must_be_named_by_the_manifest(entry: bytes, copied: Path) -> None:
    """Weights in a file that nobody hashed could be anyone's, or outside the folder."""
    replace_model(copied, b"\x08\x09" + entry)

    with pytest.raises(ModelFileError, match="external data"):
        verify(copied)


def test_external_data_named_by_the_manifest_is_allowed(copied: Path, edited: Edit) -> None:
    """Models of more than 2 GB can't be one file."""
    replace_model(copied, b"\x0a\x08location\x12\x0bweights.bin")
    (copied / "weights.bin").write_bytes(b"weights")
    digest = hashlib.sha256(b"weights").hexdigest()

    manifest = verify(edited("[files]", f'[files]\n"weights.bin" = "{digest}"'))

    assert manifest.files["weights.bin"] == digest


def test_fingerprint_covers_what_changes_a_score() -> None:
    """Figures of models that score differently must never be pooled."""
    manifest = read_manifest(model_folder("minilm-l6-nli"))
    others = [
        dataclasses.replace(manifest, temperature=2.0),
        dataclasses.replace(manifest, labels=manifest.labels[::-1]),
        dataclasses.replace(manifest, files={**manifest.files, MODEL: "0" * 64}),
        dataclasses.replace(manifest, max_tokens=128),
    ]

    assert len({manifest.fingerprint, *(other.fingerprint for other in others)}) == 5
    assert dataclasses.replace(manifest, licence="other").fingerprint == manifest.fingerprint
