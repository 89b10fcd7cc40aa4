"""Question families: how one is declared, and its place in the taxonomies of the four benchmarks.

A module of `generate/families/`, a plugin (`--plugin my_family.py`) or another package's entry point declares a family
as `FAMILY`, or several in the tuple `FAMILIES`. A plugin needs nothing else. A family of Tolman's own also needs a row
in `families/taxonomy.csv`, and its name in `ground_truth.question_families` and in a preset of `generate.presets`. A
new preset stands in the help of `--preset` (`features.generate.config`). `test_families.py` and `test_reasons.py` list
all.

The places of Tolman's own families are the rows of `families/taxonomy.csv`. If a benchmark lacks a family, it gets the
place that its questions would have there, or none.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from dataclasses import asdict
from functools import cache
from importlib.resources import files
from typing import Any

from tolman.benchmarks.spatialbench.spatialbench_rows import LEVEL_OF
from tolman.ground_truth.question_families import Family as Family
from tolman.ground_truth.question_families import FamilySettings as FamilySettings
from tolman.ground_truth.question_families import TaxonomyPlace as TaxonomyPlace
from tolman.items import Item


@cache
def _own_places() -> dict[str, TaxonomyPlace]:
    text = files("tolman.generate").joinpath("families/taxonomy.csv").read_text(encoding="utf-8")
    found = {}
    for row in csv.DictReader(text.splitlines()):
        values: dict[str, Any] = {key: value for key, value in row.items() if value}
        name = values.pop("family")
        found[name] = TaxonomyPlace(**values)
    return found


def place_of(name: str) -> TaxonomyPlace:
    """Return the place of one of Tolman's own families, by its row in `families/taxonomy.csv`."""
    return _own_places()[name]


def labels_of(name: str, place: TaxonomyPlace, *, outdoors: bool, own: Mapping[str, str]) -> dict[str, str]:
    """The labels of a family's question.

    Args:
        name: of the family.
        place: in the taxonomies.
        outdoors: whether its scene is no room: its scale is then environmental. `scene_type` says it as SpatialBench's
            rows do.
        own: the labels that differ in this question.
    """
    found = asdict(place)
    if outdoors and place.scale == "vista":
        found["scale"] = "environmental"
    task = found.pop("spatialbench")
    return {
        "family": name,
        "vsi_task": found.pop("vsi"),
        "mmsi_type": found.pop("mmsi"),
        "site_category": found.pop("site"),
        "spatialbench_task": task,
        "spatialbench_level": LEVEL_OF.get(task, ""),
        "scene_type": "outdoor" if outdoors else "indoor",
        **found,
        **own,
    }


def matched(pattern: re.Pattern[str], item: Item, wrong: str = "is no question of its type") -> re.Match[str]:
    """The parts of a question's text.

    Raises:
        ValueError: the pattern isn't in it, with the text `wrong`.
    """
    match = pattern.search(item.question)
    if match is None:
        raise ValueError(wrong)
    return match
