"""Studies: the instructions, questions, pay and exclusion rules of participants, stated in one TOML file.

The file is written before anybody comes. A study has parts; each is one kind of work (a mode) with its own
instructions. Parts with the mode `study` ask every person a sample of the questions, and have all the other settings.
The package itself has the model of the file, `STUDY_FILES`, which opens one, and the form in which it is written: a
field for every key. The form has no rules of its own: it writes a file, and that is checked as any other. The study
files of the package are in the folder of this module.

- `participants`: who is in a study, the questions of each person and their order, the tasks, the limits of the figures,
  links in and codes out.
- `study_steps`: instructions as safe HTML, practice, and the next page of a participant.
- `study_records`: each participant's work, exclusions, tables of answers, times and pay, and of progress.

`projects.study_projects` starts a study's projects.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, get_args, get_origin

import tomli_w
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator
from pydantic.fields import FieldInfo

from tolman import benchmarks
from tolman.errors import InputError, UsageError
from tolman.items import Item
from tolman.review.forms import QuestionFormat, may_be_thousands
from tolman.toml_catalogue import TomlCatalogue

PROFILE = "scoring_profile"
STUDY = "study"
"""The mode of a part in which each person is asked a sample."""
BROKEN = "broken media"
"""A reason for skipping a question: the question is reported, and can be asked again once the file is repaired."""
_ID = r"^[A-Za-z][A-Za-z0-9_.-]{0,63}$"


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class OwnQuestion(_Table):
    """A question of the study's own, or one of the benchmark by its id.

    Attributes:
        id: of the benchmark's question; all else but `explanation` is then its own.
        question, options, answer: as in an item; without options the answer is a number.
        unit: of a number.
        media: pictures and videos, by paths relative to the study's file.
        explanation: shown after a practice question, with the right answer.
    """

    id: str | None = Field(default=None, title="Id of a question of the benchmark, instead of one written here")
    question: str | None = Field(default=None, title="Question")
    options: tuple[str, ...] = Field(default=(), title="Options")
    answer: str | None = Field(default=None, title="Answer (the letter of an option, or a number)")
    unit: Literal["count", "m", "cm", "m2"] | None = Field(default=None, title="Unit of a number")
    media: tuple[str, ...] = Field(default=(), title="Pictures and videos next to the study's file")
    explanation: str = Field(default="", title="Explanation after the answer")

    @model_validator(mode="after")
    def _is_a_question(self) -> OwnQuestion:
        if self.id is not None:
            if self.question is not None or self.answer is not None or self.options or self.media:
                raise ValueError("has the id of a benchmark's question and a question of its own; give one of them")
            return self
        if self.question is None or self.answer is None:
            raise ValueError("needs a question and its answer, or the id of a benchmark's question")
        try:
            self.item("question", {})
        except ValidationError as error:
            raise ValueError(str(error.errors()[0]["msg"]).removeprefix("Value error, ")) from None
        return self

    def item(self, key: str, pictures: dict[str, str]) -> Item:
        """Return the question as an item.

        Args:
            key: its id.
            pictures: path relative to the study's file → path in the store.
        """
        media = [
            {"kind": "video" if path.lower().endswith((".mp4", ".webm")) else "image", "path": pictures.get(path, path)}
            for path in self.media
        ]
        return Item.model_validate(
            {
                "id": key, "question": self.question, "kind": "choice" if self.options else "number",
                "options": self.options, "answer": self.answer, "unit": self.unit, "task": "study", "media": media,
            }
        )  # fmt: skip


class Sample(_Table, title="Who is asked what"):
    """The sample of questions that each person is asked.

    Attributes:
        people: number of forms; the next person gets a form that another left.
        by: the strata: 'task', 'scene', or the name of a label; None for one stratum.
        each: questions of each stratum for each person; None for as many as the overlap needs.
        overlap: people for each question; None for everybody where `each` is given, else for one.
        only: label → values: other questions are not in the study.
        hours: after which the form of a person who left is given to another; their answers stay.
    """

    people: int = Field(ge=1, le=10_000, title="People")
    by: str | None = Field(default="task", title="Drawn evenly over (task, scene or a label)")
    each: int | None = Field(default=None, ge=1, title="Questions of each task, scene or label for a person")
    overlap: int | None = Field(default=None, ge=1, title="People who are asked the same question")
    only: dict[str, tuple[str, ...]] = Field(default_factory=dict, title="Only questions with (label: value, value)")
    hours: float = Field(default=24.0, gt=0, title="Hours until an abandoned form goes to another person")

    @model_validator(mode="after")
    def _fits(self) -> Sample:
        if self.overlap is not None and self.overlap > self.people:
            raise ValueError(f"an overlap of {self.overlap} needs as many people, here are {self.people}")
        return self


class Order(_Table, title="Order"):
    """The order of a person's questions, and whether options are shuffled.

    Attributes:
        questions: 'shuffled' for each person, 'strata' one after the other and shuffled within each, or 'given'.
        options: whether options are shuffled for each person; the answer is stored by its true letter.
    """

    questions: Literal["shuffled", "strata", "given"] = Field(default="shuffled", title="Order of the questions")
    options: bool = Field(default=False, title="Options shuffled for each person")


class Time(_Table, title="Time"):
    """Limits of time.

    Attributes:
        least_seconds: faster answers are marked; with `hold` they are not taken.
        hold: whether a question must be looked at for the least time.
        most_seconds: for a question, from its first sight; then it counts as skipped ("time is over").
        most_minutes: for the whole, from the agreement; then it ends.
    """

    least_seconds: int = Field(default=2, ge=0, le=600, title="Seconds below which an answer is marked as fast")
    hold: bool = Field(default=False, title="Faster answers are not taken")
    most_seconds: int | None = Field(default=None, ge=1, title="Most seconds for a question")
    most_minutes: float | None = Field(default=None, gt=0, title="Most minutes in all")


class Breaks(_Table, title="Breaks"):
    """Breaks: the number of questions between them, and their text."""

    every: int = Field(ge=1, title="Questions between breaks")
    text: str = Field(default="Take a break. Your time does not run.", title="Text of the break (Markdown)")


class Practising(_Table, title="Pass mark of practice"):
    """The pass mark of practice: so many right answers of a round, in so many rounds, or the study ends here."""

    least_right: int = Field(default=0, ge=0, title="Right answers needed")
    rounds: int = Field(default=1, ge=1, le=5, title="Rounds")


class Gold(_Table, title="Gold questions"):
    """Questions of the benchmark that check a person's attention; everybody is asked them, and no run has them."""

    ids: tuple[str, ...] = Field(min_length=1, title="Ids of questions with sure answers, which everybody is asked")


