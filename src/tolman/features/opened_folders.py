"""Folders that the API opens: a run, whose parts are read as they are asked for, and a collection of scenes.

A loop over the collection reads it again from disk.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from tolman import benchmarks
from tolman.errors import InputError, unknown
from tolman.extras import LazyModule
from tolman.features.notebook import Displayable, NotebookTable, given_as
from tolman.features.scores import Labelled, Scores, SvgFigure
from tolman.items import Item
from tolman.responses import Failure, Outcome, Response
from tolman.runs.run_folder import RunFolder, RunRecord
from tolman.runs.run_scoring import frames_shown
from tolman.storage import pull

if TYPE_CHECKING:
    from tolman.ground_truth import scene_arrays
    from tolman.scenes import Scene, Skipped
else:
    scene_arrays = LazyModule("tolman.ground_truth.scene_arrays")


class Run(Displayable):
    """A run's folder: settings, questions, responses and scores, read when they are asked for.

    Args:
        path: the folder.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = pull(path)
        self._folder = RunFolder(self.path)

    @cached_property
    def record(self) -> RunRecord:
        """Settings, data and versions, as run.json has them.

        Raises:
            InputError: the folder is no run's.
        """
        return self._folder.record()

    @property
    def name(self) -> str:
        """How tables call it: the model, with the protocol where it isn't 'direct'."""
        return self.record.settings.named()

    @cached_property
    def figures(self) -> dict[str, Any]:
        """Return the content of scores.json.

        Raises:
            InputError: the run was never scored.
        """
        return self._folder.figures()

    @cached_property
    def scores(self) -> Scores:
        """The figures of the benchmark's table.

        Raises:
            InputError: the run was never scored.
            UsageError: its benchmark isn't there any more.
        """
        spec = benchmarks.get(self.record.settings.benchmark)
        labelled = Labelled(self.items, spec.table_of, spec.asks_judge, frames_shown(self.record))
        return Scores(spec.title, spec.table, self.figures, self._folder.scores(), labelled=labelled)

    def items(self) -> list[Item]:
        """The questions that were asked."""
        return self._folder.items()

    def outcomes(self) -> list[Outcome]:
        """Return the outcomes: a Response or a Failure for each question and sample."""
        return self._folder.outcomes()

    def samples(self, *, pandas: bool = False) -> pl.DataFrame | Any:
        """One row for each question and sample.

        Args:
            pandas: give a pandas frame in place of a Polars one.

        Returns:
            Columns id, sample, task, scene, question, answer (the true one), response (null where the call failed),
            reasoning, finish_reason, input_tokens, output_tokens, reasoning_tokens (of the output), cached_tokens and
            media_tokens (of the input), seconds, cost, failure, and for each scorer `NAME`
            (0–1, null where it isn't scored) and `NAME_answer` (as it was read).

        Raises:
            InputError: the run was never scored.
            MissingExtraError: pandas is wanted and not installed.
        """
        items = {item.id: item for item in self.items()}
        rows = [_sample(outcome, items[outcome.id]) for outcome in self.outcomes() if outcome.id in items]
        found = pl.DataFrame(rows, schema=_SAMPLE, orient="row")
        scores = self._folder.scores()
        for scorer in scores["rule_set"].unique(maintain_order=True):
            own = scores.filter(pl.col("rule_set") == scorer).select(
                "id",
                pl.col("repeat").cast(pl.Int64).alias("sample"),
                pl.col("score").alias(scorer),
                pl.col("reading").alias(f"{scorer}_answer"),
            )
            found = found.join(own, on=["id", "sample"], how="left", maintain_order="left")
        return given_as(found, pandas=pandas)

    def failures(self, *, pandas: bool = False) -> pl.DataFrame | Any:
        """One row for each call that brought no text.

        Args:
            pandas: give a pandas frame in place of a Polars one.

        Returns:
            Columns id, sample, kind, message, attempts.

        Raises:
            MissingExtraError: pandas is wanted and not installed.
        """
        rows = [(o.id, o.repeat, str(o.kind), o.message, o.attempts) for o in self.outcomes() if isinstance(o, Failure)]
        schema = {"id": pl.String, "sample": pl.Int64, "kind": pl.String, "message": pl.String, "attempts": pl.Int64}
        return given_as(pl.DataFrame(rows, schema=schema, orient="row"), pandas=pandas)

    @property
    def cost(self) -> float | None:
        """Return the cost of the tokens of all responses; None where the run had no prices."""
        costs = [outcome.cost for outcome in self.outcomes() if isinstance(outcome, Response)]
        known = [cost for cost in costs if cost is not None]
        return sum(known) if known else None

    def page(self) -> Path:
        """Write report.html, the page with every item, into the folder.

        Returns:
            The file.
        """
        from tolman.features.report.compute import write_pages

        return write_pages([self.path])

    def figure(self) -> SvgFigure:
        """A dot with its 95 % interval for each figure.

        Raises:
            MissingExtraError: Matplotlib isn't installed.
        """
        return self.scores.figure()

    def __repr__(self) -> str:
        if not self._is_scored:
            return super().__repr__()
        return f"<Run {self.name} at {self.path}: {self.scores!r}>"

    @property
    def _is_scored(self) -> bool:
        return (self.path / "scores.json").exists()

    def _title(self) -> str:
        return f"{self.scores.title}: {self.name} · {self.path}" if self._is_scored else f"{self.path}: not scored"

    def _shown(self) -> NotebookTable:
        return self.scores._shown() if self._is_scored else NotebookTable()


