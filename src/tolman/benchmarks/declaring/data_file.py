"""The content of a benchmark's TOML file, including templates with placeholders in braces.

`tolman.benchmarks.declaring.declared_spec` makes a `BenchmarkSpec` of it. `docs/extend/benchmark.md` shows such a file
and explains each key.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field as Setting, model_validator

from tolman.benchmarks.fields import Field
from tolman.items import Unit, existing_kind
from tolman.media.sampling import Frames
from tolman.messages import Sampling

_PLACE = re.compile(r"\{([A-Za-z_][\w-]*)\}")


def check_template(text: str) -> str:
    """A template, for fields of models.

    Raises:
        ValueError: it has no placeholder at all, so that every question would have the same prompt.
    """
    if not _PLACE.search(text):
        raise ValueError("has no placeholder such as {question}")
    return text


def placeholders(text: str) -> list[str]:
    """The names of a template's placeholders, in order."""
    return _PLACE.findall(text)


def fill(text: str, values: Mapping[str, str]) -> str:
    """A template with its placeholders filled in; other braces stay, and so do those inside the values."""
    return _PLACE.sub(lambda place: values.get(place[1], place[0]), text)


def _for_all(value: Any) -> Any:
    return {"*": value} if isinstance(value, str) else value


def _left_to_the_endpoint(value: Any) -> Any:
    return {key: None if one == "endpoint" else one for key, one in value.items()} if isinstance(value, dict) else value


def _expression_with_a_group(text: str | None) -> str | None:
    """
    Raises:
        ValueError: the text is no regular expression, or has no group.
    """
    try:
        groups = 1 if text is None else re.compile(text).groups
    except re.error as error:
        raise ValueError(f"is no regular expression ({error})") from None
    if not groups:
        raise ValueError("has no group; put the answer into parentheses")
    return text


ByTask = Annotated[dict[str, str], BeforeValidator(_for_all)]
"""A text for each question type, or item kind; '*' for all others. A plain text is for all."""


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, defer_build=True)


class Hub(_Table):
    """The place of the released data on the Hugging Face hub.

    Attributes:
        repository: 'owner/name' of the data set.
        files: the files that hold questions; those of `files` where empty.
        media: the archives that hold videos and images.
        questions_of, media_of: subset → the files that hold its questions or its media, where these are other ones.
        revision: the commit that is asked for.
    """

    repository: str = Setting(pattern=r"^[^/\s]+/[^/\s]+$")
    files: tuple[str, ...] = ()
    media: tuple[str, ...] = ()
    questions_of: dict[str, tuple[str, ...]] = {}
    media_of: dict[str, tuple[str, ...]] = {}
    revision: str = "main"


class Groups(_Table):
    """Rows that count as one question.

    Attributes:
        key: rows with one value are one group; a row without value is a question by itself. In a subset it names
            columns of the row, in a scorer labels, or `id`, `task` and `scene`.
        rule: 'all': right only if every row is (the product of their hits).
        rows: how many rows a whole group has; unknown where None.
        per_option: whether `rows` is for each option of the question, as where options are rotated.
    """

    key: Field
    rule: Literal["all"] = "all"
    rows: int | None = Setting(default=None, ge=1)
    per_option: bool = False


class DeclaredSubset(_Table):
    """One way of asking the released questions.

    Attributes:
        about: its description.
        size: how many questions it has as released.
        files: patterns of file names below the data folder, the first that fits any; the benchmark's where empty.
        keep: column → the values of rows that are taken.
        groups: rows that count as one question.
        frames: where its truths hold for some numbers of frames of a video only, those numbers, the default first;
            'all' is all frames.
    """

    about: str
    size: int | None = None
    files: tuple[str, ...] = ()
    keep: dict[str, tuple[str, ...]] = {}
    groups: Groups | None = None
    frames: tuple[Annotated[int, Setting(ge=1)] | Literal["all"], ...] = ()


class SecondFile(_Table):
    """A file that has more about each question, as where answers are released apart.

    Attributes:
        files: patterns of its name, the first that fits any.
        records: for JSON, the dotted name of the list of rows.
        on: the column that is the same in both. The file's row for a question is the row's `_second`.
    """

    files: tuple[str, ...] = Setting(min_length=1)
    records: str | None = None
    on: str