class Exclude(_Table, title="Whose answers don't count"):
    """Rules that exclude a person's answers; stated beforehand, shown to everybody who agrees.

    Attributes:
        gold_below: share of right answers to gold questions below which a person is left out.
        attention_wrong: so many wrong answers to attention questions, or more.
        fast_above: share of answers faster than the least time above which a person is left out.
        skipped_above: the same for skipped questions.
        minutes_below: minutes with visible questions in all, below which a person is left out.
        incomplete: whether a person is left out who didn't come to the end.
    """

    gold_below: float | None = Field(
        default=None,
        gt=0,
        le=1,
        title="Exclude below this share of right gold questions (0 to 1)",
    )
    attention_wrong: int | None = Field(default=None, ge=1, title="Exclude from this many wrong attention checks")
    fast_above: float | None = Field(
        default=None, ge=0, lt=1, title="Exclude above this share of fast answers (0 to 1)"
    )
    skipped_above: float | None = Field(
        default=None, ge=0, lt=1, title="Exclude above this share of skipped questions (0 to 1)"
    )
    minutes_below: float | None = Field(default=None, gt=0, title="Exclude below this many minutes in all")
    incomplete: bool = Field(default=True, title="Exclude people who don't finish")


class Link(_Table, title="The link"):
    """The link by which people come without an invitation.

    Attributes:
        platform: whose names the link's fields have: 'prolific', 'mturk', or 'none' (then `id` names the field, or
            people have no outside id).
        id: field of the address with the person's outside id; one id is one person.
        ids: the only outside ids that may take part; empty for any.
        keep: further fields of the address that the table of times and pay shows.
    """

    platform: Literal["none", "prolific", "mturk"] = Field(default="none", title="Platform")
    id: str | None = Field(default=None, pattern=_ID, title="Field of the address with the person's outside id")
    ids: tuple[str, ...] = Field(default=(), title="The only outside ids that may take part (empty: any)")
    keep: tuple[str, ...] = Field(default=(), title="Further fields of the address to keep")

    @model_validator(mode="after")
    def _has_ids(self) -> Link:
        if self.ids and self.platform == "none" and self.id is None:
            raise ValueError("lists 'ids' and needs 'id', the field of the address that holds one of them")
        return self


