"""Recipes, a benchmark out of existing question sets written down as TOML, and the order of their stages.

`docs/curate/index.md` has a whole recipe. Each stage leads from the pool before it to a pool of its own.

```
POOL/
  recipe.json              what was asked for
  import/ …  verify/       one folder for each stage: items-*.parquet, stage.json, and what the stage says beside
  media/NAME/              the media of each question set: links to them, or images that stood inside tables
  benchmark/               what was published
```

A stage that is whole has a `stage.json` with a fingerprint of all that determined it; starting again passes over stages
whose fingerprint is the same. A stage that was stopped is done again, and finds its models' answers in the response
store. Tolman's own stages are each declared in their module; plugins add others.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, model_validator

import tolman
from tolman.analyze.duplicates import ALIKE, BITS
from tolman.curate.asking import AskedModel, Asker
from tolman.curate.convert import ConvertRules
from tolman.curate.importing import QuestionSource
from tolman.curate.mapping import Taxonomy, open_mapping, open_taxonomy
from tolman.errors import InputError, UsageError, hint, unknown
from tolman.files import write_text
from tolman.parallel import Workers
from tolman.registry import Registry
from tolman.toml_catalogue import checked, read_table


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SourceEntry(_Part):
    """A question set.

    Attributes:
        mapping: a name, or the path of a TOML file.
        data: the folder or file with its questions.
        media: the folder of its images or videos; the data's where None.
        name: of its own, for a mapping that is used twice.
        trust_labels: whether its own categories select the spatial questions; otherwise the model is asked about all.
    """

    mapping: str
    data: Path
    media: Path | None = None
    name: str | None = Field(default=None, pattern=r"^[a-z0-9][a-z0-9-]*$")
    trust_labels: bool = True


class Against(_Part):
    """A benchmark that nothing may be shared with: a name or folder, with its data."""

    benchmark: str
    data: Path | None = None
    subset: str | None = None


class Duplicates(_Part):
    """When questions count as the same.

    Attributes:
        alike: the least share of five-letter pieces that texts have in common.
        pictures: whether media are compared by their content; otherwise by their names.
        bits: the most bits in which the hashes of the same picture differ.
        against: benchmarks whose questions are taken out of the pool.
    """

    alike: float = Field(default=ALIKE, gt=0, le=1)
    pictures: bool = True
    bits: int = Field(default=BITS, ge=0, le=7)
    against: tuple[Against, ...] = ()


class Classify(AskedModel):
    """Settings of the stage that sorts questions.

    Attributes:
        taxonomy: `site`, or the path of a TOML file.
        batch: candidates in one call about texts.
        media: the second stage, in which the model sees the media too.
        systems: ask for the three classification systems too.
        hand: a file of labels that people gave (columns id, category, and any of scale, factor, information, change):
            they are final, and the model's agreement with them is reported.
    """

    taxonomy: str = "site"
    batch: int = Field(default=10, ge=1, le=100)
    media: bool = True
    systems: bool = True
    hand: Path | None = None


class Convert(ConvertRules):
    """See `ConvertRules`.

    Attributes:
        writer: the model that writes distractors of texts, and is asked about second right answers.
        show_media: whether it sees the media.
    """

    writer: AskedModel | None = None
    show_media: bool = False

    @model_validator(mode="after")
    def _has_a_writer(self) -> Convert:
        if self.texts == "model" and self.writer is None:
            raise ValueError("texts = 'model' needs a [convert.writer] with a model")
        return self


class Stratify(_Part):
    """Settings of the stage that draws questions.

    Attributes:
        size: how many; all that the caps allow where None.
        by: labels over which the draw is even, the most important first; also source, task, kind, scene, options.
        caps: label → the most of any one of its values.
        letters: 'all' makes letters even over all questions whose options may change their order; 'converted' leaves
            questions that came with options as they are.
    """

    size: int | None = Field(default=None, ge=1)
    by: tuple[str, ...] = Field(default=("category", "source"), min_length=1)
    caps: dict[str, int] = {}
    letters: Literal["all", "converted"] = "all"


class Verify(_Part):
    """Settings of the stage that checks answers (SpatialBench, section 4.2).

    Attributes:
        models: at least two, which answer independently.
        spot_check: the share of approved questions that people look at all the same.
        people_from_level: questions of this level or a higher one always go to people, and so do those whose level
            isn't known; 99: levels don't count.
    """

    models: tuple[AskedModel, ...] = Field(min_length=2)
    spot_check: float = Field(default=0.1, ge=0, le=1)
    people_from_level: int = 3


class Publish(_Part):
    """Settings of the benchmark's folder.

    Attributes:
        task: the label that becomes the question type of the published table.
        scoring_profile: a benchmark whose prompts, scorers and table it takes, such as `site`; `like` in older recipes.
        licence: of the folder; the sources' are listed anyway.
        decisions: JSON Lines of people's decisions: {"id": …, "decision": "approve" or "reject"}.
        undecided: treatment of questions that are left for people: 'keep' or 'leave-out'.
        link_media: put the media into the folder.
    """

    task: str = "category"
    scoring_profile: str | None = Field(default=None, validation_alias=AliasChoices("scoring_profile", "like"))
    licence: str = "other"
    decisions: Path | None = None
    undecided: Literal["keep", "leave-out"] = "keep"
    link_media: bool = True


class Recipe(_Part):
    """A benchmark to be built.

    Attributes:
        name, title: of the benchmark.
        seed: of everything that is drawn at random.
        sources: question sets.
        duplicates, classify, convert, stratify, verify, publish: the stages. `duplicates`, `classify`, `stratify` and
            `verify` are left out where they are not in the recipe.
        stages: settings of stages that plugins add, by name: the tables [stages.NAME].
    """

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")
    title: str = ""
    seed: int = 0
    sources: tuple[SourceEntry, ...] = Field(min_length=1)
    duplicates: Duplicates | None = None
    classify: Classify | None = None
    convert: Convert = Convert()
    stratify: Stratify | None = None
    verify: Verify | None = None
    publish: Publish = Publish()
    stages: dict[str, dict[str, Any]] = {}

    @model_validator(mode="after")
    def _names_differ(self) -> Recipe:
        names = [self.source_name(entry) for entry in self.sources]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice:
            raise ValueError(f"two sources are named '{twice}'; give one of them a name of its own")
        return self

    @staticmethod
    def source_name(entry: SourceEntry) -> str:
        """The name of a source in the pool."""
        return entry.name or open_mapping(entry.mapping).name

    @property
    def trusted(self) -> set[str]:
        """Return the names of sources whose own categories select the spatial questions."""
        return {self.source_name(entry) for entry in self.sources if entry.trust_labels}

    def opened(self) -> list[QuestionSource]:
        """The question sets with their mappings.

        Raises:
            UsageError, InputError: a mapping that can't be read.
        """
        return [
            QuestionSource(self.source_name(entry), open_mapping(entry.mapping), entry.data, entry.media)
            for entry in self.sources
        ]


def read_recipe(path: Path) -> Recipe:
    """Read a recipe, whose paths are relative to its file.

    Raises:
        InputError: the file is none.
    """
    text, table = read_table(path)
    return checked(Recipe, path, text, _placed(table, path.parent))


_PATHS = {"data", "media", "hand", "decisions", "prices"}


def _placed(data: Any, folder: Path) -> Any:
    """The same with its relative paths below a folder."""
    if isinstance(data, list):
        return [_placed(one, folder) for one in data]
    if not isinstance(data, dict):
        return data
    texts = {key: _placed_text(key, text, folder) for key, text in data.items() if isinstance(text, str)}
    return {key: texts[key] if key in texts else _placed(value, folder) for key, value in data.items()}


def _placed_text(key: str, text: str, folder: Path) -> str:
    file = key in ("mapping", "taxonomy") and text.endswith(".toml")
    if key in _PATHS or file or (key == "benchmark" and text.startswith((".", "/"))):
        return str(folder / text)
    if key == "model" and text.startswith("scripted/"):
        return f"scripted/{folder / text.removeprefix('scripted/')}"
    return text


STAMP = "stage.json"


class Watch:
    """An observer of a pipeline's progress. This one ignores all reports."""

    def stage(self, name: str) -> None:
        """A stage begins."""

    def begin(self, what: str, total: int | None) -> None:
        """A part of the stage begins: so many steps, where that is known."""

    def advance(self, count: int = 1) -> None:
        """Steps are done."""


