"""Mappings: how the rows of a question set become candidates; and taxonomies that questions are sorted into.

```toml
name = "vsi-bench"
title = "VSI-Bench"
files = ["test-*.parquet", "test.jsonl"]

[fields]
id = "id"
question = "question"
answer = "ground_truth"
options = { column = "options", optional = true }
task = "question_type"
scene = { template = "{dataset}/{scene_name}" }

[media]
kind = "video"
from = { template = "{dataset}/{scene_name}.mp4" }

[units]
object_counting = "count"

[spatial.categories]
object_counting = "counting & existence"
```

Mappings of the data sets that SITE surveyed come with the package (`mappings/*.toml`). Each names the source of its
fields, and lists in `unsure` the points not checked on the data itself. A taxonomy (`taxonomies/*.toml`) holds
categories with the names and solved examples of the prompt.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field as PydanticField, Field as Setting

from tolman.benchmarks.fields import Field
from tolman.errors import UsageError
from tolman.items import Unit, existing_kind
from tolman.toml_catalogue import TomlCatalogue

ASK = "ask"
"""Spatial or not, and in which category, is for a model to say."""
NO = "no"
"""Not about space."""


class Fields(BaseModel):
    """Fields of the parts of a question.

    Attributes:
        id: unique in the question set; the file and row number where None.
        question, answer: texts.
        options: a list of texts; without one the question is open-ended.
        also: further answers that count as right.
        task: the question set's own category.
        scene: the cluster of questions with a shared error; the first medium if None.
        reasoning: a human reasoning that comes with the answer.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Field | None = None
    question: Field
    answer: Field
    options: Field | None = None
    also: Field | None = None
    task: Field | None = None
    scene: Field | None = None
    reasoning: Field | None = None


class MediaFields(BaseModel):
    """Fields of the media.

    Attributes:
        kind: of all media.
        origin: `from` in the file: a path below the media folder or a list of them, or the bytes themselves, as the
            hub's tables hold images.
        base64: the text is the image.
        start, end: of the part of a video that is meant, in seconds.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    kind: Literal["image", "video"]
    origin: Field = Setting(alias="from")
    base64: bool = False
    start: Field | None = None
    end: Field | None = None


class Spatial(BaseModel):
    """Categories of a question set that are about space.

    Attributes:
        field: the category; the task where None.
        categories: category → the one of the benchmark to be built, 'ask', or 'no'.
        default: of categories that aren't named.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    field: Field | None = None
    categories: dict[str, str] = {}
    default: str = ASK


class Mapping(BaseModel):
    """One question set.

    Attributes:
        name: becomes the label `dataset` and the first part of every id.
        title, paper, licence, where: of the data set.
        read: source of the fields.
        unsure: uncertain points, a sentence each.
        files: patterns below the data folder; all files of the first that fits any are read.
        without: patterns of names that are passed over: other versions of the same questions, as circular files.
        records: for JSON, the dotted name of the list of rows.
        keep: column → the values of rows that are taken.
        answer: form of the answer of a choice: 'letter', 'index' (from 0), 'position' (from 1), or an option's 'text'.
        open: form of an open-ended answer: 'number', 'text', or a number if it can be read as one ('auto').
        fields, media, spatial: see there.
        units: task → unit of its numbers; '*' for all.
        kinds: task → item kind of its questions, such as a plugin's; '*' for all. Others are multiple choice if they
            have options, and otherwise as in `open`.
        labels: label → its field.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Setting(pattern=r"^[a-z0-9][a-z0-9-]*$")
    title: str
    paper: str = ""
    licence: str = ""
    where: str = ""
    read: str = ""
    unsure: tuple[str, ...] = ()
    files: tuple[str, ...] = Setting(min_length=1)
    without: tuple[str, ...] = ()
    records: str | None = None
    keep: dict[str, tuple[str, ...]] = {}
    answer: Literal["letter", "index", "position", "text"] = "letter"
    open: Literal["number", "text", "auto"] = "auto"
    fields: Fields
    media: MediaFields | None = None
    spatial: Spatial = Spatial()
    units: dict[str, Unit] = {}
    kinds: dict[str, Annotated[str, AfterValidator(existing_kind)]] = {}
    labels: dict[str, Field] = {}

    @property
    def columns(self) -> list[str]:
        """The columns that are read."""
        every = [*(getattr(self.fields, name) for name in Fields.model_fields), self.spatial.field]
        every += [*self.labels.values()]
        if self.media is not None:
            every += [self.media.origin, self.media.start, self.media.end]
        names = {name for field in every if field is not None for name in field.wanted}
        return sorted(names | {name.split(".")[0] for name in self.keep})


_MAPPINGS = TomlCatalogue("mapping", Mapping, "tolman.curate", "mappings")


def shipped() -> list[str]:
    """The names of the mappings that come with the package."""
    return list(_MAPPINGS.names)


def open_mapping(name: str) -> Mapping:
    """A mapping of the package by its name, or one of the user's by its path.

    Raises:
        UsageError: there is none of that name.
        InputError: the file is none; the sentence names the line.
    """
    return _MAPPINGS.open(name)


class Category(BaseModel):
    """One category: the label that questions get, its name in the prompt, and its scope."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: str
    prompt: str
    description: str = ""


class Example(BaseModel):
    """A solved example of the prompt."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: str
    output: str


class Taxonomy(BaseModel):
    """Categories with the prompt's examples.

    Attributes:
        name: of the taxonomy.
        categories: at least two.
        unsure: the name for spatial questions of no certain category.
        examples: solved; outputs in the form that is asked for.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    categories: tuple[Category, ...] = PydanticField(min_length=2)
    unsure: str = "Other spatial category can not be sure"
    examples: tuple[Example, ...] = ()

    @property
    def keys(self) -> tuple[str, ...]:
        """The labels."""
        return tuple(category.key for category in self.categories)

    def check(self, labels: set[str], where: str) -> None:
        """Make sure that labels are of this taxonomy.

        Raises:
            UsageError: one is not; the sentence names it and those there are.
        """
        unknown = sorted(labels - {*self.keys, ASK, NO})
        if unknown:
            raise UsageError(
                f"{where} has the category '{unknown[0]}', which the taxonomy {self.name} doesn't know; known: "
                f"{', '.join(self.keys)}, {ASK}, {NO}."
            )


_TAXONOMIES = TomlCatalogue("taxonomy", Taxonomy, "tolman.curate", "taxonomies")


def open_taxonomy(name: str) -> Taxonomy:
    """The taxonomy of the package (`site`), or one of the user's by the path of its TOML file.

    Raises:
        UsageError, InputError: there is none, or the file is none.
    """
    return _TAXONOMIES.open(name)
