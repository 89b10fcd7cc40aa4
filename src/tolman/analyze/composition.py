"""Composition of a benchmark: how many questions there are of each kind, and the facts that papers print of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tolman.analyze.labels import in_order, label_frame, label_names
from tolman.errors import UsageError
from tolman.items import Item

MOST_VALUES = 24
"""Values of a label that are counted by name; those of fewer questions are counted together."""

OTHERS = "others"

COUNTED = ("task", "kind", "answer", "options", "media_count", "question_words")
"""Labels of any question that a figure counts by, if nothing else is asked for; then those that questions carry."""


@dataclass(frozen=True)
class Counts:
    """Questions by a label.

    Attributes:
        by: the label.
        counts: its value → questions; in the order of a figure.
    """

    by: str
    counts: dict[str, int]


@dataclass(frozen=True)
class BenchmarkFact:
    """A figure about a benchmark.

    Attributes:
        name: as papers call it.
        value: the figure; lengths are in characters.
    """

    name: str
    value: float


def differing(items: Sequence[Item]) -> list[str]:
    """The labels in which questions differ, but for those that have a value for each few of them."""
    counts = label_names(items)
    carried = {name for item in items for name in item.labels}
    most = max(2, min(2 * MOST_VALUES, len(items) // 2))
    names = [*(name for name in COUNTED if name in counts), *(n for n in counts if n in carried and n not in COUNTED)]
    return [name for name in names if counts[name] <= most]


def count(items: Sequence[Item], by: str) -> Counts:
    """Count items by a label; where it has very many values, those of the fewest items together.

    Raises:
        UsageError: no item has such a label.
    """
    found = Counter(label_frame(items, [by])[by])
    ordered = in_order(found)
    if not any(value[:1].isdigit() for value in ordered) and by != "answer":
        ordered = [name for name, _ in sorted(found.items(), key=lambda pair: -pair[1])]
    kept = set(ordered)
    if len(ordered) > MOST_VALUES:
        kept = {name for name, _ in found.most_common(MOST_VALUES - 1)}
    counts = {name: found[name] for name in ordered if name in kept}
    if len(kept) < len(ordered):
        counts[f"{len(ordered) - len(kept)} {OTHERS}"] = sum(found[name] for name in ordered if name not in kept)
    return Counts(by, counts)


def cross(items: Sequence[Item], rows: str, columns: str) -> dict[tuple[str, str], int]:
    """Count items by two labels: (value of the first, value of the second) → questions, 0 included.

    Raises:
        UsageError: no item has such a label, or one has more values than a table can show.
    """
    frame = label_frame(items, [rows, columns])
    found = Counter(zip(frame[rows], frame[columns], strict=True))
    names = [in_order(set(frame[name])) for name in (rows, columns)]
    for by, own in zip((rows, columns), names, strict=True):
        if len(own) > 2 * MOST_VALUES:
            raise UsageError(f"'{by}' has {len(own):,} values; a table shows {2 * MOST_VALUES} at most.")
    return {(a, b): found[a, b] for a in names[0] for b in names[1]}


def facts(items: Sequence[Item]) -> list[BenchmarkFact]:
    """What papers print of a benchmark: MMSI-Bench's Table 2 and SITE's Table 2. Lengths are in characters."""
    reasons = [item.reasoning for item in items if item.reasoning]
    questions = [len(item.question) for item in items]
    pictures = [len([m for m in item.media if m.kind == "image"]) for item in items]
    media = {(m.kind, m.path, m.part) for item in items for m in item.media}
    found = [
        BenchmarkFact("Total questions", len(items)),
        BenchmarkFact("Question types", len({item.task for item in items})),
        BenchmarkFact("Scenes", len({item.scene for item in items if item.scene})),
        BenchmarkFact("Number of unique images", sum(kind == "image" for kind, *_ in media)),
        BenchmarkFact("Number of unique videos", sum(kind == "video" for kind, *_ in media)),
        BenchmarkFact("Average question length", _mean(questions)),
        BenchmarkFact("Maximum question length", max(questions, default=0)),
        BenchmarkFact("Average image count per question", _mean(pictures)),
        BenchmarkFact("Maximum image count per question", max(pictures, default=0)),
    ]
    if reasons:
        lengths = [len(text) for text in reasons]
        found += [
            BenchmarkFact("Questions with a reasoning process", len(reasons)),
            BenchmarkFact("Average reasoning process length", _mean(lengths)),
            BenchmarkFact("Maximum reasoning process length", max(lengths)),
        ]
    options = Counter(len(item.options) for item in items if item.options)
    return [*found, *(BenchmarkFact(f"{number}-choice questions", options[number]) for number in sorted(options))]


def _mean(values: Sequence[int]) -> float:
    return sum(values) / len(values) if values else 0.0
