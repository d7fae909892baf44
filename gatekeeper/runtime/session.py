"""The model at work: one ONNX session, pairs in, temperature-scaled probabilities out.

To be created in the process that uses it, after any fork, and used from one thread.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnxruntime
from onnxruntime.capi import onnxruntime_pybind11_state as runtime_errors

from gatekeeper.errors import InferenceError, ManifestError, ModelFileError
from gatekeeper.protocols import EncodedPair, PairScore
from gatekeeper.runtime.manifest import (
    CONTRADICTION,
    ENTAILMENT,
    MANIFEST,
    MODEL,
    Manifest,
    read_manifest,
)
from gatekeeper.runtime.manifest import verify as verify_files
from gatekeeper.runtime.threads import usable_threads
from gatekeeper.runtime.tokens import PairTokenizer

REQUIRED_INPUTS = {"input_ids", "attention_mask"}
OPTIONAL_INPUTS = {"token_type_ids"}

# What the runtime raises; it has no common base of its own.
RUNTIME_ERRORS = (
    runtime_errors.EPFail,
    runtime_errors.Fail,
    runtime_errors.InvalidArgument,
    runtime_errors.InvalidGraph,
    runtime_errors.InvalidProtobuf,
    runtime_errors.NoSuchFile,
    runtime_errors.NotImplemented,
    runtime_errors.RuntimeException,
)


class Session:
    """An entailment model, see ``gatekeeper.protocols.Model``; made by ``load``."""

    def __init__(
        self, manifest: Manifest, tokens: PairTokenizer, runtime: onnxruntime.InferenceSession
    ) -> None:
        self.manifest = manifest
        self.tokens = tokens
        self._runtime = runtime
        self._inputs = {given.name for given in runtime.get_inputs()}
        self._entailment = manifest.labels.index(ENTAILMENT)
        self._contradiction = (
            manifest.labels.index(CONTRADICTION) if CONTRADICTION in manifest.labels else None
        )

    @property
    def fingerprint(self) -> str:
        """sha256 over the model files and the manifest's settings, hexadecimal."""
        return self.manifest.fingerprint

    def encode(self, premise: str, hypothesis: str) -> EncodedPair | None:
        """Encode a pair; None if the hypothesis leaves too little room for a premise."""
        return self.tokens.join(
            self.tokens.encode_text(premise), self.tokens.encode_text(hypothesis)
        )

    def unknown_words(self, text: str) -> tuple[str, ...]:
        """Return the words the model can't tell from one another, as they stand in the text."""
        return self.tokens.unknown_words(text)

    def score(self, pairs: Sequence[EncodedPair], *, width: int = 0) -> list[PairScore]:
        """Run one forward pass over the pairs, in order. Blocking.

        Args:
            pairs: Any number, also none.
            width: Pad to this many tokens if the longest pair is shorter.

        Raises:
            InferenceError: If the runtime fails or a logit is not finite.
        """
        if not pairs:
            return []
        logits = self.logits(pairs, width=width)
        if not np.isfinite(logits).all():
            raise InferenceError("the model gave a number that is none (NaN or infinity)")
        scaled = probabilities(logits, temperature=self.manifest.temperature)
        return [self._pair_score(row) for row in scaled]

    def logits(self, pairs: Sequence[EncodedPair], *, width: int = 0) -> npt.NDArray[np.float64]:
        """Return the raw outputs, shape ``(pairs, classes)``, classes in manifest order.

        Args:
            pairs: At least one.
            width: Pad to this many tokens if the longest pair is shorter.

        Raises:
            InferenceError: If the runtime fails.
        """
        try:
            found = self._runtime.run(None, _padded(pairs, width, self._inputs))[0]
        except RUNTIME_ERRORS as error:
            raise InferenceError(f"the forward pass failed: {error}") from error
        return np.asarray(found, dtype=np.float64)

    def _pair_score(self, row: npt.NDArray[np.float64]) -> PairScore:
        contradiction = 0.0 if self._contradiction is None else float(row[self._contradiction])
        return PairScore(entailment=float(row[self._entailment]), contradiction=contradiction)


@dataclass(frozen=True, slots=True, kw_only=True)
class _FullLength(EncodedPair):
    """A pair that takes as long as one of ``width`` tokens, and says so to whoever plans passes."""

    width: int

    @property
    def tokens(self) -> int:
        """What a pass over it costs; its ids may be fewer."""
        return self.width


