"""Types of the fields of forms and addresses."""

from __future__ import annotations

import re
from typing import Annotated

from fastapi import Depends, Path, Request
from fastapi import Form as InForm
from pydantic import AfterValidator, BeforeValidator
from starlette.datastructures import FormData

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def clean(text: str) -> str:
    """A text that every database and file can hold."""
    return _CONTROL.sub("\ufffd", text.replace("\r\n", "\n"))


def _none_if_empty(value: object) -> object:
    return None if value == "" else value


def seconds_of(form: FormData) -> float:
    """The time while visible that a form tells."""
    try:
        return min(max(float(str(form.get("seconds", "0"))), 0.0), 1e7)
    except ValueError:
        return 0.0


async def _form(request: Request) -> FormData:
    return await request.form()


Clean = AfterValidator(clean)
Key = Annotated[int, Path(ge=1, le=2**31 - 1)]
Name = Annotated[str, InForm(min_length=1, max_length=64), Clean]
Line = Annotated[str, InForm(max_length=500), Clean]
Answer = Annotated[str, InForm(max_length=100_000), Clean]
Paragraphs = Annotated[str, InForm(max_length=20_000), Clean]
Secret = Annotated[str, InForm(max_length=200)]
Shown = Annotated[str, InForm(max_length=16), Clean]
"""The state of the question's media in the browser; empty where it doesn't tell."""
Seconds = Annotated[float, InForm(ge=0, le=1e7, allow_inf_nan=False)]
RowId = Annotated[int | None, InForm(ge=1, le=2**31 - 1), BeforeValidator(_none_if_empty)]
Form = Annotated[FormData, Depends(_form)]
"""A form as a whole, for those whose fields are not known beforehand."""
