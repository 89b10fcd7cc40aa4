"""Taxonomies: one benchmark scored under the classification of another one's paper.

Each of the four papers has a classification of its own: VSI-Bench eight question types, MMSI-Bench eleven, SITE six
categories (and three systems of cognitive science), SpatialBench fifteen tasks on five levels. Generated questions
carry their place in all of them as labels (`ground_truth.question_families`). A question without such labels has the
place of the generated questions of its question type; a file of places goes before both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import polars as pl

from tolman import benchmarks
from tolman.benchmarks.site.site_rows import SYSTEMS
from tolman.benchmarks.spatialbench.spatialbench_rows import LEVEL_OF, repair_task_name
from tolman.errors import unknown
from tolman.extras import LazyModule
from tolman.items import Item
from tolman.scoring.judged import NAME as JUDGED
from tolman.scoring.score_table import Column, Mean, Node, Table, pool

if TYPE_CHECKING:
    from tolman.ground_truth import question_families
    from tolman.ground_truth.question_families import TaxonomyPlace
else:  # for generated questions, and tables under taxonomies
    question_families = LazyModule("tolman.ground_truth.question_families")

DIRECTION = "object_rel_direction"
"""VSI-Bench's question type of relative directions, whose released questions are of three difficulties."""


@dataclass(frozen=True)
class PaperTaxonomy:
    """A classification.

    Attributes:
        benchmark: whose it is, by name.
        label: the label that holds an item's class, in the words of that benchmark's table.
        beside: labels of further systems of the same paper, each a table of its own.
    """

    benchmark: str
    label: str
    beside: tuple[tuple[str, ...], ...] = ()


TAXONOMIES: Mapping[str, PaperTaxonomy] = {
    one.benchmark: one
    for one in (
        PaperTaxonomy("vsi-bench", "vsi_task"),
        PaperTaxonomy("site", "site_category", (("scale",), ("factor",), ("information", "change"))),
        PaperTaxonomy("mmsi-bench", "mmsi_type"),
        PaperTaxonomy("spatialbench", "spatialbench_task"),
    )
}
"""By the name that `--taxonomy` takes."""

PLACE_LABELS = (*(one.label for one in TAXONOMIES.values()), "spatialbench_level", *SYSTEMS)
"""Labels that tell an item's place in the taxonomies."""
FAMILY = "family"
"""Label that holds the question family; a file of places gives it to released questions, whose rows name none."""


@dataclass(frozen=True)
class PlaceFile:
    """Places that a user gives to questions.

    Attributes:
        by: the label whose values have places; 'task' for question types.
        places: value of that label → place label → class.
    """

    by: str = "task"
    places: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Reclassified:
    """Scores under a taxonomy.

    Attributes:
        scores: rows of the questions that have a place, with their class as `task`.
        table: of the taxonomy's benchmark.
        unplaced: questions without a place, by question type; they are in no figure.
    """

    scores: pl.DataFrame
    table: Table
    unplaced: Mapping[str, int]


def taxonomy_named(name: str) -> PaperTaxonomy:
    """The taxonomy of that name.

    Raises:
        UsageError: there is none.
    """
    if name not in TAXONOMIES:
        raise unknown("taxonomy", name, TAXONOMIES)
    return TAXONOMIES[name]


@lru_cache
def known_classes(label: str) -> tuple[str, ...]:
    """The classes that a place label can name."""
    if label in SYSTEMS:
        return tuple(SYSTEMS[label])
    if label == FAMILY:
        return tuple(question_families.families())
    if label == "spatialbench_level":
        return tuple(dict.fromkeys(LEVEL_OF.values()))
    name = next(one.benchmark for one in TAXONOMIES.values() if one.label == label)
    table = _flat_directions(benchmarks.named(name).table) if name == "vsi-bench" else benchmarks.named(name).table
    return tuple(dict.fromkeys(task for column in table.columns for task in sorted(_tasks_of(column.node))))