class LoneSession:
    """A session for where scores move with the batch: each pair in a pass of its own.

    All passes have the model's full length, so there is one shape and with it one score a pair.
    Several times slower than ``Session``; its pairs count as pairs of full length.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self._width = session.manifest.max_tokens

    @property
    def fingerprint(self) -> str:
        """The session's: weights and settings are the same."""
        return self.session.fingerprint

    def encode(self, premise: str, hypothesis: str) -> EncodedPair | None:
        """Encode a pair, see ``Session.encode``."""
        pair = self.session.encode(premise, hypothesis)
        if pair is None:
            return None
        return _FullLength(ids=pair.ids, type_ids=pair.type_ids, width=self._width)

    def unknown_words(self, text: str) -> tuple[str, ...]:
        """Return the words the model can't tell from one another, as they stand in the text."""
        return self.session.unknown_words(text)

    def score(self, pairs: Sequence[EncodedPair]) -> list[PairScore]:
        """Run a forward pass for each pair, in order. Blocking.

        Raises:
            InferenceError: As ``Session.score``.
        """
        plain = [EncodedPair(ids=pair.ids, type_ids=pair.type_ids) for pair in pairs]
        return [self.session.score([pair], width=self._width)[0] for pair in plain]


def load(folder: Path, *, threads: int | None = None, verify: bool = True) -> Session:
    """Load a model folder and try one pass at its full length.

    Args:
        folder: Holds manifest, model and tokenizer.
        threads: Threads of one forward pass; None for what this process may use.
        verify: Compare the files with their hashes first (some 20 ms for the shipped model).

    Raises:
        ModelError: If folder, manifest or a file is not what it should be, or if they don't go
            together: inputs, number of labels, length.
    """
    manifest = verify_files(folder) if verify else read_manifest(folder)
    tokens = PairTokenizer(folder, manifest)
    path = folder / MODEL
    try:
        runtime = onnxruntime.InferenceSession(
            path, _options(threads or usable_threads()), providers=["CPUExecutionProvider"]
        )
    except RUNTIME_ERRORS as error:
        raise ModelFileError(path, f"no loadable model ({error})", "an ONNX model") from error
    _check_inputs(path, runtime)
    session = Session(manifest, tokens, runtime)
    _try_full_length(folder / MANIFEST, session)
    return session


def _options(threads: int) -> onnxruntime.SessionOptions:
    options = onnxruntime.SessionOptions()
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    # An explicit number also keeps the runtime from pinning threads, which fails under cpusets.
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Idle threads that spin take processor time from the application.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_session_config_entry("session.inter_op.allow_spinning", "0")
    # A memory pattern is kept for every shape ever seen, and here nearly every batch is a new
    # one. The arena stays: its size follows the largest pass, and passes are capped.
    options.enable_mem_pattern = False
    options.log_severity_level = 3
    return options


def _check_inputs(path: Path, runtime: onnxruntime.InferenceSession) -> None:
    found = {given.name for given in runtime.get_inputs()}
    if not REQUIRED_INPUTS <= found <= REQUIRED_INPUTS | OPTIONAL_INPUTS:
        raise ModelFileError(
            path,
            f"inputs {sorted(found)}",
            f"{sorted(REQUIRED_INPUTS)} and at most {sorted(OPTIONAL_INPUTS)} beside them",
        )


def _try_full_length(path: Path, session: Session) -> None:
    """Prove that the model takes ``max_tokens`` tokens and gives one logit a label."""
    longest = session.manifest.max_tokens
    labels = session.manifest.labels
    pair = EncodedPair(ids=(0,) * longest, type_ids=(0,) * longest)
    try:
        shape = session.logits([pair]).shape
    except InferenceError as error:
        found = f"max_tokens {longest}, at which {error}"
        raise ManifestError(path, found, "no more tokens than the model has positions") from error
    if shape != (1, len(labels)):
        found = f"{len(labels)} labels for an output of shape {list(shape)}"
        raise ManifestError(path, found, "one label for each logit, shape [pairs, labels]")


def _padded(
    pairs: Sequence[EncodedPair], width: int, names: set[str]
) -> dict[str, npt.NDArray[np.int64]]:
    """Return the model's inputs; short rows are filled up with masked zeros."""
    shape = (len(pairs), max(width, *(pair.tokens for pair in pairs)))
    ids, mask, types = (np.zeros(shape, dtype=np.int64) for _ in range(3))
    for row, pair in enumerate(pairs):
        ids[row, : pair.tokens] = pair.ids
        mask[row, : pair.tokens] = 1
        types[row, : pair.tokens] = pair.type_ids
    filled = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
    return {name: array for name, array in filled.items() if name in names}


def probabilities(
    logits: npt.NDArray[np.float64], *, temperature: float = 1.0
) -> npt.NDArray[np.float64]:
    """Return the softmax of each row, with every logit divided by the temperature before."""
    scaled = logits / temperature
    exponentials = np.exp(scaled - scaled.max(axis=1, keepdims=True))
    return np.asarray(exponentials / exponentials.sum(axis=1, keepdims=True))
