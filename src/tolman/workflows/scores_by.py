"""A run's figures by labels, as a frame."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

    from tolman.items import Item
    from tolman.media.sampling import Frames
    from tolman.scoring.table import Table


@dataclass(frozen=True)
class Labelled:
    """What figures by labels need besides scores.

    Attributes:
        items: gives the questions.
        table_of: scorer → its table.
        shown: how the run samples videos; None where it isn't known.
    """

    items: Callable[[], Sequence[Item]]
    table_of: Callable[[str], Table]
    shown: Frames | None = None


def figures_by(rows: pl.DataFrame, labelled: Labelled, by: Sequence[str], scorer: str) -> pl.DataFrame:
    """Figures of one scorer by labels.

    Args:
        rows: of all scorers (`tolman.scoring.score_frame.SCHEMA`).
        labelled: the questions and tables.
        by: labels; one that a taxonomy gives needn't be carried by the questions.
        scorer: its name.

    Returns:
        A row for each combination of values and column of the table: a column for each label (null for all of its
        values together), then column, title, value, low, high, n, effective_scenes, unanswered, missing.

    Raises:
        UsageError: no question has such a label.
    """
    import polars as pl

    from tolman.analyze.cuts import cut
    from tolman.analyze.labels import label_frame
    from tolman.analyze.taxonomies import PLACE_LABELS, with_places

    items = list(labelled.items())
    placed = with_places(items) if set(by) & set(PLACE_LABELS) else items
    table = labelled.table_of(scorer)
    found = cut(rows.filter(pl.col("rule_set") == scorer), label_frame(placed, by, labelled.shown), by, table)
    places = [{value: place for place, value in enumerate((*own, None))} for own in found.values]
    ordered = sorted(found.cells, key=lambda key: [own[value] for own, value in zip(places, key, strict=True)])
    lines = [
        (
            *key, column.key, column.title, cell.value,
            cell.interval.low if cell.interval else None, cell.interval.high if cell.interval else None,
            cell.n, cell.effective_scenes, cell.unanswered, list(cell.missing),
        )
        for key in ordered
        for column in table.columns
        for cell in [found.cells[key].cells[column.key]]
    ]  # fmt: skip
    schema: dict[str, Any] = {f"label {name}": pl.String for name in by} | {
        "column": pl.String, "title": pl.String, "value": pl.Float64, "low": pl.Float64, "high": pl.Float64,
        "n": pl.Int64, "effective_scenes": pl.Float64, "unanswered": pl.Int64, "missing": pl.List(pl.String),
    }  # fmt: skip
    frame = pl.DataFrame(lines, schema=schema, orient="row")
    own = {f"label {name}": name for name in by if name not in frame.columns}
    return frame.rename(own)