class Columns(_Table):
    """The fields of a row with the parts of a question.

    Attributes:
        id: unique in the subset; the number of the row, from 0, where None.
        question: the text; with inline options, the text that holds them too.
        answer: the right answer; see `AnswerForm` for its form.
        task: question type; the file's name where None.
        scene: the cluster in which questions share their error; the first medium where None.
        released: the text that the released prompt shows as a whole; the question as in the row, where options are
            inline.
        reasoning: a human reasoning that comes with the answer.
    """

    id: Field | None = None
    question: Field
    answer: Field
    task: Field | None = None
    scene: Field | None = None
    released: Field | None = None
    reasoning: Field | None = None


class Options(_Table):
    r"""The options of a multiple choice.

    Attributes:
        origin: `from` in the file; the question's own column where options are inline.
        form: 'list' of texts; 'mapping' of letters to texts; 'columns', one for each (`from = {columns = […]}`);
            'lines' of one text; 'inline' in the question ("… A. left B. right").
        lettered: whether each text begins with its letter ("A. left", "(A) left"), which is taken off; 'maybe' where
            only those of some rows do.
        optional: whether a question may have none.
    """

    origin: Field | None = Setting(default=None, alias="from")
    form: Literal["list", "mapping", "columns", "lines", "inline"] = "list"
    lettered: bool | Literal["maybe"] = False
    optional: bool = False

    @model_validator(mode="after")
    def _has_an_origin(self) -> Options:
        if (self.origin is None) != (self.form == "inline"):
            raise ValueError(
                "inline options are in the question; leave out 'from'"
                if self.form == "inline"
                else f"options as {self.form} are in a column; name it with 'from'"
            )
        return self


class RightRegion(_Table):
    """The right region of questions that ask for points.

    Attributes:
        form: 'polygon', a list of its vertices as shares of the picture's width and height; or a mask, a picture of the
            size of the question's: one of the 'paths' below the data folder, or of the 'pictures' inside the table.
        above: pixels of a mask that are brighter are right, of 0 to 255.
        root: the folder that paths are relative to, as of the media.
    """

    form: Literal["polygon", "paths", "pictures"]
    above: int = Setting(default=0, ge=0, le=254)
    root: str = ""


class AnswerForm(_Table):
    """The form of the right answer.

    Attributes:
        form: of a choice: 'letter' ("B", "(B)", "B. right"), 'index' (from 0), 'position' (from 1) or 'text' of the
            option. Other kinds read their own form.
        kind: the field of a row's item kind, as where one question type has answers of several; goes before `kinds`.
        kinds: question type → item kind; '*' for all others. By default a question with options is a 'choice', another
            one a 'number'.
        units: question type → unit of its numbers.
        written: how a response gives an answer where the released parser looks for more than that; placeholder
            `{answer}`. Baselines answer so.
        region: of the kind 'points', the form of the answer's column; the item's own form or a list of points
            where None.
    """

    form: Literal["letter", "index", "position", "text"] = "letter"
    kind: Field | None = None
    kinds: Annotated[dict[str, Annotated[str, AfterValidator(existing_kind)]], BeforeValidator(_for_all)] = {}
    units: Annotated[dict[str, Unit], BeforeValidator(_for_all)] = {}
    written: Annotated[str, AfterValidator(check_template)] = "{answer}"
    region: RightRegion | None = None


