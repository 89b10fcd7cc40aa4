"""What forms and addresses may hold."""

from __future__ import annotations

import re
from typing import Annotated

from fastapi import Form, Path
from pydantic import AfterValidator, BeforeValidator

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def clean(text: str) -> str:
    """A text that every database and file can hold."""
    return _CONTROL.sub("\ufffd", text.replace("\r\n", "\n"))


def _none_if_empty(value: object) -> object:
    return None if value == "" else value


Clean = AfterValidator(clean)
Key = Annotated[int, Path(ge=1, le=2**31 - 1)]
Name = Annotated[str, Form(min_length=1, max_length=64), Clean]
Line = Annotated[str, Form(max_length=500), Clean]
Paragraphs = Annotated[str, Form(max_length=20_000), Clean]
Secret = Annotated[str, Form(max_length=200)]
Seconds = Annotated[float, Form(ge=0, le=1e7, allow_inf_nan=False)]
RowId = Annotated[int | None, Form(ge=1, le=2**31 - 1), BeforeValidator(_none_if_empty)]
