"""A model folder's manifest: what the model is, and proof that its files are the ones meant.

Checked by hand, all faults at once, before anything heavy is loaded. ``calibration.json`` lies in
the folder but is no file of the model: thresholds change without the model, so it isn't hashed.
"""

import hashlib
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from gatekeeper.errors import ManifestError, ModelFileError, ModelMissingError
from gatekeeper.runtime.fields import Faults, shown

FORMAT = 1
MANIFEST = "manifest.toml"
MODEL = "model.onnx"
TOKENIZER = "tokenizer.json"

ENTAILMENT, NEUTRAL, CONTRADICTION = "entailment", "neutral", "contradiction"
NOT_ENTAILMENT = "not_entailment"
LABEL_SETS = (
    frozenset({ENTAILMENT, NEUTRAL, CONTRADICTION}),
    frozenset({ENTAILMENT, NOT_ENTAILMENT}),
)
PREMISE_FIRST, HYPOTHESIS_FIRST = "premise_first", "hypothesis_first"


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfTestPair:
    """A pair whose label is beyond doubt, with the scores the model gave when it was made."""

    premise: str
    hypothesis: str
    label: str
    entailment: float
    contradiction: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What a manifest says, checked.

    ``labels`` are in the order of the logits. ``template`` is the input as the model was trained
    on it, special tokens by name around ``{premise}`` and ``{hypothesis}``. ``window`` is the
    largest number of sentences a premise should have. ``files`` maps names to sha256.
    """

    name: str
    licence: str
    training_sources: tuple[str, ...]
    labels: tuple[str, ...]
    direction: str
    template: str
    max_tokens: int
    window: int
    temperature: float
    files: Mapping[str, str]
    self_test: tuple[SelfTestPair, ...]

    @property
    def fingerprint(self) -> str:
        """sha256 over the files' hashes and every entry that changes a score, hexadecimal."""
        entries = [f"{name}={digest}" for name, digest in sorted(self.files.items())]
        settings = (self.labels, self.direction, self.template, self.max_tokens, self.window)
        entries.extend(map(repr, (*settings, self.temperature)))
        return hashlib.sha256("\n".join(entries).encode()).hexdigest()


def read_manifest(folder: Path) -> Manifest:
    """Read and check ``manifest.toml``; the files it names are not opened.

    Raises:
        ModelMissingError: If there is no such folder or no manifest in it.
        ManifestError: If it is no TOML, or says something impossible; it names every fault.
    """
    path = folder / MANIFEST
    if not path.is_file():
        raise ModelMissingError(folder)
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ManifestError(path, _refusal(error), "a manifest") from error
    except (ValueError, RecursionError) as error:  # also a number too long, or lists too deep
        raise ManifestError(path, f"no TOML ({error})", "a manifest") from error
    faults = Faults(raw)
    manifest = _manifest(faults)
    if faults.found:
        raise ManifestError(path, "; ".join(faults.found), "; ".join(faults.expected))
    return manifest


def verify(folder: Path) -> Manifest:
    """Read the manifest and compare every file it names with its sha256.

    Raises:
        ModelError: As ``read_manifest``; ModelFileError if a file is missing or was changed, or
            if the model refers to data that the manifest doesn't name.
    """
    manifest = read_manifest(folder)
    for name, digest in manifest.files.items():
        path = folder / name
        if not path.is_file():
            raise ModelFileError(path, "no file", f"sha256 {digest}")
        content = _content(path, digest)
        found = hashlib.sha256(content).hexdigest()
        if found != digest:
            raise ModelFileError(path, f"sha256 {found}", f"sha256 {digest}")
        if name == MODEL:
            _refuse_foreign_data(path, content, manifest.files)
    return manifest


def shipped_models() -> tuple[str, ...]:
    """Return the names of the models that came with the package, sorted."""
    found = (place.glob(f"*/{MANIFEST}") for place in _places())
    return tuple(sorted({path.parent.name for paths in found for path in paths}))


def model_folder(name: str) -> Path:
    """Return the folder of a shipped model, in an installed package or in a checkout.

    Raises:
        ModelMissingError: If no such model came with the package.
    """
    folders = [place / name for place in _places()]
    for folder in folders:
        if (folder / MANIFEST).is_file():
            return folder
    raise ModelMissingError(folders[0])