class MediaColumns(_Table):
    """The fields of a row with the media of a question.

    Attributes:
        kind: their media type.
        origin: `from` in the file: a path or a list of paths, or columns that hold pictures.
        form: 'paths' relative to the data folder, or 'pictures' inside the table: bytes, the hub's image type, or
            base64.
        root: the folder that paths are relative to, seen from the question file's ('..'); the data folder where empty,
            and where it would be outside of that.
        path: where `from` is a list of mappings, the path inside of each; `start` and `end` are there too.
        start, end: of the part of a video that is meant, in seconds.
        mark: the text that marks each of these media in the question ('<video>'); the number of marks must fit.
        optional: whether a question may have none.
    """

    kind: Literal["image", "video"] = "image"
    origin: Field = Setting(alias="from")
    form: Literal["paths", "pictures"] = "paths"
    root: str = ""
    path: Field | None = None
    start: Field | None = None
    end: Field | None = None
    mark: str = ""
    optional: bool = False

    @model_validator(mode="after")
    def _pictures_stand_in_columns(self) -> MediaColumns:
        if self.form == "pictures" and self.path is not None:
            raise ValueError("pictures have no paths; leave out 'path' or the form")
        if self.form == "pictures" and not (self.origin.column or self.origin.columns):
            raise ValueError("pictures are in a column; name it with 'from'")
        return self


class Prompt(_Table):
    r"""The input of a model, as one prompt preset.

    Attributes:
        source: where this is written.
        text: the prompt; placeholders are `{question}` (without options), `{options}`, `{released}` (the text of the
            column of that name), `{letters}` ("A, B, C"), `{demand}`, `{prefix}`, `{suffix}`, names of labels, and once
            `{media}`, the place of all media.
        media: all 'before' the text or 'after' it, or 'interleaved' at the `<image>` marks of the question (before,
            where it has none); not looked at where `text` has the placeholder `{media}`.
        option: one option; placeholders `{letter}` and `{text}`.
        between: the text between options.
        demand: the sentence that asks for the answer alone, for all or by question type.
        prefix, suffix: texts that only some question types have.
        question: the prompt without that sentence, for protocols in which the model thinks first.
        system: the text of a system message, with placeholders too; none where empty. Its `{demand}` is left out where
            the model thinks first.
        blind_system: that of a model that is not shown the media; `system` where empty.
        frames, sampling, scorers: of the preset. A setting of sampling that is "endpoint" is left to the endpoint.
    """

    source: str
    text: Annotated[str, AfterValidator(check_template)]
    media: Literal["before", "interleaved", "after"] = "before"
    option: str = "{letter}. {text}"
    between: str = "\n"
    demand: ByTask = {}
    prefix: ByTask = {}
    suffix: ByTask = {}
    question: Annotated[str, AfterValidator(check_template)] = "{question}\n{options}"
    system: str = ""
    blind_system: str = ""
    frames: Frames = Frames()
    sampling: Annotated[Sampling, BeforeValidator(_left_to_the_endpoint)] = Sampling()
    scorers: tuple[str, ...] = ()


class ScorerJudge(_Table):
    r"""A model that a scorer's source asks for the answer of a response, or for its mark.

    It is called only if the user names a model (`--judge`): without one these responses have no answer.

    Attributes:
        source: where this is written.
        model: that the source asks.
        asks: about the responses in which the scorer's reader reads nothing ('unread'), or about 'all'.
        prompt: its prompt; placeholders `{question}`, `{options}`, `{response}`. With `marks` also `{answer}`, the
            first accepted answer, and `{extra_answers}`, the others as a Python list.
        several: the prompt for questions with several accepted answers; `prompt` where empty.
        option, between: form of `{options}`.
        shown: a regular expression; the first group of its match at the beginning of a response is `{response}`.
        reply: a regular expression; the first group of its match with the whole reply is the answer, and any other
            reply is none. Without an expression, replies are read as those of any judge are.
        marks: the lowest and the highest mark, where a reply is a mark: a response scores (mark − lowest) / (highest −
            lowest). Marks outside count as the nearer end. A reply that is no mark is asked for again.
        sampling: how the judge draws.
    """

    source: str
    model: str
    asks: Literal["unread", "all"] = "unread"
    prompt: Annotated[str, AfterValidator(check_template)]
    several: Annotated[str, AfterValidator(check_template)] = ""
    option: str = "{letter}. {text}"
    between: str = "\n"
    shown: Annotated[str | None, AfterValidator(_expression_with_a_group)] = None
    reply: Annotated[str | None, AfterValidator(_expression_with_a_group)] = None
    marks: tuple[int, int] | None = None
    sampling: Sampling = Sampling(temperature=0.0)

    @model_validator(mode="after")
    def _marks_have_a_form(self) -> ScorerJudge:
        if self.marks is not None and (self.reply is None or self.marks[0] >= self.marks[1]):
            raise ValueError("marks go from the lowest to the highest, and 'reply' says how one is read")
        return self


