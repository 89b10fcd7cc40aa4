"""Errors: how often each type is behind a model's answers, and how far judges and people agree on them.

Sources: VSI-Bench paper, section 5 and Appendix B.2 (each of n categories of an error counts 1/n); MMSI-Bench paper,
section 5.2 (the accuracy of reasoning next to that of answers; a judge's accuracy against people).
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tolman.benchmarks.mmsi_bench.mmsi_rows import TASKS
from tolman.benchmarks.published import PublishedTable
from tolman.items import Item, kind_named
from tolman.scoring.agreement_coefficients import Coefficient, alpha, cohen, jaccard, nominal, observed_agreement
from tolman.scoring.clusters import Floats
from tolman.scoring.error_types import CORRECT, MMSI, VSI, ErrorTaxonomy
from tolman.scoring.intervals import Interval, Share, share

Key = tuple[str, str, int]
"""A response: its run's name, the item's id, the repeat."""

PEOPLE = "people"
"""The source of all people's labels together."""


@dataclass(frozen=True, slots=True)
class Label:
    """Error categories that a person or a judge gave to a response's reasoning.

    Attributes:
        response: which.
        annotator: a person's name, or a judge's.
        source: 'people', or the judge; labels of one source are averaged for each response.
        categories: keys of the taxonomy.
    """

    response: Key
    annotator: str
    source: str
    categories: frozenset[str]


@dataclass(frozen=True)
class Distribution:
    """The types of one run's responses under one source.

    Attributes:
        run, source: whose, and who says so.
        task: of the items; None for all.
        n: labelled responses.
        types: category → share of them.
        among_errors: category → share of the responses with an error, 'correct' left out.
        groups: title of a group of categories → share of the responses with an error.
        reasoning: share of completely correct reasoning.
        answers: share of right answers of the same responses.
        reasoning_on_right, reasoning_on_wrong: share of completely correct reasoning behind right and wrong answers.
    """

    run: str
    source: str
    task: str | None
    n: int
    types: dict[str, Share]
    among_errors: dict[str, Share]
    groups: dict[str, Share]
    reasoning: Share
    answers: Share
    reasoning_on_right: Share | None
    reasoning_on_wrong: Share | None


@dataclass(frozen=True)
class LabelAgreement:
    """Agreement of two sources, or of two people, on the same responses.

    Attributes:
        first, second: who.
        n: responses that both labelled.
        accuracy: share with exactly the same categories.
        overlap: mean share of common categories among all that either names; the accuracy where one applies.
        kappa: Cohen's; None where it isn't defined, or for one response.
        kappa_interval: 95 %, clustered by scene; None where none can hold.
        kappa_reason: why there is no interval.
        undecided: responses left out because people are divided evenly.
    """

    first: str
    second: str
    n: int
    accuracy: float | None
    overlap: float | None
    kappa: float | None
    kappa_interval: Interval | None
    kappa_reason: str | None
    undecided: int = 0


@dataclass(frozen=True, slots=True)
class JudgeFailure:
    """A judgement that failed.

    Attributes:
        run, source: whose response, and which judge.
        id, repeat: of the response.
        why: a sentence.
    """

    run: str
    source: str
    id: str
    repeat: int
    why: str


@dataclass(frozen=True)
class ErrorsResult:
    """The errors behind several runs' answers.

    Attributes:
        taxonomy: the categories.
        scorer: whose scores say which answers are right.
        distributions: for each run and source, of all tasks and then of each.
        agreement: between judges and people.
        people_alpha: Krippendorff's, of all people.
        failures: judgements that failed; they are in no figure.
        judged: judgements that didn't.
        without_reasoning: responses that are an answer alone, which were not judged.
        input_tokens, output_tokens: of the judge's calls.
        cost: of these, where prices are known.
        written: files.
        published: figures that the paper of the categories prints.
    """

    taxonomy: ErrorTaxonomy
    scorer: str
    distributions: list[Distribution]
    agreement: list[LabelAgreement]
    people_alpha: Coefficient
    failures: list[JudgeFailure]
    judged: int
    without_reasoning: int
    input_tokens: int
    output_tokens: int
    cost: float | None
    written: tuple[Path, ...]
    published: tuple[PublishedTable, ...] = ()


