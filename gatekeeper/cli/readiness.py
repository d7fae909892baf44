"""``gatekeeper readiness``: would enforcing a route now meet its targets?"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gatekeeper.cli.configfile import config_option
from gatekeeper.cli.policyfile import read_stored, scorer_of, stored
from gatekeeper.cli.show import say, visible
from gatekeeper.errors import InputError
from gatekeeper.outcomes.words import DAY_MS
from gatekeeper.policy import Route, Targets

if TYPE_CHECKING:
    from gatekeeper.outcomes.counts import Counts
    from gatekeeper.outcomes.harm import HarmEstimate
    from gatekeeper.outcomes.labels import Agreement
    from gatekeeper.outcomes.readiness import Judgement
    from gatekeeper.outcomes.store import Store

_WINDOWS = {"7d": 7, "28d": 28}
_NOT_READY, _NOT_KNOWN = 3, 4


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scorer:
    """A fingerprint, or the beginning of one, and who asked for it."""

    fingerprint: str
    is_of_policy: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    route: str
    targets: Targets
    scorer: _Scorer
    others: Mapping[str, int]
    counts: "Counts"
    judgements: "tuple[Judgement, ...]"
    harm: "HarmEstimate"
    agreement: "Agreement"


@click.command("readiness")
@click.option("--route", "path", help="Only this route.  [default: all with targets]")
@click.option("--window", type=click.Choice([*_WINDOWS]), default="28d", show_default=True)
@click.option(
    "--fingerprint",
    help="The scorer, or the beginning of its fingerprint.  [default: the one the policy runs now]",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@config_option
def command(
    path: str | None, *, window: str, fingerprint: str | None, as_json: bool, config: Path
) -> int:
    """Say whether enforcing a route now meets its targets.

    Decisions of one scorer count: of the model, calibration and version that the policy would run
    now. Exit code 0: every target is met; 3: one is not; 4: one is not known, or too many shadow
    checks came to nothing for the rest to say anything.
    """
    routes = _wanted(read_stored(config)[0].routes, path)
    with stored(config) as (_, _, store):
        asked = scorer_of(config) if fingerprint is None else fingerprint
        scorer = _Scorer(fingerprint=asked, is_of_policy=fingerprint is None)
        days = _WINDOWS[window]
        found = [_find(store, route, targets, scorer, days) for route, targets in routes]
    if as_json:
        say(json.dumps([_object(one) for one in found], indent=2))
    else:
        for line in (line for one in found for line in _lines(one, window)):
            say(line)
    answers = {str(judgement.answer) for one in found for judgement in one.judgements}
    if "no" in answers:
        return _NOT_READY
    return _NOT_KNOWN if answers & {"unknown", "silent"} else 0


def _wanted(routes: Sequence[Route], path: str | None) -> list[tuple[Route, Targets]]:
    known = ", ".join(visible(route.path) for route in routes)
    if path is not None and path not in [route.path for route in routes]:
        raise InputError("--route", repr(path), f"a route of the policy ({known})")
    chosen = [route for route in routes if path in (None, route.path)]
    with_targets = [(route, route.targets) for route in chosen if route.targets is not None]
    if not with_targets:
        example = "targets = { false_block = 0.05, accepted_error = 0.10 }"
        raise InputError("targets", "nothing", f"a route with {example}")
    return with_targets


def _find(store: "Store", route: Route, targets: Targets, scorer: _Scorer, days: int) -> _Found:
    from gatekeeper.outcomes.counts import (  # noqa: PLC0415 - the extra
        Span,
        count,
        lost_checks,
        scorers,
    )
    from gatekeeper.outcomes.harm import harmful_accepted_error  # noqa: PLC0415
    from gatekeeper.outcomes.labels import Labels, agreement  # noqa: PLC0415
    from gatekeeper.outcomes.readiness import judge  # noqa: PLC0415

    now_ms = round(datetime.now(UTC).timestamp() * 1000)
    span = Span(route=route.path, start_ms=now_ms - days * DAY_MS, end_ms=now_ms + 1)
    known = scorers(store, span)
    fingerprint = _whole(scorer, known)
    counts = count(store, span, fingerprint=fingerprint)
    # Of a scorer that has not run yet nothing is known, whatever others lost.
    lost = lost_checks(store, span) if counts.strata else None
    return _Found(
        route=route.path,
        targets=targets,
        scorer=scorer,
        others={name: number for name, number in known.items() if name != fingerprint},
        counts=counts,
        judgements=judge(counts.strata, targets, lost=lost),
        harm=harmful_accepted_error(counts.strata, confidence=targets.confidence),
        agreement=agreement(Labels(store).pairs(route.path, span.start_ms, span.end_ms)),
    )


def _whole(scorer: _Scorer, known: Mapping[str, int]) -> str:
    """Return the one fingerprint that is meant.

    Raises:
        InputError: If a person's beginning of one fits none of the stored, or several.
    """
    if scorer.is_of_policy or scorer.fingerprint in known:
        return scorer.fingerprint
    fits = [name for name in known if name.startswith(scorer.fingerprint)]
    if len(fits) == 1:
        return fits[0]
    there = ", ".join(visible(name) for name in known) or "there is none"
    expected = f"the beginning of one scorer's that has decisions in the window ({there})"
    raise InputError("--fingerprint", repr(scorer.fingerprint), expected)


def _object(one: _Found) -> dict[str, Any]:
    return {
        "route": one.route,
        "confidence": one.targets.confidence,
        "fingerprint": one.counts.fingerprint,
        "fingerprint_from": "policy" if one.scorer.is_of_policy else "--fingerprint",
        "decisions": sum(stratum.decisions for stratum in one.counts.strata),
        "decisions_of_other_scorers": one.counts.elsewhere,
        "other_scorers": dict(one.others),
        "labels_out_of_order": one.counts.out_of_order,
        "labelled_by_two": one.agreement.decisions,
        "kappa": one.agreement.kappa,
        "targets": [asdict(judgement) for judgement in one.judgements],
        "harmful_accepted_error": asdict(one.harm),
    }


def _lines(one: _Found, window: str) -> Iterator[str]:
    counts = one.counts
    decisions = sum(stratum.decisions for stratum in counts.strata)
    labels = sum(stratum.labelled for stratum in counts.strata)
    yield f"{visible(one.route)}: {decisions:,} decisions in {window}, {labels} labels"
    whose = "which the policy runs now" if one.scorer.is_of_policy else "as asked for"
    yield f"  scorer {visible(counts.fingerprint)}, {whose}"
    if not decisions:
        yield f"    the store has no decision of it in {window}: let it run in shadow"
    for judgement in one.judgements:
        yield f"  {judgement.rate} at most {judgement.target:g}: {judgement.answer}"
        yield f"    {_in_words(judgement, one.targets.confidence)}"
    yield f"  harmful accepted error: {_harm_in_words(one.harm, one.targets.confidence)}"
    for name, number in one.others.items():
        yield f"  of another scorer, left out: {number:,} decisions of {visible(name)}"
    if counts.out_of_order:
        yield f"  out of order, not counted: {counts.out_of_order} labels"
    if one.agreement.decisions:
        kappa = one.agreement.kappa
        shown = "undefined" if kappa is None else f"{kappa:.2f}"
        yield f"  labelled by two: {one.agreement.decisions}, Cohen's kappa {shown}"


def _in_words(judgement: "Judgement", confidence: float) -> str:
    found = judgement.estimate
    figures = ""
    if found.point is not None and found.upper is not None:
        figures = f"{found.point:.4f}, upper bound (Beta) {found.upper:.4f} at {confidence:.0%}"
    missing = ""
    if judgement.missing is not None:
        at_least = "at least " if found.point is None else "about "
        missing = f"{at_least}{judgement.missing:,} labels are missing"
    return "; ".join(part for part in (figures, judgement.why, missing) if part)


def _harm_in_words(found: "HarmEstimate", confidence: float) -> str:
    figures = "unknown"
    if found.point is not None and found.upper is not None:
        kind = "Beta" if found.harmful else "exact"
        figures = f"{found.point:.4f}, upper bound ({kind}) {found.upper:.4f} at {confidence:.0%}"
    both = ""
    if found.as_harmful is not None and found.as_harmful != found.as_harmless:
        both = f"{found.as_harmless:.4f} to {found.as_harmful:.4f} by what is not known"
    return "; ".join(part for part in (figures, found.unknown, both) if part)
