"""Tolman's benchmarks as tasks of Inspect: `inspect eval tolman/vsi-bench --model …`, one for each name.

`tolman/folder` is the task of a benchmark folder: `inspect eval tolman/folder -T folder=./mybench`. Inspect loads this
module by its entry point.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageUser, ContentImage, ContentText, ContentVideo, GenerateConfig
from inspect_ai.scorer import Score, metric, scorer
from inspect_ai.solver import generate, solver

from tolman import benchmarks
from tolman.benchmarks.spec import check_frames
from tolman.errors import UsageError
from tolman.exports.harness_scoring import ExportedBenchmark, shown
from tolman.item_table import data_hash
from tolman.items import Item, Media
from tolman.media.sampling import Frames
from tolman.runs.run_items import load


def _task(name: str) -> Any:
    def benchmark(
        data: str | None = None,
        subset: str | None = None,
        revision: str | None = None,
        preset: str | None = None,
        frames: int | None = None,
        video: bool = False,
    ) -> Any:
        """The task of a benchmark that has a name.

        Args:
            data: folder with the released data; the hub where None.
            subset, revision, preset: as of `tolman run`.
            frames: of each video, evenly; as the preset says where None.
            video: whether videos are handed to the model by their files, which few providers take.

        Raises:
            UsageError: no such benchmark, subset or preset.
            InputError: the data is not the benchmark's.
        """
        loaded = load(name, None if data is None else Path(data), subset, revision, frames)
        return task_of(ExportedBenchmark(loaded, preset), frames=frames, video=video)

    benchmark.__name__ = name.replace("-", "_")
    return task(name=name)(benchmark)


def folder_task(folder: Path | str, preset: str | None = None, frames: int | None = None, video: bool = False) -> Any:
    """The task of a bundle; arguments as of a named one."""
    return task_of(ExportedBenchmark.open(Path(folder), preset), frames=frames, video=video)


TASKS = {name: _task(name) for name in benchmarks.names()}
TASKS["folder"] = task(name="folder")(folder_task)

NOT_SCORED = ("left out", "failed", "missing")
"""States of a response that no figure counts."""


def task_of(exported: ExportedBenchmark, *, frames: int | None = None, video: bool = False) -> Any:
    """The task of an exported benchmark; arguments as of a named one."""
    if frames is not None and frames < 1:
        raise UsageError(f"a video can't be shown with {frames} frames; give 1 or more.")
    check_frames(exported.benchmark, exported.loaded.subset, _frames(exported, frames, video))
    sampling = exported.preset.sampling
    config = {"temperature": sampling.temperature, "top_p": sampling.top_p, "max_tokens": sampling.max_tokens}
    benchmark = exported.benchmark
    return Task(
        dataset=MemoryDataset([_sample(exported, item) for item in exported.items.values()], name=benchmark.title),
        setup=_showing(exported, frames, video),
        solver=generate(),
        scorer=_scoring(exported),
        config=GenerateConfig(**{key: value for key, value in config.items() if value is not None}),
        metadata={
            "benchmark": benchmark.name,
            "subset": exported.loaded.subset,
            "data": exported.loaded.source,
            "questions": data_hash(list(exported.items.values())),
            "preset": exported.preset.name,
            "frames": "whole video" if video else f"{frames} frames" if frames else exported.preset.frames.describe(),
            "scorer": exported.rules.name,
        },
    )


def _sample(exported: ExportedBenchmark, item: Item) -> Any:
    metadata = {"question_type": exported.rules.task(item), "scene": item.cluster, "kind": item.kind, **item.labels}
    return Sample(
        id=item.id,
        input=exported.prompt(item).text,
        target=item.answer,
        choices=list(item.options) or None,
        metadata=metadata,
    )


def _frames(exported: ExportedBenchmark, count: int | None, video: bool) -> Frames:
    if video:
        return Frames(whole=True)
    return Frames(count=count) if count else exported.preset.frames


def _showing(exported: ExportedBenchmark, frames: int | None, video: bool) -> Any:
    """The solver that puts the media into the prompt."""

    def show() -> Any:
        async def solve(state: Any, generate: Any) -> Any:
            item = exported.items[str(state.sample_id)]
            content = await asyncio.to_thread(_content, exported, item, frames, video)
            state.messages = [ChatMessageUser(content=content)]
            return state

        return solve

    return solver(name="tolman_media")(show)()


def _content(exported: ExportedBenchmark, item: Item, frames: int | None, video: bool) -> list[Any]:
    found: list[Any] = []
    for part in exported.prompt(item).parts:
        if isinstance(part, str):
            found.append(ContentText(text=part))
        elif isinstance(part, Media):
            if video and part.kind == "video" and part.start is None and part.end is None:
                found.append(_video(exported.media / part.path))
            else:
                pictures = shown(exported, part, frames)
                found += [ContentImage(image=_inline(Path(one.path), "image/jpeg")) for one in pictures]
    return found


def _video(path: Path) -> Any:
    form = {".mpeg": "mpeg", ".mpg": "mpeg", ".mov": "mov"}.get(path.suffix.lower(), "mp4")
    return ContentVideo(video=_inline(path, "video/quicktime" if form == "mov" else f"video/{form}"), format=form)


def _inline(path: Path, kind: str) -> str:
    """A file as a data URI: Inspect takes no paths from solvers."""
    return f"data:{kind};base64,{base64.b64encode(path.read_bytes()).decode()}"


def _scoring(exported: ExportedBenchmark) -> Any:
    """The scorer, whose metrics are the benchmark's figures."""

    def figures() -> Any:
        def compute(scores: Sequence[Any]) -> dict[str, float]:
            cells = exported.cells([_row(one.score) for one in scores])
            first = exported.table.headline  # Inspect shows the first metric as the task's
            found = {key: cells[key].value for key in [first, *(key for key in cells if key != first)]}
            interval = cells[first].interval
            if interval is not None:
                found |= {f"{first}_lo": interval.low, f"{first}_hi": interval.high}
            return {key: value for key, value in found.items() if value is not None}

        return compute

    def judge() -> Any:
        async def score(state: Any, target: Any) -> Any:
            item = exported.items[str(state.sample_id)]
            text = state.output.completion
            cut = state.output.stop_reason in ("max_tokens", "model_length") and not text.strip()
            failure = "the token limit ended the response before its first word" if cut else None
            row = exported.row(item, text, failure=failure)
            value = row["score"] if row["score"] is not None else float("nan")
            return Score(value=value, answer=row["reading"] or None, explanation=text, metadata=row)

        return score

    own = metric(name="figures")(figures)()
    return scorer(metrics=[own], name=exported.rules.name)(judge)()


def _row(score: Any) -> dict[str, Any]:
    """The row of a score; over several epochs Inspect reduces the value, and keeps the first one's metadata."""
    row = dict(score.metadata)
    if row["status"] not in NOT_SCORED:
        row["score"] = float(score.value)
    return row