@dataclass
class Work:
    """Inputs that all stages need.

    Attributes:
        recipe: the request.
        root: the pool's folder.
        store: of responses, other than the user's own.
        watch: receives the progress.
        workers: that look at media. Default: processes where there are many.
    """

    recipe: Recipe
    root: Path
    store: Path | str | None = None
    watch: Watch = field(default_factory=Watch)
    workers: Workers | None = None

    @property
    def sources(self) -> list[QuestionSource]:
        """The question sets."""
        return self.recipe.opened()

    @property
    def taxonomy(self) -> Taxonomy:
        """The categories."""
        return open_taxonomy(self.recipe.classify.taxonomy if self.recipe.classify else "site")

    def options(self, stage: str) -> dict[str, Any]:
        """The table [stages.NAME] of a plugin's stage; empty where the recipe has none."""
        return dict(self.recipe.stages.get(stage, {}))

    def asker(self, asked: AskedModel) -> Asker:
        """Return a model to ask about candidates, which reports to the watch."""
        return Asker(asked, self.store, self.root, self.watch.advance)


@dataclass(frozen=True)
class Stage:
    """One stage.

    Attributes:
        name: of its folder.
        run: (work, folder of the stage before, own folder) → statistics of its work; `failed` counts calls that must
            be made again.
        settings: (work) → all that determines it, besides its input; if None, its table in the recipe, and the seed.
        wanted: whether the recipe has it. A plugin's has, where there is a table [stages.NAME] in it.
        after: the stage that it comes after; '' for the first.

    Raises:
        UsageError: a name that no folder of a pool can have.
    """

    name: str
    run: Callable[[Work, Path, Path], dict[str, Any]]
    settings: Callable[[Work], Any] | None = None
    wanted: Callable[[Recipe], bool] | None = None
    after: str = ""

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z0-9][a-z0-9-]*", self.name) or self.name in ("media", "recipe"):
            raise UsageError(
                f"a stage can't be named '{self.name}': it names a folder; use lower case letters, digits and hyphens."
            )

    def is_wanted(self, recipe: Recipe) -> bool:
        """Check whether a recipe has the stage."""
        return self.wanted(recipe) if self.wanted else self.name in recipe.stages

    def determined_by(self, work: Work) -> Any:
        """Return the input of its fingerprint: its settings; a plugin's are its table in the recipe, and the seed."""
        return self.settings(work) if self.settings else [work.options(self.name), work.recipe.seed]


