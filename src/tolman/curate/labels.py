"""Labels that people gave to questions, and a model's agreement with them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tolman.benchmarks.fields import plain
from tolman.benchmarks.rows import stream_rows
from tolman.benchmarks.site.taxonomy import SYSTEMS
from tolman.curate.mapping import NO
from tolman.curate.taxonomy import Taxonomy
from tolman.errors import InputError
from tolman.scoring.agreement import observed_agreement
from tolman.scoring.coefficients import cohen

LABELS = ("category", *SYSTEMS)


def read_hand_labels(path: Path, taxonomy: Taxonomy) -> dict[str, dict[str, str]]:
    """Labels by id.

    Args:
        path: CSV, TSV, JSON or JSON Lines with `id`, and any of category ('no' for what is not spatial), scale,
            factor, information, change.
        taxonomy: of the categories.

    Raises:
        InputError: a row without an id, or with a label that isn't known.
    """
    allowed = {"category": {*taxonomy.keys, NO}, **{label: set(values) for label, values in SYSTEMS.items()}}
    found: dict[str, dict[str, str]] = {}
    for number, row in stream_rows(path):
        if isinstance(row, InputError):
            raise row
        identity = plain(row.get("id") or "").strip()
        if not identity:
            raise InputError(path, "is missing", row=number, field="id")
        labels = {label: plain(row[label]).strip() for label in LABELS if row.get(label)}
        for label, value in labels.items():
            if value not in allowed[label]:
                known = ", ".join(sorted(allowed[label]))
                raise InputError(path, f"{value!r} is not known", row=number, field=label, fix=f"known: {known}")
        found.setdefault(identity, {}).update(labels)
    return found


def agreement(hand: Mapping[str, Mapping[str, str]], model: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    """For each label: n, the share on which model and people agree, and Cohen's kappa with its 95 % interval
    over
    resamples of the questions, where one can hold (`scoring.coefficients`)."""
    found: dict[str, Any] = {}
    for label in LABELS:
        both = [i for i in sorted(hand) if label in hand[i] and label in model.get(i, {})]
        people, said = [hand[i][label] for i in both], [model[i][label] for i in both]
        if not both:
            continue
        kappa = cohen(people, said)
        found[label] = {
            "n": len(both),
            "agreement": observed_agreement(people, said),
            "kappa": kappa.value,
            "interval": [kappa.interval.low, kappa.interval.high] if kappa.interval else None,
        }
    return found