class Completion(_Table, title="The end"):
    """The completion code, address and text that a person gets at the end.

    Attributes:
        code: the same for all; None for a code of each person's own.
        screened: for people who fail practice, as platforms have a code for screened-out people; None: they get none.
        redirect: an address with {code} in it, to which the last page leads; Prolific's own where None.
        text: of the last page.
    """

    code: str | None = Field(
        default=None, min_length=1, max_length=64, title="Code for all (empty: one for each person)"
    )
    screened: str | None = Field(
        default=None, min_length=1, max_length=64, title="Code for people who fail practice (empty: none)"
    )
    redirect: str | None = Field(
        default=None, pattern=r"^https://[^\s]+$", title="Address that the last page leads to, with {code} in it"
    )
    text: str = Field(default="Thank you.", title="Text of the last page (Markdown)")


class Pay(_Table, title="Pay"):
    """The pay of a person: an amount for the whole, and by the hour of visible questions. Excluded people get nothing
    only where `excluded` says so.
    """

    currency: str = Field(default="EUR", max_length=8, title="Currency")
    fixed: float = Field(default=0.0, ge=0, title="Amount for the whole study")
    per_hour: float = Field(default=0.0, ge=0, title="Amount per hour with the questions")
    excluded: bool = Field(default=True, title="Also for people whose answers don't count")


class StudyPart(_Table):
    """One kind of work of a study.

    Attributes:
        name: of its project, behind the study's title; '' where the study has one part.
        mode: the kind of work: 'study', or another mode of the web application.
        after: the part whose questions this one is about (those that were approved, or written): the owner starts it
            when that is done. None: the benchmark's.
        settings: of the mode, but for 'study'.
        format: required form of the questions that people write or revise; not of 'study'.
        instructions, consent: Markdown; people see and agree to them before the first question.
    """

    name: str = Field(default="", title="Name of the part (may stay empty where there is one)")
    mode: str = Field(default=STUDY, title="Kind of work")
    after: str | None = Field(default=None, title="After the part")
    settings: dict[str, int] = Field(
        default_factory=dict, title="Settings of the kind of work, but for study (name: number)"
    )
    instructions: str = Field(default="", title="Instructions (Markdown)")
    consent: str = Field(default="", title="Consent (Markdown)")
    format: QuestionFormat | None = None
    sample: Sample | None = None
    order: Order = Order()
    time: Time = Time()
    breaks: Breaks | None = None
    skip: tuple[str, ...] = Field(default=("can't tell", BROKEN), title="Reasons for skipping a question")
    practice: tuple[OwnQuestion, ...] = ()
    practising: Practising = Practising()
    attention: tuple[OwnQuestion, ...] = ()
    gold: Gold | None = None
    exclude: Exclude = Exclude()
    link: Link = Link()
    completion: Completion = Completion()
    pay: Pay | None = None

    @field_validator("skip")
    @classmethod
    def _reasons(cls, reasons: tuple[str, ...]) -> tuple[str, ...]:
        if any(not reason.strip() or len(reason) > 60 for reason in reasons) or len(set(reasons)) < len(reasons):
            raise ValueError("each reason is a text of its own, of 1 to 60 characters")
        return reasons

    @model_validator(mode="after")
    def _goes_together(self) -> StudyPart:
        if self.mode == STUDY:
            if self.sample is None:
                raise ValueError("needs [parts.sample] with the number of people, as each is asked a sample")
            if self.settings:
                raise ValueError("has settings, which only other modes than 'study' take; see [parts.sample]")
            if self.format is not None:
                raise ValueError("has a format, which only parts take in which people write or revise questions")
        else:
            own = [name for name in _OF_STUDIES if name in self.model_fields_set]
            if own:
                raise ValueError(f"has '{own[0]}', which only the mode 'study' takes, not '{self.mode}'")
        if self.practising.least_right > len(self.practice):
            raise ValueError(
                f"asks for {self.practising.least_right} right answers of {len(self.practice)} for practice"
            )
        if any(asked.id is not None for asked in self.attention):
            raise ValueError("asks attention questions by id; those of the benchmark are gold questions ([parts.gold])")
        if self.exclude.gold_below is not None and self.gold is None:
            raise ValueError("excludes people by gold questions and has none; name them under [parts.gold]")
        if self.exclude.attention_wrong is not None and not self.attention:
            raise ValueError("excludes people by attention questions and has none; write them as [[parts.attention]]")
        return self


_OF_STUDIES = (
    "sample", "order", "time", "breaks", "skip", "practice", "practising", "attention", "gold", "exclude", "link",
    "completion", "pay",
)  # fmt: skip