class Scorer(_Table):
    """How responses are read and scored.

    Attributes:
        source: where this is written.
        reader: name of a reader, for all or by question type or item kind; 'careful' is Tolman's own.
        metric: name of a metric, likewise; that of the item's kind where none is named.
        groups: items that count as one question under this scorer; those of the subset where None.
        judge: the model that the source asks about unread responses; one scorer may have one.
    """

    source: str = ""
    reader: ByTask
    metric: ByTask = {}
    groups: Groups | None = None
    judge: ScorerJudge | None = None


class ColumnOfTable(_Table):
    """One figure of the table.

    Attributes:
        key: its name in files.
        title: its heading.
        tasks: question types whose questions are pooled; all questions where empty.
        metric: 'mean' of the scores, 'chance-adjusted', or the name of another metric.
        mean_of: instead, keys of the columns to average.
        weights: of that mean; equal where empty.
        digits: decimals printed.
        group: a heading above several columns.
    """

    key: str
    title: str
    tasks: tuple[str, ...] = ()
    metric: str = "mean"
    mean_of: tuple[str, ...] = ()
    weights: tuple[float, ...] = ()
    digits: int = 1
    group: str = ""

    @model_validator(mode="after")
    def _is_one_or_the_other(self) -> ColumnOfTable:
        if self.mean_of and (self.tasks or self.metric != "mean"):
            raise ValueError("a mean of other columns has no tasks and no metric of its own")
        if self.weights and len(self.weights) != len(self.mean_of):
            raise ValueError(f"{len(self.mean_of)} columns have {len(self.weights)} weights; give each one")
        return self


class FiguresTable(_Table):
    """The paper's main table.

    Attributes:
        headline: key of the column that represents the whole.
        columns: in the paper's order.
    """

    headline: str
    columns: tuple[ColumnOfTable, ...] = Setting(min_length=1)


_OVERALL = FiguresTable(headline="overall", columns=(ColumnOfTable(key="overall", title="Overall"),))


class Declaration(_Table):
    """A benchmark.

    Attributes:
        name: its name on the command line: the file's name.
        based_on: a benchmark of the package; its keys hold here too, but for those that this file has, each as a whole.
        title: as its authors write it.
        paper: authors and year.
        licence: of the released data.
        read: the sources of the facts in this file.
        measured: how scores of released outputs compare with those that their authors state, a sentence each.
        unsure: facts not checked on the data itself, a sentence each.
        files: patterns of file names below the data folder; the files of the first that fits any are read.
        without: patterns of names that are passed over: other versions of the same questions.
        join_files: whether all files that fit are read, as where each question type has one; otherwise one, or all
            shards of one.
        records: for JSON, the dotted name of the list of rows; a key in braces means all keys of an object, and
            is a column of the rows.
        second: a further file.
        hub, subsets, columns, options, answer, media, prompts, scorers, table: see there. The first subset and the
            first prompt are the defaults.
        images: further media: images that are shown with videos, at their own marks or behind them.
        labels: label → its field.
    """

    name: str = Setting(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")
    based_on: str = ""
    title: str
    paper: str = ""
    licence: str = ""
    read: str = ""
    measured: tuple[str, ...] = ()
    unsure: tuple[str, ...] = ()
    files: tuple[str, ...] = Setting(min_length=1)
    without: tuple[str, ...] = ()
    join_files: bool = False
    records: str | None = None
    second: SecondFile | None = None
    hub: Hub | None = None
    subsets: dict[str, DeclaredSubset] = Setting(default={"all": DeclaredSubset(about="all questions")}, min_length=1)
    columns: Columns
    options: Options | None = None
    answer: AnswerForm = AnswerForm()
    media: MediaColumns | None = None
    images: MediaColumns | None = None
    labels: dict[str, Field] = {}
    prompts: dict[str, Prompt] = Setting(min_length=1)
    scorers: dict[str, Scorer] = {}
    table: FiguresTable = _OVERALL
