"""The shipped model, loaded once, and copies of its folder to break."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from gatekeeper.runtime.manifest import MANIFEST, model_folder
from gatekeeper.runtime.session import Session, load

SHIPPED = "minilm-l6-nli"
Edit = Callable[[str, str], Path]


@pytest.fixture(scope="session")
def shipped() -> Session:
    """The model as it ships, on one thread."""
    return load(model_folder(SHIPPED), threads=1)


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy of the shipped folder whose large files are links."""
    folder = tmp_path / SHIPPED
    folder.mkdir()
    for path in model_folder(SHIPPED).iterdir():
        if path.name == MANIFEST:
            shutil.copyfile(path, folder / path.name)
        else:
            (folder / path.name).symlink_to(path)
    return folder


@pytest.fixture
def edited(copied: Path) -> Edit:
    """Replace one text in the copy's manifest and return the folder."""

    def edit(old: str, new: str) -> Path:
        path = copied / MANIFEST
        text = path.read_text(encoding="utf-8")
        if old not in text:
            raise ValueError(f"{old!r} is not in the manifest")
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        return copied

    return edit
