"""The form of a study's file: a field for every key, out of the file's own model, and the file out of the form.

A field's label is the title of its key in the model, and a group's is that of its table.
The form has no rules of its own: it writes a file, and that is checked as any other.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, get_args, get_origin

import tomli_w
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from tolman.errors import InputError
from tolman.review.forms.form_values import may_be_thousands
from tolman.review.studies import OwnQuestion, Study, StudyPart

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
