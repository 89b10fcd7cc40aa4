"""Texts with placeholders in braces."""

from __future__ import annotations

import re
from collections.abc import Mapping

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