_SAMPLE: dict[str, Any] = {
    "id": pl.String, "sample": pl.Int64, "task": pl.String, "scene": pl.String, "question": pl.String,
    "answer": pl.String, "response": pl.String, "reasoning": pl.String, "finish_reason": pl.String,
    "input_tokens": pl.Int64, "output_tokens": pl.Int64, "reasoning_tokens": pl.Int64, "cached_tokens": pl.Int64,
    "media_tokens": pl.Int64, "seconds": pl.Float64, "cost": pl.Float64,
    "failure": pl.String,
}  # fmt: skip


def _sample(outcome: Outcome, item: Item) -> tuple[Any, ...]:
    head = (outcome.id, outcome.repeat, item.task, item.scene, item.question, item.answer)
    if isinstance(outcome, Failure):
        return (*head, *[None] * 10, f"{outcome.kind}: {outcome.message}")
    usage = outcome.usage
    return (
        *head, outcome.response, outcome.reasoning, outcome.finish_reason, usage.input_tokens, usage.output_tokens,
        usage.reasoning_tokens, usage.cached_tokens, usage.media_tokens, outcome.seconds, outcome.cost, None,
    )  # fmt: skip


class Scenes(Displayable):
    """A collection of scenes, read again by each loop over it: any number fits.

    Args:
        path: a folder of scenes, or of VSI-Bench's released meta-info.

    Raises:
        InputError: there is no such folder.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = pull(path)
        if not self.path.exists():
            raise InputError(path, "does not exist", fix="give a folder that 'tolman ingest' or 'simulate' wrote")

    def __iter__(self) -> Iterator[Scene]:
        return (scene for scene, _ in self._usable())

    def __getitem__(self, id: str) -> Scene:
        """The scene of that id.

        Raises:
            UsageError: there is none.
        """
        for scene in self:
            if scene.id == id:
                return scene
        raise unknown("scene", id, self.ids())

    def ids(self) -> list[str]:
        """The ids of the scenes, in their order."""
        return [scene.id for scene in self]

    def skipped(self) -> list[Skipped]:
        """Scenes and objects that can't be used, with the reason."""
        return [one for one in self._found() if not isinstance(one, scene_arrays.SceneGeometry)]

    def table(self, *, pandas: bool = False) -> pl.DataFrame | Any:
        """One row for each scene.

        Args:
            pandas: give a pandas frame in place of a Polars one.

        Returns:
            Columns id, dataset, objects, categories (counts), room_area (m²), captures, video.

        Raises:
            MissingExtraError: pandas is wanted and not installed.
        """
        schema = {
            "id": pl.String, "dataset": pl.String, "objects": pl.Int64, "categories": pl.Int64,
            "room_area": pl.Float64, "captures": pl.Int64, "video": pl.String,
        }  # fmt: skip
        rows = [
            (s.id, s.dataset, len(s.objects), len(s.categories), s.room_area, captures, s.video)
            for s, captures in self._usable()
        ]
        return given_as(pl.DataFrame(rows, schema=schema, orient="row"), pandas=pandas)

    def _title(self) -> str:
        return str(self.path)

    def _shown(self) -> NotebookTable:
        return NotebookTable.of(self.table())

    def _found(self) -> Iterator[Any]:
        return scene_arrays.open_collection(self.path)

    def _usable(self) -> Iterator[tuple[Scene, int]]:
        for one in self._found():
            if isinstance(one, scene_arrays.SceneGeometry):
                yield one.scene, len(one.captures)
