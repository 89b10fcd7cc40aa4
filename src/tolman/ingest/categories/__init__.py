"""Labels of a data set that are asked about, with their names: a JSON file for each data set, or the user's own.

```json
{"source": "where the lists come from", "remap": {"couch": "sofa"}, "keep": ["chair", "sofa"]}
{"source": "…", "remap": {}, "leave_out": ["wall", "floor"]}
```

Labels are compared in lower case, composed (Unicode's NFC), with underscores as spaces and without invisible
characters. A label that `remap` doesn't name stays the same. With `keep` all other categories are left out; with
`leave_out` those that it names; a file has one of the two.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from tolman.benchmarks.rows import parse_json
from tolman.errors import InputError
from tolman.scenes import plain


class _Lists(BaseModel):
    model_config = ConfigDict(extra="forbid")

    source: str = ""
    remap: dict[str, str] = {}
    keep: list[str] | None = None
    leave_out: list[str] | None = None


@dataclass(frozen=True)
class Categories:
    """The lists of a data set.

    Attributes:
        remap: label → category.
        keep: the categories that are asked about; None for all but `leave_out`.
        leave_out: those that are not.
        digest: of the file.
    """

    remap: dict[str, str]
    keep: frozenset[str] | None
    leave_out: frozenset[str]
    digest: str = ""

    def category(self, label: str) -> str | None:
        """Name of a labelled object in questions; None where it is left out."""
        word = plain(label)
        category = self.remap.get(word, word)
        kept = category in self.keep if self.keep is not None else category not in self.leave_out
        return category if kept and category else None


def of_dataset(name: str) -> Categories:
    """The lists that ship for a data set; where there are none, every label is a category."""
    file = files(__name__) / f"{name.replace('-', '_')}.json"
    if not file.is_file():
        return Categories({}, None, frozenset())
    return _parsed(file.read_text(encoding="utf-8-sig"), f"{name}.json")


def of_file(path: Path) -> Categories:
    """The lists of a file.

    Raises:
        InputError: it can't be read, or holds something else.
    """
    try:
        return _parsed(path.read_text(encoding="utf-8-sig"), path)
    except OSError as error:
        raise InputError(path, f"can't be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise InputError(path, "is no text in UTF-8") from None


def _parsed(text: str, where: Path | str) -> Categories:
    try:
        lists = _Lists.model_validate(parse_json(where, text))
    except ValidationError as error:
        first = error.errors()[0]
        raise InputError(where, first["msg"], field=".".join(str(part) for part in first["loc"])) from None
    if lists.keep is not None and lists.leave_out is not None:
        raise InputError(
            where, "has both 'keep' and 'leave_out'", fix="name the categories to keep or the ones to leave out"
        )
    return Categories(
        {plain(label): plain(category) for label, category in lists.remap.items()},
        None if lists.keep is None else frozenset(plain(one) for one in lists.keep),
        frozenset(plain(one) for one in lists.leave_out or ()),
        hashlib.sha256(text.encode()).hexdigest()[:16],
    )
