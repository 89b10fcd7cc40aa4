"""Generating: a benchmark from scenes."""

from __future__ import annotations

import itertools
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from tolman.benchmarks.benchmark_folder import FILE as CARD
from tolman.errors import InputError, UsageError, counted
from tolman.features.events import Advanced, Began, Ended, Events, Noted, silent
from tolman.features.generate.config import GenerateConfig
from tolman.features.notebook import Displayable, NotebookTable, given_as
from tolman.files import alone_in
from tolman.generate.draft_collection import Collected, collect
from tolman.generate.draft_storage import DraftFile, EntryPart
from tolman.generate.presets import GenerationPreset, preset as preset_of
from tolman.generate.publish import check_other, check_place, check_reviewed, publish, remove_benchmark, statistics_of
from tolman.generate.selection import select
from tolman.ground_truth.corrections import correct, read_corrections
from tolman.ground_truth.scene_arrays import SceneGeometry, open_collection
from tolman.parallel import place_of
from tolman.scene_table import count_scenes, has_scenes, read_scenes
from tolman.scenes import Skipped

NAMED_REASONS = 3
"""Reasons that the sentence names where nothing can be asked; the statistics have them all."""
PARALLEL_FROM = 2_000
"""Questions that are worth the start of other processes."""
MANY_SCENES = 32
"""Scenes that are."""
_LOOKED_AT = 16
"""Scenes by which a preset is chosen."""


@dataclass(frozen=True, repr=False)
class GenerateResult(Displayable):
    """A benchmark that was generated.

    Attributes:
        out: its folder.
        questions: how many it has.
        scenes: usable scenes that were read.
        skipped: scenes and objects that couldn't be used, with the reason.
        statistics: by question type the candidates offered, taken, left out, rejected and filtered, as in
            provenance.json.
    """

    out: Path
    questions: int
    scenes: int
    skipped: tuple[Skipped, ...]
    statistics: dict[str, Any]

    def table(self, *, pandas: bool = False) -> pl.DataFrame | Any:
        """One row for each question type.

        Args:
            pandas: give a pandas frame in place of a Polars one.

        Returns:
            Columns task, questions, offered, rejected (drafts that broke a rule), reason (the most frequent of them,
            null where none was rejected), filtered (choices that shortcut filtering left out, null where it had no
            part).

        Raises:
            MissingExtraError: pandas is wanted and not installed.
        """

        schema: dict[str, Any] = {
            "task": pl.String, "questions": pl.Int64, "offered": pl.Int64, "rejected": pl.Int64, "reason": pl.String,
            "filtered": pl.Int64,
        }  # fmt: skip
        rows = [
            (
                task, n["taken"], n["offered"], sum(n["rejected"].values()),
                max(n["rejected"], key=n["rejected"].__getitem__, default=None),
                n["filtered"]["asked"] - n["filtered"]["kept"] if "filtered" in n else None,
            )
            for task, n in self.statistics["tasks"].items()
        ]  # fmt: skip
        return given_as(pl.DataFrame(rows, schema=schema, orient="row"), pandas=pandas)

    def _title(self) -> str:
        return f"{self.out}: {counted(self.questions, 'question')} from {counted(self.scenes, 'scene')}"

    def _shown(self) -> NotebookTable:
        left_out = f"Scenes and objects left out: {len(self.skipped):,}; the reasons are in .skipped."
        return NotebookTable.of(self.table(), *([left_out] if self.skipped else []))


class NoQuestionsError(UsageError):
    """No question can be asked of the scenes.

    Args:
        text: a sentence with the most frequent reasons.
        statistics: by question type the candidates offered and rejected, and why.
    """

    def __init__(self, text: str, statistics: dict[str, Any]) -> None:
        super().__init__(text)
        self.statistics = statistics


def generate(config: GenerateConfig, events: Events = silent) -> GenerateResult:
    """Make a benchmark from scenes. Scenes and objects that can't be used are noted, counted and left out.

    Raises:
        InputError: no such folder, no usable scene, or an output folder that holds something else.
        UsageError: an unknown preset or family.
        NoQuestionsError: no question comes out.
        WorkerError: the place can't be used, or workers are lost again and again.
    """

    name = config.preset
    if not config.scenes.exists():
        raise InputError(config.scenes, "there is no such folder", fix="check the path")
    if name is None:
        name, reason = preset_for(config.scenes)
        events(Noted(f"Generation preset {name}, as {reason}. --preset takes another."))
    return generate_under(config, preset_under(config, name), events)


@dataclass(frozen=True)
class Choosing:
    """How some of the questions that scenes have are taken.

    Attributes:
        offered: the preset under which questions are collected and selected first.
        take: chooses among these.
    """

    offered: GenerationPreset
    take: Callable[[EntryPart, Collected], EntryPart]


