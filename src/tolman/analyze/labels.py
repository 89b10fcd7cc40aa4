"""Labels of questions, and a benchmark's figures cut by one label or by several crossed.

Two kinds of names: labels that items carry (`Item.labels`: difficulty, scene_type, level …), and those that Tolman
derives from any item (`DERIVED`: source, options, media_count …). An item's own label takes precedence over a derived
one of the same name.

Each cell of a cut is the whole table over the questions of the cell: the same metric, composites and intervals
clustered by scene. Parts without a question, unread and unanswered responses follow the rules of the main table
(`scoring.aggregate`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from tolman.errors import UsageError, hint
from tolman.extras import LazyModule, NDArray, np, pl
from tolman.items import Item
from tolman.media.sampling import Frames
from tolman.scoring.aggregate import Cell, Prepared, cells_of, prepare
from tolman.scoring.further_figures import ReadStates, Unread, blanked, unread_of, with_unjudged, withheld_in
from tolman.scoring.judged import NAME as JUDGED
from tolman.scoring.score_table import Table

if TYPE_CHECKING:
    from tolman.media import needed_frames
else:
    needed_frames = LazyModule("tolman.media.needed_frames")

NOT_LABELLED = "not labelled"
"""The value of an item that doesn't carry a label which others do."""

SOURCE_LABELS = ("source", "dataset", "data_source")
"""Labels under which benchmarks say what data set a question comes from."""

WORD_BOUNDS = (20, 40, 80, 160)
"""Greatest numbers of words in a question of each length class; above the last is a class of its own."""

FRAME_BOUNDS = (1, 2, 4, 8, 16, 32, 64)
"""The same for the fewest evenly taken frames that carry an answer."""

_KNOWN_ORDERS = (
    ("easy", "medium", "hard"),
    ("low", "medium", "high"),
    ("seen", "not seen", "unknown", "no video"),
    ("indoor", "outdoor"),
    ("figural", "vista", "environmental"),
)
"""Values that have an order of their own."""

Shown = Frames | None
"""How a run samples videos; None where it isn't known, or no run is meant."""


@dataclass(frozen=True)
class DerivedLabel:
    """A label that any item has.

    Attributes:
        title: a description.
        value: (item, how the run samples videos) → the value; None where it has none for the item.
        of_run: whether it depends on the run.
    """

    title: str
    value: Callable[[Item, Shown], str | None]
    of_run: bool = False


def label_frame(items: Iterable[Item], names: Sequence[str], shown: Shown = None) -> pl.DataFrame:
    """The values of labels.

    Args:
        items: the questions.
        names: of labels, each once.
        shown: how the run samples videos, for `frames` and `evidence`.

    Returns:
        Columns `id`, and for each name a column of that name with texts; `NOT_LABELLED` where an item has no value.

    Raises:
        UsageError: no item has a label of some name; the sentence has the nearest and lists all there are.
    """
    items = list(items)
    carried = {name for item in items for name in item.labels}
    for name in names:
        if name not in carried and name not in DERIVED:
            known = [*sorted(carried), *(one for one in DERIVED if one not in carried)]
            raise UsageError(f"no question has the label '{name}'; {hint(name, known)}.")
    columns: dict[str, list[str]] = {"id": [item.id for item in items]}
    for name in names:
        if name in carried:
            columns[_column(name)] = [item.labels.get(name) or NOT_LABELLED for item in items]
        else:
            value = DERIVED[name].value
            columns[_column(name)] = [value(item, shown) or NOT_LABELLED for item in items]
    frame = pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))
    return frame.rename({_column(name): name for name in names if name != "id"})


def label_names(items: Iterable[Item]) -> dict[str, int]:
    """Return the labels with more than one value, and how many values each has; see `all_labels`."""
    return all_labels(items)[1]


def all_labels(items: Iterable[Item]) -> tuple[pl.DataFrame, dict[str, int]]:
    """Return the values of labels as `label_frame` does, and how many different ones each label with several has.
    Labels that items carry come first, then derived ones."""
    items = list(items)
    names = list(dict.fromkeys(name for item in items for name in item.labels))
    names += [name for name, one in DERIVED.items() if name not in names and not one.of_run]
    frame = label_frame(items, names)
    counts = {name: frame[name].n_unique() for name in names}
    return frame, {name: count for name, count in counts.items() if count > 1}


def in_order(values: Collection[str]) -> list[str]:
    """Values of a label as a table has them: numbers and classes by their size, known scales from low to high, others
    by name; items without the label last."""
    rest = set(values) - {NOT_LABELLED}
    last = [NOT_LABELLED] if NOT_LABELLED in values else []
    for order in _KNOWN_ORDERS:
        if rest <= set(order):
            return [value for value in order if value in rest] + last
    return sorted(rest, key=_place) + last


