"""Values of settings that are written as text."""

from __future__ import annotations

import json
from typing import Any

from tolman.errors import UsageError
from tolman.workflows.config import Setting

RESPONSE_STORE = Setting(
    "File of the response store, or URL of a PostgreSQL database. Default: $TOLMAN_STORE, or in the user's cache.",
    panel="Stores",
)
"""What `--store` is, of all commands that ask models."""


def json_object(text: str | None, option: str) -> dict[str, Any]:
    """A setting that holds a JSON object; an empty one where it isn't given.

    Args:
        text: the JSON.
        option: the option's name, for errors.

    Raises:
        UsageError: it holds something else.
    """
    if text is None:
        return {}
    try:
        value = json.loads(text)
    except ValueError as error:
        raise UsageError(f"{option} takes a JSON object, and '{text}' is none ({error}).") from None
    if not isinstance(value, dict):
        raise UsageError(f"{option} takes a JSON object such as {{\"seed\": 1}}, not '{text}'.")
    return value
