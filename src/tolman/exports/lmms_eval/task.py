"""An exported benchmark in the terms of lmms-eval, for the `utils.py` of an exported task folder."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from tolman.exports.harness_scoring import ExportedBenchmark, shown
from tolman.extras import Image
from tolman.items import MEDIA_MARK, Item, Media
from tolman.scoring.score_table import pools_of

FAILED = "[LMMS_EVAL_REQUEST_FAILED"
"""How a response begins that lmms-eval puts in the place of one that didn't come."""

NAMES = {"task": "question_type", "cluster": "scene", "reading": "prediction"}
"""Columns of scores that a log's line has by the names that lmms-eval's own tasks give them."""

LINEARIZED = "linearized"
"""Field of a record that lmms-eval computes standard errors from: over a figure's items its mean is the figure, and its
standard error that of the figure. It is added once all items are there."""

_LOG = logging.getLogger(__name__)
Doc = Mapping[str, Any]


@lru_cache(maxsize=16)
def open_task(folder: str, preset: str) -> LmmsEvalTask:
    """Return the task of a folder, opened once: lmms-eval imports `utils.py` again for each function in the YAML.

    Raises:
        UsageError: there is no such prompt preset.
        InputError: the folder holds no exported benchmark.
    """
    return LmmsEvalTask(ExportedBenchmark.open(Path(folder), preset))


class LmmsEvalTask:
    """A benchmark as lmms-eval asks and scores it.

    Args:
        exported: the benchmark.
    """

    def __init__(self, exported: ExportedBenchmark) -> None:
        self.exported = exported

    def item(self, doc: Doc) -> Item:
        """Return the item of a row of items.parquet."""
        return self.exported.items[doc["id"]]

    def text(self, doc: Doc, kwargs: Mapping[str, Any] | None = None) -> str:
        """Return the prompt's text, with `<image>` for each medium between texts.

        Args:
            doc: the row.
            kwargs: `lmms_eval_specific_kwargs`; 'preset' is another prompt preset than the export's.
        """
        texts: list[str] = []
        for part in self._parts(doc, kwargs):
            if isinstance(part, str):
                texts.append(part)
            elif texts:
                texts.append(MEDIA_MARK)
        return "".join(texts) if MEDIA_MARK in texts else "\n".join(texts)

    def visuals(self, doc: Doc) -> list[Any]:
        """The media: RGB images, and the paths of videos."""
        return [one for part in self._parts(doc, None) if not isinstance(part, str) for one in self._shown(part)]

    def messages(self, doc: Doc, kwargs: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """Return the prompt as chat models take it, with its media in place. Arguments as of `text`."""
        content: list[dict[str, Any]] = []
        for part in self._parts(doc, kwargs):
            if isinstance(part, str):
                content.append({"type": "text", "text": part})
            else:
                content += [
                    {"type": "video" if isinstance(one, str) else "image", "url": one} for one in self._shown(part)
                ]
        return [{"role": "user", "content": content}]

    def results(self, doc: Doc, results: Sequence[Any]) -> dict[str, dict[str, Any]]:
        """Score the responses to a row.

        Returns:
            For each figure that the item counts in the same record: its id, question type, scene, reading, score and
            further values for the figure. There is no score if the request failed; for several responses, the record
            has all scores and their mean.
        """
        item = self.item(doc)
        rows = [
            self.exported.row(item, text, failure=text if text.startswith(FAILED) else None) for text in _texts(results)
        ]
        record = {NAMES.get(name, name): value for name, value in rows[0].items()}
        scores = [row["score"] for row in rows if row["score"] is not None]
        record["score"] = sum(scores) / len(scores) if scores else None
        if len(rows) > 1:
            record["samples"] = rows
        if record["score"] is None:
            del record["score"]
        return {self.metric(key): dict(record) for key in self.exported.columns_of(item)}

    def metric(self, key: str) -> str:
        """Return a figure's name in lmms-eval, which writes it before a comma."""
        return f"{self.exported.rules.name}_{key}".replace(",", ";")

    def is_better_higher(self, key: str) -> bool:
        """Check whether the greater of two values of a figure is the better one."""
        measures = [leaf.measure for leaf in pools_of([self.exported.table.column(key).node])]
        return all(one is None or one.direction == "higher" for one in measures)

    def figure(self, key: str) -> Callable[[list[dict[str, Any]]], float]:
        """The aggregation of a figure: from the records of its items to the figure as Tolman prints it; nan where no
        response counts. Writes `LINEARIZED` into the records where the figure has an interval."""

        def aggregate(records: list[dict[str, Any]]) -> float:
            rows = [row for record in records for row in _rows(record)]
            cell = self.exported.cells(rows)[key]
            if cell.value is None:
                return math.nan
            parts: list[float | None] | None = None
            if cell.interval is None:
                reason = cell.reason
            elif len(rows) != len(records):
                reason = "questions have several responses"
            else:
                parts, reason = self.exported.linearized(rows, key)
            if parts is None and key == self.exported.table.headline:
                _LOG.warning("%s has no standard error: %s.", self.metric(key), reason)
            for record, part in zip(records, parts or (), strict=False):
                if part is not None:
                    record[LINEARIZED] = part
            return cell.value

        return aggregate

    def _parts(self, doc: Doc, kwargs: Mapping[str, Any] | None) -> Iterable[str | Media]:
        message = self.exported.prompt(self.item(doc), (kwargs or {}).get("preset"))
        return [part for part in message.parts if isinstance(part, str | Media)]

    def _shown(self, medium: Media) -> list[Any]:
        """A video's path, or its frames where a part of it is meant; an image."""
        if medium.kind == "video" and medium.start is None and medium.end is None:
            return [str(self.exported.media / medium.path)]

        found = []
        for picture in shown(self.exported, medium):
            with Image.open(picture.path) as image:
                found.append(image.convert("RGB"))
        return found


def _texts(results: Sequence[Any]) -> list[str]:
    """The texts of one response or several, whichever way they are nested."""
    flat: list[str] = []
    for one in results:
        flat += _texts(one) if isinstance(one, list | tuple) else [str(one)]
    return flat


def _rows(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of scores in a record."""
    if "samples" in record:
        return list(record["samples"])
    own = {new: old for old, new in NAMES.items()}
    return [{own.get(name, name): value for name, value in record.items()}]
