"""Text to token ids, and two texts to the input of the model.

Premise and hypothesis are encoded apart and joined here: the premise is cut at its end if need be,
the hypothesis never, and the tokenizer keeps no padding or truncation state that two calls could
fight over. A literal "[SEP]" in a passage is text.
"""

import os
import re
from functools import lru_cache
from pathlib import Path

# Before the import: with its own threads on, a fork after first use warns or hangs.
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

from tokenizers import Encoding, Tokenizer

from gatekeeper.errors import ManifestError, ModelFileError
from gatekeeper.protocols import EncodedPair
from gatekeeper.runtime.manifest import MANIFEST, TOKENIZER, Manifest

# A premise cut to fewer tokens than this says nothing; a shorter one that fits whole is fine.
LEAST_PREMISE_TOKENS = 16
# Texts whose ids are kept: the windows and claims of a few answers. A premise meets many claims.
REMEMBERED_TEXTS = 1024

_SURROGATE = re.compile("[\ud800-\udfff]")


class PairTokenizer:
    """The tokenizer of one model, with its template."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self._tokenizer = _read_tokenizer(folder / TOKENIZER)
        self._max_tokens = manifest.max_tokens
        self._remembered = lru_cache(maxsize=REMEMBERED_TEXTS)(self._ids)
        self._unknown = _unknown_id(self._tokenizer)
        self._premise_first = manifest.template.index("{premise}") < manifest.template.index(
            "{hypothesis}"
        )
        self._before, self._between, self._after = self._template_ids(folder, manifest.template)

    def encode_text(self, text: str) -> tuple[int, ...]:
        """Return the ids of a text, no special tokens; the latest texts are remembered."""
        return self._remembered(text)

    def join(self, premise: tuple[int, ...], hypothesis: tuple[int, ...]) -> EncodedPair | None:
        """Put two texts into the template; None if too little room is left for the premise."""
        fixed = len(self._before) + len(self._between) + len(self._after)
        room = self._max_tokens - fixed - len(hypothesis)
        if room < min(len(premise), LEAST_PREMISE_TOKENS):
            return None
        premise = premise[:room]
        first, second = (premise, hypothesis) if self._premise_first else (hypothesis, premise)
        # As BERT was trained: type 0 up to the first separator and with it, 1 from there on.
        head = self._before + first + self._between
        tail = second + self._after
        return EncodedPair(ids=head + tail, type_ids=(0,) * len(head) + (1,) * len(tail))

    def unknown_words(self, text: str) -> tuple[str, ...]:
        """Return the words the vocabulary can't spell, as they stand in the text.

        The model sees one and the same token for all of them, so it can't tell them apart. Among
        them are words of more than 100 characters and scripts the vocabulary has no letters of.
        """
        encoding = self._encode(text)
        pairs = zip(encoding.ids, encoding.offsets, strict=True)
        return tuple(text[start:end] for token, (start, end) in pairs if token == self._unknown)

    def unknown_share(self, text: str) -> float:
        """Return the share of a text's tokens that are unknown, in [0, 1]; 0.0 without tokens."""
        ids = self.encode_text(text)
        return ids.count(self._unknown) / len(ids) if ids else 0.0

    def _ids(self, text: str) -> tuple[int, ...]:
        return tuple(self._encode(text).ids)

    def _encode(self, text: str) -> Encoding:
        # Half a surrogate pair, which JSON can carry, is no character to the tokenizer.
        whole = _SURROGATE.sub("\ufffd", text)
        return self._tokenizer.encode(whole, add_special_tokens=False)

    def _template_ids(self, folder: Path, template: str) -> list[tuple[int, ...]]:
        """Return the special tokens before, between and after the two texts."""
        parts = template.replace("{hypothesis}", "{premise}").split("{premise}")
        found = [tuple(map(self._tokenizer.token_to_id, part.split())) for part in parts]
        known = [tuple(token for token in ids if token is not None) for ids in found]
        if found != known:
            raise ManifestError(
                folder / MANIFEST, f"template {template!r}", f"only tokens of its {TOKENIZER}"
            )
        return known


def _read_tokenizer(path: Path) -> Tokenizer:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ModelFileError(path, f"no readable file ({error})", "a tokenizer") from error
    try:
        tokenizer = Tokenizer.from_str(text)
    except Exception as error:  # what the library raises is a bare Exception, no subclass
        raise ModelFileError(path, f"no tokenizer ({error})", "a tokenizer") from error
    tokenizer.no_padding()
    tokenizer.no_truncation()
    tokenizer.encode_special_tokens = True
    return tokenizer


def _unknown_id(tokenizer: Tokenizer) -> int | None:
    name = getattr(tokenizer.model, "unk_token", None)
    return tokenizer.token_to_id(name) if isinstance(name, str) else None
