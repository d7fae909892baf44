"""The result of ``benchmarks.accuracy`` as tables for people, in Markdown."""

from collections.abc import Iterator, Mapping
from statistics import fmean
from typing import Any

Record = Mapping[str, Any]


def markdown(result: Record) -> list[str]:
    """Return the figures as lines of Markdown: sets, differences, variants, reliability."""
    return [
        *_sets(result["sets"]),
        "",
        *_sets(result.get("others", {})),
        "",
        *_differences(result),
        "",
        *_variants(result["variants"]),
        "",
        *_reliability(result["reliability"]),
    ]


def _sets(sets: Record) -> Iterator[str]:
    if not sets:
        return
    yield (
        "| set | answers | unsupported | balanced accuracy | sensitivity | false blocks | ROC-AUC "
        "| overlap: bal. acc. | ROC-AUC | pair tokens |"
    )
    yield "|---|---|---|---|---|---|---|---|---|---|"
    for name, record in sets.items():
        gate, words = record["gate"], record["overlap"]
        cells = (
            name,
            str(record["n"]),
            f"{record['unsupported']:.2f}",
            figure(gate["balanced_accuracy"]),
            figure(gate["sensitivity"], plain=True),
            figure(gate["false_block_rate"], plain=True),
            figure(gate["roc_auc"]),
            figure(words["balanced_accuracy"], plain=True),
            figure(words["roc_auc"], plain=True),
            f"{record['pair_tokens_per_answer']:.0f}",
        )
        yield f"| {' | '.join(cells)} |"
    means = [
        _mean([record[who][of]["value"] for record in sets.values()])
        for who, of in (
            ("gate", "balanced_accuracy"),
            ("gate", "sensitivity"),
            ("gate", "false_block_rate"),
            ("gate", "roc_auc"),
            ("overlap", "balanced_accuracy"),
            ("overlap", "roc_auc"),
        )
    ]
    yield f"| mean | | | {' | '.join(means)} | |"


def _differences(result: Record) -> Iterator[str]:
    yield "| balanced accuracy, gate minus | mean | by set |"
    yield "|---|---|---|"
    compared = {
        "word overlap": result["against_overlap"],
        "same model, raw scores, no guard": result["against_raw_without_guard"],
    }
    for name, record in result.get("against_baseline", {}).items():
        compared[f"baseline model: {name}"] = record["difference"]
    for name, record in compared.items():
        by_set = "; ".join(f"{of} {figure(one, signed=True)}" for of, one in record["sets"].items())
        yield f"| {name} | {figure(record['mean'], signed=True)} | {by_set} |"


def _variants(variants: Record) -> Iterator[str]:
    names = list(next(iter(variants.values()))["balanced_accuracy"])
    yield f"| variant | mean | ROC-AUC | {' | '.join(names)} |"
    yield "|---" * (len(names) + 3) + "|"
    for name, record in variants.items():
        of = record["balanced_accuracy"]
        cells = " | ".join(_value(of[each]) for each in names)
        auc = _mean(list(record["roc_auc"].values()))
        yield f"| {name} | {_mean(list(of.values()))} | {auc} | {cells} |"


def _reliability(pools: Record) -> Iterator[str]:
    yield "| answers of one claim | n | expected calibration error | Brier score |"
    yield "|---|---|---|---|"
    for name, pool in pools.items():
        error = figure(pool["calibration_error"])
        yield f"| {name} | {pool['n']} | {error} | {pool['brier']:.3f} |"


def figure(record: Record, *, plain: bool = False, signed: bool = False) -> str:
    """Return an estimate as text, with its interval if it has one and ``plain`` is False."""
    form = "+.3f" if signed else ".3f"
    if record["value"] is None:
        return "undefined"
    if plain or record["low"] is None:
        return format(record["value"], form)
    low, high = format(record["low"], form), format(record["high"], form)
    return f"{record['value']:{form}} [{low}, {high}]"


def _value(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"


def _mean(values: list[float | None]) -> str:
    known = [value for value in values if value is not None]
    return f"{fmean(known):.3f}" if known and len(known) == len(values) else "undefined"