def _places() -> Iterator[Path]:
    package = Path(__file__).resolve().parents[1]
    yield package / "models"
    # Beside an installed package the name "models" may be anybody's.
    if (package.parent / "pyproject.toml").is_file():
        yield package.parent / "models"


def _manifest(faults: Faults) -> Manifest:
    faults.whole("format", least=FORMAT, most=FORMAT)
    manifest = Manifest(
        name=faults.text("name"),
        licence=faults.text("licence"),
        training_sources=faults.texts("training_sources"),
        labels=faults.texts("labels"),
        direction=faults.text("direction"),
        template=faults.text("template"),
        max_tokens=faults.whole("max_tokens", least=32, most=8192),
        window=faults.whole("window", least=1, most=100),
        temperature=faults.number("temperature", least=0.01, most=100.0),
        files=_files(faults),
        self_test=tuple(_self_test(faults)),
    )
    _check_labels(manifest, faults)
    _check_direction(manifest, faults)
    return manifest


def _content(path: Path, digest: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ModelFileError(path, _refusal(error), f"sha256 {digest}") from error


def _refusal(error: OSError) -> str:
    return (error.strerror or "an error while reading").lower()


def _files(faults: Faults) -> Mapping[str, str]:
    files: dict[str, Any] = faults.table("files")
    for name, digest in files.items():
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts or "\\" in name:
            faults.add(f"file {name!r}", "names inside the model's folder")
        if not (isinstance(digest, str) and len(digest) == 64 and set(digest) <= _HEXADECIMAL):
            faults.add(f"files[{name!r}] = {shown(digest)}", "64 hexadecimal digits of a sha256")
    missing = {MODEL, TOKENIZER} - files.keys()
    if missing:
        faults.add(f"no entry files[{min(missing)!r}]", f"at least {MODEL} and {TOKENIZER}")
    return files


_HEXADECIMAL = frozenset("0123456789abcdef")


def _self_test(faults: Faults) -> Iterator[SelfTestPair]:
    for pair in faults.tables("self_test"):
        yield SelfTestPair(
            premise=pair.text("premise"),
            hypothesis=pair.text("hypothesis"),
            label=pair.text("label"),
            entailment=pair.number("entailment", least=0.0, most=1.0),
            contradiction=pair.number("contradiction", least=0.0, most=1.0),
        )
        faults.take(pair)


def _check_labels(manifest: Manifest, faults: Faults) -> None:
    labels = set(manifest.labels)
    if labels not in LABEL_SETS or len(labels) != len(manifest.labels):
        wanted = " or ".join(str(sorted(one)) for one in LABEL_SETS)
        faults.add(f"labels {list(manifest.labels)}", f"labels {wanted}, in the logits' order")
    unknown = {pair.label for pair in manifest.self_test} - frozenset[str]().union(*LABEL_SETS)
    if unknown:
        faults.add(f"self_test label {min(unknown)!r}", "a label the model can give")


def _check_direction(manifest: Manifest, faults: Faults) -> None:
    counts = [manifest.template.count(part) for part in ("{premise}", "{hypothesis}")]
    if counts != [1, 1]:
        wanted = "{premise} and {hypothesis} once each"
        faults.add(f"template {manifest.template!r}", wanted)
        return
    order = manifest.template.index("{premise}") < manifest.template.index("{hypothesis}")
    implied = PREMISE_FIRST if order else HYPOTHESIS_FIRST
    if manifest.direction != implied:
        found = f"direction {manifest.direction!r}"
        faults.add(found, f"{implied!r}, as in the template {manifest.template!r}")


def _refuse_foreign_data(path: Path, content: bytes, files: Mapping[str, str]) -> None:
    """Refuse a model whose tensors lie in files that weren't hashed.

    In an ONNX file external data is an entry with the key "location" and a path. The key is looked
    for as bytes: whatever stands behind it has to be a listed name, or the model is refused.
    """
    key = b"\x0a\x08location"
    start = content.find(b"location")
    while start >= 0:
        name = _entry_value(content, start + len(b"location"))
        if content[start - 2 : start + 8] != key or name not in files:
            raise ModelFileError(path, f"external data at {name!r}", "data the manifest names")
        start = content.find(b"location", start + 1)


def _entry_value(content: bytes, at: int) -> str:
    """Return the string field 2 at an offset, "" if there is none (lengths under 128 only)."""
    if content[at : at + 1] != b"\x12":
        return ""
    length = content[at + 1]
    return content[at + 2 : at + 2 + length].decode("utf-8", errors="replace")