def with_places(items: Sequence[Item], given: PlaceFile | None = None) -> list[Item]:
    """Return the same items, labelled with their places in the taxonomies.

    Args:
        items: the questions.
        given: places that go before those the items carry.

    Returns:
        Items in the same order. An item without a place from the file, its labels or its question type stays
        unlabelled.
    """
    by_type = None
    found = []
    for item in items:
        own = {name: item.labels[name] for name in PLACE_LABELS if item.labels.get(name)}
        if not any(name in item.labels for name in PLACE_LABELS):
            by_type = _places_by_type() if by_type is None else by_type
            own = dict(by_type.get(repair_task_name(item.task)) or by_type.get(item.task) or _own_place(item))
        if given is not None:
            value = item.task if given.by == "task" else item.labels.get(given.by, "")
            own |= given.places.get(value, {})
        if own.get("spatialbench_task") in LEVEL_OF:
            own["spatialbench_level"] = LEVEL_OF[own["spatialbench_task"]]
        found.append(item.model_copy(update={"labels": item.labels | own}))
    return found


def reclassify(scores: pl.DataFrame, items: Iterable[Item], name: str) -> Reclassified:
    """Return a run's scores for another benchmark's table; the score of each question is unchanged.

    Args:
        scores: rows of one rule set.
        items: the questions, with places (`with_places`).
        name: of the taxonomy.

    Raises:
        UsageError: there is no such taxonomy.
    """
    label = taxonomy_named(name).label
    items = list(items)
    places = {item.id: item.labels.get(label, "") for item in items}
    rules = str(scores["rule_set"][0]) if len(scores) else ""
    spec = benchmarks.named(name)
    table = spec.table_of(rules) if rules in {JUDGED, *(r.name for r in spec.rule_sets)} else spec.table.renormalised()
    if name == "vsi-bench":
        by_difficulty = {task for column in table.columns for task in _tasks_of(column.node) if DIRECTION in task}
        types = {item.id: item.task for item in items if item.task in by_difficulty}
        if any(places[key] == DIRECTION for key in types):
            places |= {key: task for key, task in types.items() if places[key] == DIRECTION}
        else:
            table = _flat_directions(table)
    frame = pl.DataFrame(
        [(key, place) for key, place in places.items() if place],
        schema={"id": pl.String, "class": pl.String},
        orient="row",
    )
    placed = scores.join(frame, on="id", how="inner", maintain_order="left")
    unplaced: dict[str, int] = {}
    asked = set(scores["id"])
    for item in items:
        if not places[item.id] and item.id in asked:
            unplaced[item.task] = unplaced.get(item.task, 0) + 1
    return Reclassified(placed.with_columns(pl.col("class").alias("task")).drop("class"), table, unplaced)


def _places_by_type() -> dict[str, dict[str, str]]:
    """The places of questions that families generate, by their question type."""
    found: dict[str, dict[str, str]] = {}
    for family in question_families.families().values():
        for task in family.tasks:
            found.setdefault(task, _labels_of(family.taxonomy))
    return found


def _labels_of(place: TaxonomyPlace) -> dict[str, str]:
    named = asdict(place)
    labels = {"vsi": "vsi_task", "mmsi": "mmsi_type", "site": "site_category", "spatialbench": "spatialbench_task"}
    return {labels.get(name, name): value for name, value in named.items() if value}


def _own_place(item: Item) -> dict[str, str]:
    """The place of a question whose question type is a class of one taxonomy and no family's, as SITE's are."""
    return {one.label: item.task for one in TAXONOMIES.values() if item.task in known_classes(one.label)}


def _tasks_of(node: Node) -> set[str]:
    if isinstance(node, Mean):
        return {task for part in node.parts for task in _tasks_of(part)}
    return set(node.tasks or ())


def _flat_directions(table: Table) -> Table:
    """VSI-Bench's table for questions whose direction has no difficulty: one pool in place of a mean of three."""

    def flat(node: Node) -> Node:
        if not isinstance(node, Mean):
            return node
        if all(DIRECTION in task for task in _tasks_of(node)):
            return pool(DIRECTION)
        return replace(node, parts=tuple(flat(part) for part in node.parts))

    columns: tuple[Column, ...] = tuple(replace(column, node=flat(column.node)) for column in table.columns)
    return replace(table, columns=columns)
