"""Show control characters of texts that others wrote, so that they cannot act on a terminal or a page."""

from __future__ import annotations

import json
import re
from typing import Any

_HIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\r(?!\n)")
"""Controls of C0 and C1, and overrides of the direction of writing; tabs and line breaks are left as they are."""


def visible(text: str) -> str:
    r"""Replace control characters and overrides of the direction of writing by their escapes, such as `\x1b`."""
    return _HIDDEN.sub(lambda found: _escape(ord(found[0])), text)


def printable(value: str) -> str:
    """A label's value as a heading: one line, without control characters."""
    return "".join(one if one.isprintable() else "\ufffd" for one in value) or "(empty)"


def visible_in(value: Any) -> Any:
    """Apply `visible` to every text in a value of JSON."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {key: visible_in(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [visible_in(one) for one in value]
    return value


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_MAY_HIDE = re.compile(r"\\[ubfr]|[\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""In JSON: the escapes of controls, and those characters of `_HIDDEN` that it leaves as they are."""


def visible_dumps(value: Any) -> str:
    """Write `visible_in` of a value as JSON, in one pass where no text holds such a character."""
    text = _ENCODER.encode(value)
    return text if _MAY_HIDE.search(text) is None else _ENCODER.encode(visible_in(value))


def visible_json(text: str) -> str:
    """Escape these characters in a text of JSON, which keeps its meaning."""
    return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _escape(code: int) -> str:
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
