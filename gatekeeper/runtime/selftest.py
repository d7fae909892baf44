"""The self-test: does this model, on this machine, score what it must and always the same?

Label order and direction are proven by pairs whose answer is beyond doubt, through the same
``encode`` and ``score`` as every request. Equality of a pair alone, among others and padded
depends on processor and runtime version, so it is measured where the model runs.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from gatekeeper.errors import SelfTestError
from gatekeeper.protocols import EncodedPair, Model, PairScore
from gatekeeper.runtime.manifest import CONTRADICTION, ENTAILMENT, Manifest, SelfTestPair

TOLERANCE = 0.02  # from the stored scores: more moves verdicts at the calibrated threshold
INVARIANCE = 1e-5  # in probability, between any two ways to run one pair
# Mean P(entailment) of good pairs over that of bad ones. A head of random weights or with its
# labels in another order stays near 0 or below; the shipped model has 0.8.
LEAST_SEPARATION = 0.3

ADVICE = "correct `labels` and `direction` in manifest.toml, or use another model"


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfTestReport:
    """What the self-test measured.

    ``largest_difference`` is from the stored scores, ``largest_shift`` between one pair's runs
    alone, in a batch and padded; both in probability. ``separation`` is the mean P(entailment)
    of good pairs less that of bad ones.
    """

    pairs: int
    largest_difference: float
    largest_shift: float
    separation: float

    @property
    def matches(self) -> bool:
        """True if every score is the stored one within 0.02; otherwise nothing may be enforced."""
        return self.largest_difference <= TOLERANCE

    @property
    def is_invariant(self) -> bool:
        """True if a pair's score does not depend on its batch, within 1e-5."""
        return self.largest_shift <= INVARIANCE


def self_test(model: Model, manifest: Manifest) -> SelfTestReport:
    """Score the manifest's pairs alone, batched and padded.

    Raises:
        SelfTestError: If the label order is wrong, the direction is reversed, or good and bad
            pairs are not told apart.
        InferenceError: If a pass fails.
    """
    pairs = [_encoded(model, pair) for pair in manifest.self_test]
    alone = [model.score([pair])[0] for pair in pairs]
    separation, difference = _prove(manifest, alone)
    # Whoever shares a pass with a row of full length is padded to that length.
    filler = EncodedPair(ids=(0,) * manifest.max_tokens, type_ids=(0,) * manifest.max_tokens)
    padded = [model.score([pair, filler])[0] for pair in pairs]
    shifts = (_difference(alone, model.score(pairs)), _difference(alone, padded))
    return SelfTestReport(
        pairs=len(pairs),
        largest_difference=difference,
        largest_shift=max(shifts),
        separation=separation,
    )


def quick_test(model: Model, manifest: Manifest) -> None:
    """Score the manifest's pairs alone and once: some 50 ms where the self-test takes 2 s.

    Whether a score depends on its batch is not looked at.

    Raises:
        SelfTestError: As ``self_test``, and if a score is not the stored one within 0.02.
        InferenceError: If a pass fails.
    """
    alone = [model.score([_encoded(model, pair)])[0] for pair in manifest.self_test]
    _, difference = _prove(manifest, alone)
    if difference > TOLERANCE:
        fault = f"scores are {difference:.3f} from the stored ones"
        raise SelfTestError(fault, "see `gatekeeper doctor`")


def _encoded(model: Model, pair: SelfTestPair) -> EncodedPair:
    encoded = model.encode(pair.premise, pair.hypothesis)
    if encoded is None:
        raise SelfTestError(f"a pair is too long: {pair.hypothesis!r}", "raise `max_tokens`")
    return encoded


def _prove(manifest: Manifest, alone: Sequence[PairScore]) -> tuple[float, float]:
    """Prove label order, then direction; return separation and distance from the stored scores.

    Order is read off the pairs that stand there both ways with one label: they score alike
    whatever the direction. Direction is read off those whose label changes with it.
    """
    scores = dict(zip(manifest.self_test, alone, strict=True))
    labels = {(pair.premise, pair.hypothesis): pair.label for pair in scores}
    reverse = {pair: labels.get((pair.hypothesis, pair.premise)) for pair in scores}
    both_ways = {pair: score for pair, score in scores.items() if reverse[pair] == pair.label}
    one_way = {pair: score for pair, score in scores.items() if reverse[pair] != pair.label}
    gaps = [_gap(both_ways, lambda score: score.entailment)]
    if CONTRADICTION in manifest.labels:
        gaps.append(-_gap(both_ways, lambda score: score.contradiction))
    if min(gaps) < LEAST_SEPARATION:
        found = f"the order of the labels is not {list(manifest.labels)}"
        raise SelfTestError(f"{found}: separation {min(gaps):.2f}", ADVICE)
    directed = _gap(one_way, lambda score: score.entailment)
    if directed < LEAST_SEPARATION:
        found = f"the direction is not {manifest.direction}"
        raise SelfTestError(f"{found}: separation {directed:.2f}", ADVICE)
    separation = _gap(scores, lambda score: score.entailment)
    return separation, _difference(alone, [_stored(pair) for pair in manifest.self_test])


def _gap(scores: Mapping[SelfTestPair, PairScore], of: Callable[[PairScore], float]) -> float:
    """Return the mean of pairs that entail less that of others; 0.0 if a kind is missing."""
    good = [of(score) for pair, score in scores.items() if pair.label == ENTAILMENT]
    bad = [of(score) for pair, score in scores.items() if pair.label != ENTAILMENT]
    return fmean(good) - fmean(bad) if good and bad else 0.0


def _stored(pair: SelfTestPair) -> PairScore:
    return PairScore(entailment=pair.entailment, contradiction=pair.contradiction)


def _difference(first: Sequence[PairScore], second: Sequence[PairScore]) -> float:
    """Return the largest difference in any probability."""
    together = zip(first, second, strict=True)
    return max(
        max(abs(a.entailment - b.entailment), abs(a.contradiction - b.contradiction))
        for a, b in together
    )