class Study(_Table):
    """A study.

    Attributes:
        title: of the study, and of its projects.
        source: of the design that it repeats: a paper's section, say.
        scoring_profile: the benchmark whose prompts, scorers and table its exports get, where the reviewed benchmark
            names none and all question types are that benchmark's.
        seed: of every draw and order.
        parts: one or more, in the order in which they are shown.
    """

    title: str = Field(min_length=1, max_length=80, title="Title")
    source: str = Field(default="", title="What it repeats (a paper's section, say)")
    scoring_profile: str | None = Field(default=None, title="Benchmark whose prompts, scorers and table exports get")
    seed: int = Field(default=0, ge=0, le=2**31 - 1, title="Seed of all draws")
    parts: tuple[StudyPart, ...] = Field(min_length=1)

    @field_validator("scoring_profile")
    @classmethod
    def _profile(cls, name: str | None) -> str | None:
        try:
            return name and benchmarks.named(name).name
        except UsageError as error:
            raise ValueError(str(error).rstrip(".")) from None

    @model_validator(mode="after")
    def _parts_fit(self) -> Study:
        names: list[str] = []
        for part in self.parts:
            if part.name in names:
                raise ValueError(f"two parts have the name '{part.name}'; give each its own")
            if part.after is not None and part.after not in names:
                raise ValueError(f"the part '{part.name}' comes after '{part.after}', which is no earlier part")
            names.append(part.name)
        return self

    def project_name(self, part: StudyPart) -> str:
        """The name of a part's project."""
        return f"{self.title}: {part.name}" if part.name else self.title


def stored(study: Study, part: StudyPart) -> dict[str, Any]:
    """Return a part with the study's common fields, for a project's settings."""
    profile = {} if study.scoring_profile is None else {PROFILE: study.scoring_profile}
    told = {"title": study.title, "seed": study.seed, "part": part.model_dump(mode="json", exclude_unset=True)}
    return told | profile


STUDY_FILES = TomlCatalogue("study", Study, __package__ or "tolman.review.studies")


Control = Literal["line", "text", "lines", "pairs", "whole", "number", "choice"]

_QUESTIONS = {"practice": "Practice question", "attention": "Attention question"}
_LONG = {"instructions", "consent", "text", "question", "explanation"}


@dataclass(frozen=True)
class FileField:
    """A field of the form.

    Attributes:
        name: where its key is in the file: 'parts.0.sample.people'.
        label: of the field on the form.
        control: in which it is entered; 'lines' holds a text a line, 'pairs' a name with its values.
        value: as the control holds it; '' leaves the key out.
        default: value that holds then; '' where there is none.
        choices: of a 'choice'.
    """

    name: str
    label: str
    control: Control
    value: str
    default: str = ""
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class FileGroup:
    """A group of fields."""

    title: str
    fields: tuple[FileField, ...]


def groups_of(table: Mapping[str, Any], given: Mapping[str, str] | None = None) -> list[FileGroup]:
    """Return the form of a file.

    Args:
        table: contents of the file, usable or not.
        given: values that the form holds already, by the fields' names.
    """
    groups = [FileGroup("Study", tuple(_leaves(Study, table, "", given or {})))]
    parts = _list(table.get("parts")) or [{}]
    for number, part in enumerate(parts):
        title = f"Part {number + 1}: " if len(parts) > 1 else ""
        groups += _part(part, f"parts.{number}.", title, given or {})
    return groups


def _part(part: Mapping[str, Any], prefix: str, title: str, given: Mapping[str, str]) -> Iterator[FileGroup]:
    yield FileGroup(f"{title}Kind of work and texts", tuple(_leaves(StudyPart, part, prefix, given)))
    for name, field in StudyPart.model_fields.items():
        model = _model(field)
        if model is OwnQuestion:
            own = [*_list(part.get(name)), {}]
            for number, question in enumerate(own):
                leaves = tuple(_leaves(OwnQuestion, question, f"{prefix}{name}.{number}.", given))
                yield FileGroup(f"{title}{_QUESTIONS[name]} {number + 1}", leaves)
        elif model is not None:
            inner = part.get(name)
            held = inner if isinstance(inner, Mapping) else {}
            yield FileGroup(
                f"{title}{model.model_config['title']}", tuple(_leaves(model, held, f"{prefix}{name}.", given))
            )