@dataclass(frozen=True)
class Done:
    """A stage that was carried out, or was whole already.

    Attributes:
        name, folder: of the stage.
        statistics: of its work.
        again: whether it had to be carried out.
    """

    name: str
    folder: Path
    statistics: dict[str, Any]
    again: bool

    @property
    def failed(self) -> int:
        """Calls that must be made again."""
        return int(self.statistics.get("failed", 0))


def carry_out(work: Work, stages: list[Stage], until: str | None = None) -> list[Done]:
    """Carry out the stages of a recipe, up to one of them; a stage with failed calls is the last.

    Raises:
        UsageError: there is no such stage in the recipe.
        InputError: the folder holds something else, or a source can't be read.
        EndpointError, RunInterruptedError: see `Asker.ask`.
    """
    chosen = [stage for stage in stages if stage.is_wanted(work.recipe)]
    names = [stage.name for stage in chosen]
    if until is not None and until not in names:
        raise UsageError(f"the recipe has no stage '{until}'; {hint(until, names)}.")
    _claim(work)
    found: list[Done] = []
    before, mark = work.root, tolman.__version__
    for stage in chosen:
        folder = work.root / stage.name
        mark = _fingerprint(stage.name, stage.determined_by(work), mark)
        known = _stamp(folder)
        if known is not None and known["fingerprint"] == mark:
            found.append(Done(stage.name, folder, known["statistics"], again=False))
        else:
            work.watch.stage(stage.name)
            fresh = work.root / f".{stage.name}.partial"
            shutil.rmtree(fresh, ignore_errors=True)
            fresh.mkdir(parents=True)
            statistics = stage.run(work, before, fresh)
            done = Done(stage.name, folder, statistics, again=True)
            if not done.failed:
                stamp = {"stage": stage.name, "fingerprint": mark, "tolman": tolman.__version__}
                write_text(fresh / STAMP, json_text({**stamp, "statistics": statistics}))
            shutil.rmtree(folder, ignore_errors=True)
            fresh.rename(folder)
            found.append(done)
            if done.failed:
                break
        before = folder
        if stage.name == until:
            break
    return found


