"""Generating: a benchmark from scenes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tolman.errors import UsageError
from tolman.workflows.config import Setting
from tolman.workflows.events import Advanced, Began, Ended, Events, Noted, silent
from tolman.workflows.notebook import Displayable, NotebookTable, counted
from tolman.workflows.settings import NumberOfWorkers, On

if TYPE_CHECKING:
    import polars as pl

    from tolman.generate.collecting import Collected
    from tolman.generate.geometry import SceneGeometry
    from tolman.generate.settings import GenerationPreset
    from tolman.ingest.vsi_meta_info import Skipped

NAMED_REASONS = 3
"""Reasons that the sentence names where nothing can be asked; the statistics have them all."""
PARALLEL_FROM = 2_000
"""Questions that are worth the start of other processes."""
MANY_SCENES = 32
"""Scenes that are."""


@dataclass(frozen=True, kw_only=True)
class GenerateConfig:
    """Which benchmark is made of which scenes."""

    scenes: Annotated[
        Path, Setting("Folder of scenes: Parquet shards, or VSI-Bench's released meta-info.", positional=True)
    ]
    out: Annotated[Path, Setting("Folder of the benchmark.")]
    preset: Annotated[
        str,
        Setting(
            "Generation preset, which fixes families and thresholds: vsi-paper, vsi-official (with its defects), mmsi, "
            "site, spatialbench, tolman-1 or all."
        ),
    ] = "vsi-paper"
    families: Annotated[
        tuple[str, ...],
        Setting("Names of question families. Default: all of the generation preset's.", metavar="NAME[,NAME…]"),
    ] = ()
    seed: Annotated[int, Setting("Seed of everything that is drawn at random, a whole number.")] = 0
    per_scene: Annotated[
        int | None,
        Setting("Most questions of a type from a scene, from 1. Default: the generation preset's, 15 or 60.", least=1),
    ] = None
    per_task: Annotated[int | None, Setting("Most questions of a type, from 1. Default: no limit.", least=1)] = None
    choices: Annotated[bool, Setting("Write numerical questions in their multiple-choice form.")] = False
    max_filter_rounds: Annotated[
        int | None,
        Setting(
            "Most rounds of shortcut filtering, 0 (none) to 100. Default: the generation preset's, 10, or 0 for "
            "vsi-official.",
            least=0,
            most=100,
            aliases=("--filter-rounds",),
        ),
    ] = None
    rings: Annotated[
        bool | None,
        Setting(
            "Take questions in rings only: scenes that answer one question differently, each option right once, so "
            "that no text tells its answer. Default: the generation preset's, rings for tolman-1 alone."
        ),
    ] = None
    no_media: Annotated[
        bool,
        Setting(
            "Write the questions alone: videos and pictures are named after the scenes' videos and frames, and not put "
            "beside them. For scenes that were simulated with --no-media."
        ),
    ] = False
    licence: Annotated[
        str,
        Setting(
            "Licence of the questions and of the media with them, best as an SPDX identifier such as CC-BY-4.0; it "
            "stands in the data card. Default: none is named.",
        ),
    ] = ""
    on: On = None
    workers: NumberOfWorkers = None


@dataclass(frozen=True, repr=False)
class GenerateResult(Displayable):
    """A benchmark that was generated.

    Attributes:
        out: its folder.
        questions: how many it has.
        scenes: usable scenes that were read.
        skipped: scenes and objects that couldn't be used, with the reason.
        statistics: by question type what was offered, taken, left out, rejected and filtered, as in provenance.json.
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
        import polars as pl

        from tolman.workflows.frames import given_as

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
        statistics: by question type what was offered and rejected, and why.
    """

    def __init__(self, text: str, statistics: dict[str, Any]) -> None:
        super().__init__(text)
        self.statistics = statistics


def generate(config: GenerateConfig, events: Events = silent) -> GenerateResult:
    """Make a benchmark from scenes. Scenes and objects that can't be used are noted, counted and left out.

    Raises:
        InputError: no usable scene, or an output folder that holds something else.
        UsageError: an unknown preset or family.
        NoQuestionsError: no question comes out.
        WorkerError: the place can't be used, or workers are lost again and again.
    """
    import tempfile

    from tolman.generate.collecting import collect
    from tolman.generate.collection import open_collection
    from tolman.generate.publish import check_place, publish, statistics_of
    from tolman.generate.selection import select
    from tolman.generate.spool import Spool
    from tolman.parallel import place_of
    from tolman.scene_table import count_scenes

    preset, place = _preset(config), place_of(config.on, config.workers)
    if preset.share.rings and config.choices:
        raise UsageError("rings are of numbers as numbers, and their options would tell: leave out --choices.")
    check_place(config.out)
    with tempfile.TemporaryDirectory(prefix="tolman-") as folder, Spool(Path(folder) / "drafts") as spool:
        events(Began("reading scenes"))
        drafting = place_of(config.on, config.workers, few=count_scenes(config.scenes) < MANY_SCENES)
        found = noted(open_collection(config.scenes), events)
        collected = collect(found, preset, config.seed, spool, workers=drafting)
        events(Began("choosing questions"))
        taken = select(
            collected,
            preset,
            config.seed,
            workers=place_of(config.on, config.workers, few=len(collected.entries) < PARALLEL_FROM),
            done=lambda task: events(Advanced(state=f"filtered: {task}")),
        )
        if not taken:
            events(Ended())
            statistics = statistics_of(taken, collected, preset)
            raise NoQuestionsError(_nothing(collected, statistics, preset.name), statistics)
        events(Began("writing questions"))
        statistics = publish(
            config.out,
            taken,
            collected,
            preset,
            config.seed,
            config.scenes,
            choices=config.choices,
            licence=config.licence,
            media=not config.no_media,
            workers=place,
        )
        events(Ended())
        return GenerateResult(config.out, len(taken), collected.scenes, tuple(collected.skipped), statistics)


def noted(found: Iterable[SceneGeometry | Skipped], events: Events) -> Iterator[SceneGeometry | Skipped]:
    """The same, with an event for every scene, and a note for every scene or object that is skipped."""
    from tolman.ingest.vsi_meta_info import Skipped

    for one in found:
        if isinstance(one, Skipped):
            events(Noted(f"skipped: {one.scene}: {one.reason}", "warning"))
        else:
            events(Advanced())
        yield one


def _preset(config: GenerateConfig) -> GenerationPreset:
    """The generation preset with what the config changes of it."""
    from tolman.generate.settings import preset as preset_of

    chosen = preset_of(config.preset)
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
    reasons = [f"{reason} ({n} question type{'s' if n > 1 else ''})" for reason, n in tops.most_common(NAMED_REASONS)]
    if offered:
        reasons.insert(0, f"{offered:,} were offered, and balancing answers and filtering left none")
    said = "; ".join(reasons)
    scenes = "the one scene" if collected.scenes == 1 else f"the {collected.scenes:,} scenes"
    return f"no question can be asked of {scenes} under the preset '{name}': {said or 'its families found nothing'}."