def generate_under(
    config: GenerateConfig, preset: GenerationPreset, events: Events = silent, choosing: Choosing | None = None
) -> GenerateResult:
    """Make a benchmark from scenes under a preset that is no named one.

    Args:
        config: the rest of the settings.
        preset: in place of the config's preset and its changes.
        events: called with progress and notes.
        choosing: a further selection; none where None.

    Raises:
        TolmanError: as `generate` does.
    """
    place = place_of(config.on, config.workers)
    if preset.share.rings and config.choices:
        raise UsageError("rings are of numbers as numbers, and their options would tell: leave out --choices.")
    check_kept = partial(
        check_other,
        *(config.out, config.scenes, preset, config.seed),
        choices=config.choices,
        overwrite=config.overwrite,
    )
    check_place(config.out)
    check_kept()
    with tempfile.TemporaryDirectory(prefix="tolman-") as folder, DraftFile(Path(folder) / "drafts") as draft_file:
        events(Began("reading scenes"))
        drafting = place_of(config.on, config.workers, few=count_scenes(config.scenes) < MANY_SCENES)
        found = noted(open_collection(config.scenes), events, shown=config.media)
        offered = choosing.offered if choosing else preset
        collected = collect(found, offered, config.seed, draft_file, workers=drafting)
        events(Began("choosing questions"))
        taken = select(
            collected,
            offered,
            config.seed,
            workers=place_of(config.on, config.workers, few=len(collected.entries) < PARALLEL_FROM),
            done=lambda task: events(Advanced(state=f"filtered: {task}")),
        )
        if choosing:
            taken = choosing.take(taken, collected)
        if not taken:
            events(Ended())
            statistics = statistics_of(taken, collected, preset)
            raise NoQuestionsError(_nothing(collected, statistics, preset.name), statistics)
        events(Began("writing questions"))
        with alone_in(config.out, wait=True):
            # Another command may have filled the folder since.
            check_place(config.out)
            check_kept()
            check_reviewed(config.out, statistics_of(taken, collected, preset))
            if config.overwrite and (config.out / CARD).is_file():
                remove_benchmark(config.out)
            statistics = publish(
                config.out,
                taken,
                collected,
                preset,
                config.seed,
                config.scenes,
                choices=config.choices,
                licence=config.licence,
                media=config.media,
                workers=place,
            )
        events(Ended())
        return GenerateResult(config.out, len(taken), collected.scenes, tuple(collected.skipped), statistics)


def noted(
    found: Iterable[SceneGeometry | Skipped], events: Events, *, shown: bool = False
) -> Iterator[SceneGeometry | Skipped]:
    """The same, with an event for every scene, and notes of skipped ones, of boxes without a review, and of scenes
    without a video if these are to be shown."""

    unreviewed, scenes, unseen = 0, 0, 0
    for one in found:
        if isinstance(one, Skipped):
            events(Noted(f"skipped: {one.scene}: {one.reason}", "warning"))
        else:
            unreviewed += sum(thing.lifted is not None for thing in one.scene.objects)
            scenes += 1
            unseen += shown and not (one.scene.video or any(camera.media for camera in one.captures))
            events(Advanced())
        yield one
    if unreviewed:
        boxes = counted(unreviewed, "box is", "boxes are")
        events(Noted(f"{boxes} lifted from marks and unreviewed; answers may rest on them.", "warning"))
    if unseen:
        some = f"{unseen:,} of {counted(scenes, 'scene')} without a video"
        events(Noted(f"{some}: models get only the text of such questions.", "warning"))


def preset_for(scenes: Path) -> tuple[str, str]:
    """Choose a generation preset for scenes by the first of them; its name, and why it was chosen."""
    first = list(itertools.islice(read_scenes(scenes), _LOOKED_AT)) if has_scenes(scenes) else []
    corrections = read_corrections(scenes) if first else ()
    first = [correct(scene, corrections) for scene in first]
    groups = Counter(scene.twins for scene in first if scene.twins)
    if any(count > 1 for count in groups.values()):
        return "tolman-2", "the scenes are twins"
    if first and not any(scene.metric and scene.objects for scene in first):
        return "posed-video", "the scenes have no boxes in metres"
    return "vsi-paper", "the scenes have boxes in metres"


def preset_under(config: GenerateConfig, name: str) -> GenerationPreset:
    """Return a generation preset with the changes of the config."""

    chosen = preset_of(name)
    if config.families:
        chosen = chosen.choosing(config.families)
    return chosen.with_share(
        per_scene=config.per_scene,
        per_task=config.per_task,
        max_filter_rounds=config.max_filter_rounds,
        rings=config.rings,
    )


def _nothing(collected: Collected, statistics: dict[str, Any], name: str) -> str:
    """Why nothing at all is asked, in a sentence: for each reason that is any type's most frequent one, how many."""
    offered = collected.offered.total()
    tasks = statistics["tasks"].values()
    tops = Counter(max(n["rejected"], key=n["rejected"].__getitem__) for n in tasks if n["rejected"])
    reasons = [f"{reason} ({counted(n, 'question type')})" for reason, n in tops.most_common(NAMED_REASONS)]
    if offered:
        reasons.insert(0, f"{offered:,} were offered, and balancing answers and filtering left none")
    said = "; ".join(reasons)
    scenes = "the one scene" if collected.scenes == 1 else f"the {collected.scenes:,} scenes"
    return f"no question can be asked of {scenes} under the preset '{name}': {said or 'its families found nothing'}."