def _place(value: str) -> tuple[int, Fraction, str]:
    head = value.removeprefix("over ").partition("–")[0].partition(" ")[0]
    try:
        number = Fraction(head)
    except (ValueError, ZeroDivisionError):
        return 1, Fraction(0), value.casefold()
    return 0, number + value.startswith("over "), value


def _column(name: str) -> str:
    return f"label:{name}"  # a label may be called 'id'


def _source(item: Item, shown: Shown) -> str | None:
    return next((item.labels[name] for name in SOURCE_LABELS if name in item.labels), None)


def _media_kind(item: Item, shown: Shown) -> str:
    kinds = sorted({medium.kind for medium in item.media})
    return " and ".join(kinds) or "none"


def _words(item: Item, shown: Shown) -> str:
    return _class(len(item.question.split()), WORD_BOUNDS)


def _answer(item: Item, shown: Shown) -> str:
    return item.answer if item.options else item.kind


def _frames(item: Item, shown: Shown) -> str:
    if not any(medium.kind == "video" for medium in item.media):
        return "no video"
    return shown.describe() if shown is not None else "unknown"


def _frames_needed(item: Item, shown: Shown) -> str | None:
    found = needed_frames.needed_frames(item)
    nearest = shown is not None and shown.rounding == "nearest"
    least = None if found is None else found.least.get("nearest" if nearest else "down")
    return None if least is None else _class(least, FRAME_BOUNDS)


def _evidence(item: Item, shown: Shown) -> str:
    return "unknown" if shown is None else needed_frames.answerable_from(item, shown)


def _class(number: int, bounds: Sequence[int]) -> str:
    """The class that a whole number from 0 is in: '1', '2–4', 'over 64'."""
    least = 0
    for most in bounds:
        if number <= most:
            return f"{least}–{most}" if least < most else str(most)
        least = most + 1
    return f"over {bounds[-1]}"


DERIVED: Mapping[str, DerivedLabel] = {
    "task": DerivedLabel("question type", lambda item, shown: item.task),
    "source": DerivedLabel("data set that the question comes from", _source),
    "scene": DerivedLabel("scene", lambda item, shown: item.scene),
    "kind": DerivedLabel("kind of answer: choice, number …", lambda item, shown: item.kind),
    "unit": DerivedLabel("unit of a number", lambda item, shown: item.unit),
    "options": DerivedLabel("number of options", lambda item, shown: str(len(item.options) or "none")),
    "answer": DerivedLabel("letter of the right option; the kind of answer where there are no options", _answer),
    "media_count": DerivedLabel("number of videos and pictures", lambda item, shown: str(len(item.media))),
    "media_kind": DerivedLabel("video, image, or both", _media_kind),
    "question_words": DerivedLabel("words in the question, without its options", _words),
    "frames_needed": DerivedLabel("fewest evenly taken frames that carry the answer", _frames_needed),
    "frames": DerivedLabel("frames that the run shows of a video", _frames, of_run=True),
    "evidence": DerivedLabel("whether the frames that the run shows carry the answer", _evidence, of_run=True),
}
"""Name → label that needs no label of the item's own; in this order in lists."""


Values = tuple[str | None, ...]
"""A value for each label of a cut; None stands for all of its values together."""

MOST_CELLS = 2_000
"""Cells of one cut; a label that has a value of its own for each question is a mistake more often than a wish."""

_PREFIX = "label:"


@dataclass(frozen=True)
class CutCell:
    """The figures of one part of the questions.

    Attributes:
        cells: column key of the benchmark's table → figure.
        unread: column key → its unread responses.
        items: questions in the part, answered or not.
    """

    cells: Mapping[str, Cell]
    unread: Mapping[str, Unread]
    items: int


@dataclass(frozen=True)
class Cut:
    """A run's figures under one scorer, by labels.

    Attributes:
        by: the labels.
        values: the values of each label, in the order of a table.
        cells: values → the part's figures. Besides each combination that occurs: all values of the last label
            together (None in its place), all values of the others, and all questions.
        types: of those labels whose value follows from the question type (see `cut`), the types of each value.
    """

    by: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    cells: Mapping[Values, CutCell]
    types: Mapping[str, Mapping[str, frozenset[str]]] = field(default_factory=dict)

    @property
    def follows_task(self) -> tuple[str, ...]:
        """The labels whose value follows from the question type."""
        return tuple(self.types)