def plainly(settings: Any) -> Any:
    """Settings as JSON values."""
    if isinstance(settings, BaseModel):
        return settings.model_dump(mode="json")
    return settings


def file_state(path: Path | None) -> Any:
    """A hash of a small file, or None."""
    if path is None:
        return None
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise InputError(path, error.strerror or "can't be read") from None


def _claim(work: Work) -> None:
    """Make sure that the folder is free, or one of these."""
    root = work.root
    if root.exists() and not root.is_dir():
        raise InputError(root, "is a file", fix="give a folder with --out")
    if root.is_dir() and any(root.iterdir()) and not (root / "recipe.json").is_file():
        raise InputError(root, "holds other files", fix="give an empty folder with --out")
    _check_same_pool(work)
    work.recipe.opened()  # a mapping that isn't there leaves no folder behind
    root.mkdir(parents=True, exist_ok=True)
    write_text(root / "recipe.json", work.recipe.model_dump_json(indent=2) + "\n")


def _check_same_pool(work: Work) -> None:
    """Refuse a pool of another recipe: one that has another name, and none of this one's sources.

    Raises:
        InputError: it is.
    """
    try:
        told = json.loads((work.root / "recipe.json").read_text(encoding="utf-8"))
        name, sources = str(told["name"]), [Recipe.source_name(SourceEntry.model_validate(s)) for s in told["sources"]]
    except (OSError, ValueError, KeyError, TypeError):
        return  # there is none yet, or one that was cut off
    own = {work.recipe.source_name(entry) for entry in work.recipe.sources}
    if name != work.recipe.name and own.isdisjoint(sources):
        raise InputError(work.root, f"holds the pool of another recipe, '{name}'", fix="give another folder with --out")


def _stamp(folder: Path) -> dict[str, Any] | None:
    try:
        found = json.loads((folder / STAMP).read_text(encoding="utf-8"))
        return {"fingerprint": found["fingerprint"], "statistics": dict(found["statistics"])}
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _fingerprint(name: str, settings: Any, before: str) -> str:
    text = json.dumps([name, plainly(settings), before], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def json_text(value: Any) -> str:
    """A value as the text of a JSON file."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _problem(thing: object) -> str:
    return "" if isinstance(thing, Stage) else "is no Stage of tolman.curate.pipeline"


REGISTRY = Registry(
    "curation stage", "tolman.curate", "STAGE", "tolman.curation_stages", "STAGES", named_by_file=False, check=_problem
)


def stages_of(recipe: Recipe) -> list[Stage]:
    """All stages in the order in which they are carried out, wanted or not.

    Raises:
        UsageError: the recipe has a table for a stage that there isn't, or a stage comes after none that there is.
    """
    known = REGISTRY.all()
    for name in recipe.stages:
        if name not in known or _is_own(known[name]):
            raise unknown("stage of a plugin", name, [one.name for one in known.values() if not _is_own(one)])
    return in_order(list(known.values()))


def in_order(stages: Sequence[Stage]) -> list[Stage]:
    """Sort stages so that each follows the one that it comes after. Among several after the same one, Tolman's own is
    last, so that added stages come right after that one; otherwise they are sorted by name.

    Raises:
        UsageError: a stage comes after none of them.
    """
    names = [stage.name for stage in stages]
    for stage in stages:
        if stage.after and stage.after not in names:
            raise UsageError(
                f"the stage '{stage.name}' comes after '{stage.after}', which there isn't; {hint(stage.after, names)}."
            )
    found: list[Stage] = []

    def follow(place: str) -> None:
        for stage in sorted((one for one in stages if one.after == place), key=lambda one: (_is_own(one), one.name)):
            found.append(stage)
            follow(stage.name)

    follow("")
    if len(found) < len(stages):
        lost = ", ".join(f"'{stage.name}'" for stage in stages if stage not in found)
        raise UsageError(f"the stages {lost} come after each other in a circle; give one of them another place.")
    return found


def _is_own(stage: Stage) -> bool:
    return stage.run.__module__.startswith("tolman.curate.")


def curate(recipe: Recipe, pool: Path, work: Work | None = None, until: str | None = None) -> list[Done]:
    """Carry out a recipe; see `carry_out`.

    Raises:
        UsageError: see `stages_of`.
    """
    return carry_out(work or Work(recipe, pool), stages_of(recipe), until)