def usual_taxonomy(items: Sequence[Item]) -> ErrorTaxonomy:
    """The taxonomy of the benchmark's paper: MMSI-Bench's where its question types are the questions'."""
    return MMSI if all(item.task in TASKS for item in items) else VSI


def worst(answers: pl.DataFrame) -> pl.DataFrame:
    """The errors that VSI-Bench's examiners looked at: every wrong choice, and of each numerical question type the
    worse half of the answers that are not fully right. Other kinds count with the numbers where their answers can be
    partly right, else with the choices.

    Args:
        answers: run, id, repeat, task, kind, score.

    Returns:
        The rows that are chosen, in their order.
    """
    numbered = answers.with_row_index("row")
    graded = [name for name in answers["kind"].unique() if kind_named(name).is_graded]
    imperfect = numbered.filter((pl.col("score") < 1) & pl.col("kind").is_in(graded))
    ranked = imperfect.sort("score", "row").with_columns(
        rank=pl.int_range(pl.len()).over("run", "task"), size=pl.len().over("run", "task")
    )
    worse = ranked.filter(2 * pl.col("rank") < pl.col("size"))["row"]
    return numbered.filter(
        (~pl.col("kind").is_in(graded) & (pl.col("score") < 1)) | pl.col("row").is_in(worse.implode())
    ).drop("row")


def weights(labels: Iterable[Label], taxonomy: ErrorTaxonomy) -> dict[tuple[Key, str], dict[str, float]]:
    """Share of each category in a response, by response and source: n categories get 1/n each, several annotators
    count equally, and all parts add up to 1."""
    grouped: dict[tuple[Key, str], list[Label]] = defaultdict(list)
    for label in labels:
        grouped[label.response, label.source].append(label)
    found = {}
    for key, own in grouped.items():
        parts = dict.fromkeys(taxonomy.keys, 0.0)
        for label in own:
            for category in label.categories:
                parts[category] += 1 / len(label.categories) / len(own)
        found[key] = parts
    return found


def distributions(
    labels: Sequence[Label], answers: pl.DataFrame, taxonomy: ErrorTaxonomy, *, right_from: float
) -> list[Distribution]:
    """The types for each run and source, for all tasks together and then for each.

    Args:
        labels: of responses; those without a row in `answers` are left out.
        answers: run, id, repeat, task, cluster, score (0 … 1); a row for each answered response.
        taxonomy: the categories.
        right_from: the score from which an answer is right.
    """
    parts = weights(labels, taxonomy)
    places: dict[str, list[str]] = defaultdict(list)
    for label in labels:
        if label.source not in places[label.response[0]]:
            places[label.response[0]].append(label.source)
    found = []
    rows = answers.select("run", "id", "repeat", "task", "cluster", "score").rows()
    for run, source in [(run, source) for run, sources in places.items() for source in sources]:
        own = [
            (task, cluster, score, parts[(name, item, repeat), source], item)
            for name, item, repeat, task, cluster, score in rows
            if name == run and ((name, item, repeat), source) in parts
        ]
        for task in [None, *dict.fromkeys(row[0] for row in own)]:
            chosen = [row for row in own if task is None or row[0] == task]
            if chosen:
                clusters = np.unique([row[1] for row in chosen], return_inverse=True)[1]
                right = np.array([row[2] >= right_from for row in chosen])
                table = np.array([[row[3][key] for key in taxonomy.keys] for row in chosen])
                items = [row[4] for row in chosen]
                found.append(_distribution(run, source, task, taxonomy, clusters, items, right, table))
    return found