def cut(
    scores: pl.DataFrame,
    labels: pl.DataFrame,
    by: Sequence[str],
    table: Table,
    *,
    columns: Collection[str] | None = None,
    measured: Collection[str] = (),
    asks: bool = False,
) -> Cut:
    """Compute figures by labels.

    If a label follows from the question type, such as a level or a category, each value has its own question types. A
    composite is then formed over its parts of those types: SpatialBench's Score for the level Planning is the mean of
    that level, and doesn't count the other four as missing.

    Args:
        scores: rows of `scoring.score_items.score` for one rule set.
        labels: values by `id` (`analyze.labels.label_frame`), of every item in the scores.
        by: names of its columns.
        table: of the rule set (`BenchmarkSpec.table_of`).
        columns: keys of the table's columns that are wanted; all where None.
        measured: labels that are measured of each question, such as tiers of people's times, and so follow from no type
            even where those of a few questions agree with it.
        asks: as in `further_figures.withheld_in`.

    Returns:
        The figures, for each combination of values that has a question.

    Raises:
        UsageError: one label is named twice, or the labels have more than `MOST_CELLS` combinations.
    """
    by = tuple(by)
    twice = next((name for name in by if by.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"a table by {', '.join(by)} names the label '{twice}' twice; name it once.")
    named = labels.select("id", *(pl.col(name).alias(_PREFIX + name) for name in by))
    rows = scores.join(named, on="id", how="inner", maintain_order="left")
    found_types = {name: _types_by_value(rows, name) for name in by}
    values = tuple(tuple(_in_tables_order(rows, name, table, found_types[name])) for name in by)
    count = rows.select(_PREFIX + name for name in by).n_unique() if by else 1
    if count > MOST_CELLS:
        many = max(by, key=lambda name: len(values[by.index(name)]))
        raise UsageError(
            f"a table by {', '.join(by)} has {count:,} cells; {MOST_CELLS:,} are the most. Leave out '{many}', "
            f"which has {len(values[by.index(many)]):,} values."
        )
    carried = [name for name in by if name not in measured]
    types = {name: own for name in carried if (own := found_types[name]) is not None}
    states = ReadStates.of(rows)
    is_left = asks or "unjudged" in rows["status"]  # to a judge
    prepared: dict[frozenset[str] | None, tuple[Prepared, Table]] = {}
    is_repeated = rows["id"].n_unique() < len(rows)
    ids = rows["id"].rank("dense").to_numpy().astype(np.intp) if is_repeated else np.arange(len(rows))
    first: Prepared | None = None
    found: dict[Values, CutCell] = {}
    for grouping in dict.fromkeys([by, by[:-1], by[-1:], ()]):
        for key, inside in _parts(rows, grouping):
            given = dict(zip(grouping, key, strict=True))
            limits = [types[name][value] for name, value in given.items() if name in types]
            tasks = frozenset[str].intersection(*limits) if limits else None
            if tasks not in prepared:
                meant = table if tasks is None else table.restricted(tasks)
                first = prepare(rows, meant, like=first)
                prepared[tasks] = first, meant
            data, meant = prepared[tasks]
            part = data.part(inside)
            figures = cells_of(part, meant, columns)
            unread = unread_of(part, states.part(inside[data.rows]), meant, columns)
            if is_left:
                inner = rows.filter(inside)
                figures = blanked(figures, withheld_in(inner, meant, asks=asks))
                unread = with_unjudged(unread, inner.filter(pl.col("rule_set") != JUDGED), meant)
            found[tuple(given.get(name) for name in by)] = CutCell(
                figures, {key: one for key, one in unread.items() if key in figures}, len(np.unique(ids[inside]))
            )
    return Cut(by, values, found, types)


def _parts(rows: pl.DataFrame, by: Sequence[str]) -> Iterator[tuple[tuple[str, ...], NDArray[np.bool_]]]:
    """The combinations of values that occur, in the order of rows, and which rows have each."""
    if not by:
        yield (), np.ones(len(rows), dtype=bool)
        return
    keys = list(zip(*(rows[_PREFIX + name].to_list() for name in by), strict=True))
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    codes = np.array([numbers[key] for key in keys], dtype=np.intp)
    for key, number in numbers.items():
        yield key, codes == number


def _types_by_value(rows: pl.DataFrame, name: str) -> dict[str, frozenset[str]] | None:
    """The question types of each value of a label; None where two values share one, there is one value only, or no type
    has two questions, so that nothing shows that the label follows from it."""
    typed = rows.filter(pl.col("task") != "")
    if typed["id"].n_unique() == typed["task"].n_unique():
        return None
    pairs = typed.select(_PREFIX + name, "task").unique()
    if pairs[_PREFIX + name].n_unique() < 2 or pairs["task"].n_unique() < len(pairs):
        return None
    found: dict[str, set[str]] = {value: set() for value in rows[_PREFIX + name].unique()}
    for value, task in pairs.iter_rows():
        found[value].add(task)
    return {value: frozenset(tasks) for value, tasks in found.items()}


def _in_tables_order(
    rows: pl.DataFrame, name: str, table: Table, types: Mapping[str, frozenset[str]] | None
) -> list[str]:
    """A label's values: question types, and classes of them, as the table's columns have them; others by `in_order`."""
    ordered = in_order(rows[_PREFIX + name].unique().to_list())
    places = table.places_of_tasks
    if types is None or not any(places.get(task) for own in types.values() for task in own):
        return ordered
    last = (len(table.columns),)
    return sorted(ordered, key=lambda value: min((places.get(task) or last for task in types[value]), default=last))