def text_of(table: Mapping[str, Any], given: Mapping[str, str]) -> str:
    """Return the file with the form's values. A field that shows the file's own value changes nothing, an empty one
    leaves its key out, and a table without keys goes too.

    Args:
        table: contents of the file so far.
        given: the form's fields by their names; others are not the form's.

    Raises:
        InputError: a number is none, or a line of names and values is none.
    """
    made = copy.deepcopy(dict(table))
    if not _list(made.get("parts")):
        made["parts"] = [{}]
    for field in (field for group in groups_of(made) for field in group.fields):
        value = given.get(field.name, field.value).strip("\n")
        if value.strip() != field.value.strip():
            _put(made, field.name.split("."), _read(field, value) if value.strip() else None)
    for part in _list(made["parts"]):
        for name in [name for name, inner in part.items() if inner in ({}, [])]:
            del part[name]
        for name in _QUESTIONS:
            if name in part:
                part[name] = [one for one in _list(part[name]) if one]
    return tomli_w.dumps(made, multiline_strings=True)


def _leaves(
    model: type[BaseModel], table: Mapping[str, Any], prefix: str, given: Mapping[str, str]
) -> Iterator[FileField]:
    for name, field in model.model_fields.items():
        if _model(field) is None:
            control, choices = _control(name, field)
            default = "" if field.is_required() else _shown(field.get_default(call_default_factory=True))
            value = given.get(prefix + name, _shown(table.get(name)))
            yield FileField(prefix + name, field.title or name, control, value, default, choices)


def _model(field: FieldInfo) -> type[BaseModel] | None:
    """The table, or the tables of a list, that a key holds."""
    held = (field.annotation, *get_args(field.annotation))
    return next((one for one in held if isinstance(one, type) and issubclass(one, BaseModel)), None)


def _control(name: str, field: FieldInfo) -> tuple[Control, tuple[str, ...]]:
    plain = [one for one in (get_args(field.annotation) or (field.annotation,)) if one is not type(None)]
    origin = get_origin(field.annotation)
    if origin is dict:
        return "pairs", ()
    if origin is tuple:
        return "lines", ()
    if origin is Literal or get_origin(plain[0]) is Literal:
        return "choice", tuple(map(str, plain if origin is Literal else get_args(plain[0])))
    if plain[0] is bool:
        return "choice", ("yes", "no")
    if plain[0] in (int, float):
        return ("whole" if plain[0] is int else "number"), ()
    return ("text" if name in _LONG else "line"), ()


def _shown(value: Any) -> str:
    """Return a value of the file as its control shows it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return "\n".join(f"{key}: {', '.join(map(str, _many(held)))}" for key, held in value.items())
    return "\n".join(map(str, value)) if isinstance(value, list | tuple) else str(value).strip("\n")


def _read(field: FileField, value: str) -> Any:
    lines = [line.strip() for line in value.splitlines() if line.strip()]
    if field.control == "lines":
        return lines
    if field.control == "pairs":
        pairs = [line.partition(":") for line in lines]
        if any(not colon or not key.strip() for key, colon, _ in pairs):
            raise InputError("form", f"needs a name, a colon and what it has, not {value!r}", field=field.label)
        held = {key.strip(): [one.strip() for one in values.split(",") if one.strip()] for key, _, values in pairs}
        return held if field.name.endswith(".only") else {key: _number(field, " ".join(v)) for key, v in held.items()}
    if field.control in ("whole", "number"):
        return _number(field, value)
    if field.choices == ("yes", "no"):
        return value.strip() == "yes"
    return f"{value}\n" if field.control == "text" and "\n" in value else value.strip()


def _number(field: FileField, value: str) -> int | float:
    try:
        number = float(value.strip().replace(",", "."))
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InputError("form", f"needs a number, not {value.strip()!r}", field=field.label)
    if may_be_thousands(value.strip()):
        raise InputError("form", f"needs a number without a comma, not {value.strip()!r}", field=field.label)
    return int(number) if number.is_integer() else number


def _put(table: dict[str, Any], keys: list[str], value: Any) -> None:
    """Set a key, or leave it out for None; lists grow by one table where one is missing."""
    found: Any = table
    for here, below in pairwise(keys):
        if isinstance(found, list):
            if int(here) == len(found):
                found.append({})
            found = found[int(here)]
        else:
            inner = found.get(here)
            if not isinstance(inner, dict | list):
                inner = found[here] = [] if below.isdigit() else {}
            found = inner
    if value is None:
        found.pop(keys[-1], None)
    else:
        found[keys[-1]] = value


def _list(value: Any) -> list[Any]:
    """The tables of a list; none where a hostile file holds something else."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _many(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]
