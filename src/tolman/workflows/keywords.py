"""Configs of keyword arguments, as Python functions take them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from tolman.workflows.config import ConfigField, fields_of, make

C = TypeVar("C")


def config_of(kind: type[C], settings: Mapping[str, Any]) -> C:
    """A config of keyword arguments, which may be single values for lists, mappings for JSON, and objects for texts.

    Raises:
        UsageError: a setting that there isn't, or a value that isn't one.
    """
    fields = {one.name: one for one in fields_of(kind)}
    plain = {name: _plain(fields.get(name), value) for name, value in settings.items()}
    return make(kind, {name: value for name, value in plain.items() if value is not None or name not in fields})


def _plain(field: ConfigField | None, value: Any) -> Any:
    if field is None or value is None:
        return value
    if field.several:
        if isinstance(value, str):
            return value  # names with commas between them
        values = (value,) if isinstance(value, Path | int | float) else value
        return tuple(str(one) if field.scalar is str else one for one in values)
    if field.scalar is str:
        if isinstance(value, Mapping):
            return json.dumps(value)
        if isinstance(value, Path | int | float) and not isinstance(value, bool):
            return str(value)
    return value