def _distribution(
    run: str,
    source: str,
    task: str | None,
    taxonomy: ErrorTaxonomy,
    clusters: NDArray[np.intp],
    items: Sequence[str],
    right: NDArray[np.bool_],
    table: Floats,
) -> Distribution:
    """From an array of shape (responses, categories), whose rows add up to 1."""
    everything = np.ones(len(table))
    sound = table[:, taxonomy.keys.index(CORRECT)]
    erring = 1 - sound
    columns = dict(zip(taxonomy.keys, table.T, strict=True))

    def among_errors(keys: Iterable[str]) -> Share | None:
        return share(sum((columns[key] for key in keys), np.zeros(len(table))), erring, clusters, items)

    reasoning = share(sound, everything, clusters, items)
    answers = share(right.astype(float), everything, clusters, items)
    assert reasoning is not None  # there is at least one response
    assert answers is not None
    types = {key: share(column, everything, clusters, items) for key, column in columns.items()}
    errors = {kind.key: among_errors((kind.key,)) for kind in taxonomy.types}
    groups = {title: among_errors(keys) for title, keys in taxonomy.groups}
    return Distribution(
        run,
        source,
        task,
        len(table),
        {key: one for key, one in types.items() if one},
        {key: one for key, one in errors.items() if one},
        {title: one for title, one in groups.items() if one},
        reasoning,
        answers,
        share(sound * right, right.astype(float), clusters, items),
        share(sound * ~right, (~right).astype(float), clusters, items),
    )


def consensus(labels: Iterable[Label]) -> tuple[dict[Key, frozenset[str]], int]:
    """Majority label of each response, and how many responses have none."""
    said: dict[Key, Counter[frozenset[str]]] = defaultdict(Counter)
    for label in labels:
        said[label.response][label.categories] += 1
    agreed = {}
    for response, counts in said.items():
        first, *others = counts.most_common(2)
        if not others or others[0][1] < first[1]:
            agreed[response] = first[0]
    return agreed, len(said) - len(agreed)


def agreements(labels: Sequence[Label], clusters: Mapping[str, str] | None = None) -> list[LabelAgreement]:
    """Compare every judge with the majority of people, then every two people, then every two judges.

    Args:
        labels: of any annotators; each labels a response once.
        clusters: item id → its scene; an item is a cluster of its own where None.
    """
    people = [label for label in labels if label.source == PEOPLE]
    own: dict[str, dict[Key, frozenset[str]]] = defaultdict(dict)
    judges: dict[str, dict[Key, frozenset[str]]] = defaultdict(dict)
    for label in labels:
        (own[label.annotator] if label.source == PEOPLE else judges[label.source])[label.response] = label.categories
    agreed, _ = consensus(people)
    divided = {label.response for label in people} - set(agreed)
    found = []
    for judge, said in judges.items() if people else ():
        found.append(_agreement(judge, PEOPLE, said, agreed, clusters, len(divided & set(said))))
    for group in (own, judges):
        for (a, first), (b, second) in itertools.combinations(group.items(), 2):
            found.append(_agreement(a, b, first, second, clusters))
    return found


def people_alpha(
    labels: Iterable[Label], taxonomy: ErrorTaxonomy, clusters: Mapping[str, str] | None = None
) -> Coefficient:
    """Compute Krippendorff's alpha of all people; sets of categories have Jaccard's distance.

    Args:
        labels: of any annotators; those of judges say nothing.
        taxonomy: the categories.
        clusters: item id → its scene; an item is a cluster of its own where None.
    """
    units: dict[Key, list[frozenset[str]]] = defaultdict(list)
    for label in labels:
        if label.source == PEOPLE:
            units[label.response].append(label.categories)
    scenes = [(clusters or {}).get(item, item) for _, item, _ in units]
    return alpha(list(units.values()), scenes, jaccard if taxonomy.several else nominal)


def _agreement(
    first: str,
    second: str,
    one: Mapping[Key, frozenset[str]],
    other: Mapping[Key, frozenset[str]],
    clusters: Mapping[str, str] | None,
    undecided: int = 0,
) -> LabelAgreement:
    both = [key for key in one if key in other]
    a, b = [one[key] for key in both], [other[key] for key in both]
    overlap = sum(1 - jaccard(x, y) for x, y in zip(a, b, strict=True)) / len(both) if both else None
    kappa = cohen(a, b, [(clusters or {}).get(item, item) for _, item, _ in both])
    accuracy = observed_agreement(a, b)
    return LabelAgreement(
        first, second, len(both), accuracy, overlap, kappa.value, kappa.interval, kappa.reason, undecided
    )
