"""Recipes: a benchmark out of existing question sets, written down as TOML. `docs/curate/index.md` has a whole one."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, model_validator

from tolman.analyze.duplicates import ALIKE, BITS
from tolman.curate.asking import AskedModel
from tolman.curate.convert import ConvertRules
from tolman.curate.importing import QuestionSource
from tolman.curate.mapping import open_mapping
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
