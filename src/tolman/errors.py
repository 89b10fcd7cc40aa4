"""The hierarchy of exceptions, and the errors for unknown names.

```
TolmanError                 everything Tolman raises on purpose; the command line prints it and exits with 2
├── UsageError              a name or option that doesn't exist or doesn't go together
├── InputError              a file whose content can't be used: names file, row, field and fix
├── OutputError             a file can't be written: the disk is full, read-only or broken
├── MissingExtraError       an optional dependency is needed and not installed
├── NoDisplayError          the machine has no EGL to draw with
├── WorkerError             processes or machines can't do the work: a wrong address, another version, lost
├── RunConflictError        a run folder holds something other than the planned output
│   └── RunBusyError        another process is at work there
├── EndpointError           no call to a model was answered, or its endpoint went down
└── RunInterruptedError     the user stopped a run; exit code 130
```

A failed model call is no exception: it is a `responses.Failure`, a value that is counted and shown.

An error for an unknown name states the name given, the nearest known name, and all known names.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Any


class TolmanError(Exception):
    """Base of everything Tolman raises on purpose. Its text is one sentence meant for the user."""

    exit_code = 2

    def __reduce__(self) -> tuple[Any, ...]:
        # Exceptions are copied by calling their class with their text, which few of these can be called with.
        return _copied, (type(self), str(self), self.__dict__)


def first_line(error: BaseException) -> str:
    """Return the first line of an error's text without its full stop; the error's type where it has no text."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")


def one_line(error: BaseException, most: int = 300) -> str:
    """Return an error's text on one line; the error's type where it has no text."""
    return " ".join(str(error).split())[:most] or type(error).__name__


def counted(number: int, one: str, many: str = "") -> str:
    """A number of things, with the words that change with it: '1 item has', '2,000 items have'.

    Args:
        number: of the things.
        one: the words for a single thing.
        many: those for any other number; `one` with an s where empty.
    """
    return f"1 {one}" if number == 1 else f"{number:,} {many or f'{one}s'}"


def as_sentence(text: str) -> str:
    """A text with the full stop that it may lack."""
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _copied(kind: type[TolmanError], text: str, fields: dict[str, Any]) -> TolmanError:
    error = kind.__new__(kind)
    error.args = (text,)
    error.__dict__.update(fields)
    return error


class UsageError(TolmanError):
    """A name or option that doesn't exist or doesn't go together."""


class InputError(TolmanError):
    """A file whose content can't be used.

    Args:
        path: the file.
        what: the problem, as the rest of a sentence.
        row: the row's number, counted from 1, or its id.
        field: the field's name.
        fix: what to do about it, as an imperative.
    """

    def __init__(
        self,
        path: Path | str,
        what: str,
        *,
        row: int | str | None = None,
        field: str | None = None,
        fix: str | None = None,
    ) -> None:
        self.path, self.what, self.row, self.field, self.fix = str(path), what, row, field, fix
        place = self.path
        if row is not None:
            place += f", row {row}"
        if field is not None:
            place += f", field '{field}'"
        super().__init__(f"{place}: {what}" + (f"; {fix}." if fix else "."))


class OutputError(TolmanError):
    """A file can't be written.

    Args:
        path: the file.
        why: the system's message.
        elsewhere: how to write to another place, as an imperative.
    """

    def __init__(self, path: Path | str, why: str, elsewhere: str = "choose another folder") -> None:
        self.path = str(path)
        super().__init__(f"{path}: can't be written ({why}); make room or {elsewhere}, and try again.")


class MissingExtraError(TolmanError):
    """An optional dependency is needed and not installed, or can't be imported.

    Args:
        package: its name.
        extra: the extra that installs it; None where none does.
        purpose: its use, as the beginning of a sentence.
        reason: why it can't be imported, where it is installed.
    """

    def __init__(self, package: str, extra: str | None, purpose: str, reason: str | None = None) -> None:
        needed = f"{purpose} needs the package '{package}'"
        install = f"pip install 'tolman[{extra}]'" if extra else f"pip install {package}"
        if reason is None:
            super().__init__(f"{needed}: {install}.")
        else:
            super().__init__(f"{needed}, which can't be imported here ({reason}): {install} into a new environment.")


class NoDisplayError(TolmanError):
    """The machine has no EGL."""

    FIX = "install Debian's packages libegl1 and libgl1-mesa-dri, or conda's libegl and mesa-dri-drivers"

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"rendering needs EGL, which can't be opened here ({reason}): {self.FIX}.")


class WorkerError(TolmanError):
    """Other processes or machines can't do the work: a cluster that isn't there or has another version, or workers that
    are lost again and again. Completed work is kept."""


class RunConflictError(TolmanError):
    """A run folder holds something other than the planned output."""


class RunBusyError(RunConflictError):
    """Another process is at work in a run's folder."""


class EndpointError(TolmanError):
    """No call to a model was answered, or its endpoint went down later and stayed so: nothing else is sent. Answers
    received are kept and scored.

    Args:
        sentence: of the error.
        goes_on: whether the same command can go on once the endpoint is up.
    """

    def __init__(self, sentence: str, *, goes_on: bool = True) -> None:
        self.goes_on = goes_on
        super().__init__(sentence)


class DataWarning(UserWarning):
    """Data is read, with a remark about it: a line of the command line, without a place in the code."""


class UnknownFieldWarning(DataWarning):
    """Released data has a field that Tolman doesn't know; it is reported, and the data is read."""


class ColumnsTakenWarning(DataWarning):
    """A table's columns were recognised by their names; the sentence names the columns and their roles."""


class IncompleteGroupWarning(DataWarning):
    """Rows that count as one question, with some missing; the question is scored on those present."""


class RunInterruptedError(TolmanError):
    """The user stopped a run. Answers received are kept, in `folder` where that is a run's."""

    exit_code = 130
    folder: Path | None = None


MIN_SIMILARITY = 0.6
"""Similarity of two names (`difflib.SequenceMatcher.ratio`, 0 to 1) from which one is suggested for the other."""

MIN_BEGINNING = 3
"""Characters from which the beginning of a name is enough to suggest it."""

MAX_LISTED, SOME_LISTED = 100, 10
"""Known names that a message lists, and how many it lists of more, such as the scenes of a collection."""
MAX_SUGGESTIONS = 3
"""Names suggested where several are equally near."""


def unknown(what: str, name: str, known: Iterable[str], *, other: str = "") -> UsageError:
    """The error for a name that means nothing, to be raised.

    Args:
        what: the kind of thing, as in a sentence: 'benchmark'.
        name: the name that was written.
        known: the names there are, in the order in which they are listed.
        other: a permitted substitute for a known name, as the end of a list: 'the path of a .toml file'.
    """
    known = list(known)
    also = f", or {other}" if other else ""
    return UsageError(f"there is no {what} '{name}'; {hint(name, known)}{also}.")


def hint(name: str, known: Iterable[str]) -> str:
    """Return the likely names and the known ones: "did you mean 'a'? known: a, b"; without its first half where no name
    is near.
    """
    known = list(known)
    near = nearest(name, known)
    suggestion = f"did you mean {' or '.join(repr(one) for one in near)}? " if near else ""
    if len(known) > MAX_LISTED:
        return f"{suggestion}known: {', '.join(known[:SOME_LISTED])} and {len(known) - SOME_LISTED:,} others"
    return f"{suggestion}known: {', '.join(known) or 'none'}"


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """The names that could have been meant, at most `MAX_SUGGESTIONS`; usually one or none.

    Case, and hyphens against underscores and spaces, make no difference, and the part of a known name before its last
    slash may be left out. A name that is equal in this sense is nearest, then those that begin as `name` does, then the
    most similar one.
    """
    wanted = _folded(name)
    spellings: dict[str, list[str]] = {}
    for one in dict.fromkeys(known):
        whole = _folded(one)
        last = whole if "/" in wanted else whole.rpartition("/")[2]
        for spelling in dict.fromkeys((whole, last)):
            spellings.setdefault(spelling, []).append(one)
    found = [wanted] if wanted in spellings else []
    if not found and len(wanted) >= MIN_BEGINNING:
        found = [spelling for spelling in spellings if spelling.startswith(wanted)]
    if not found:
        found = get_close_matches(wanted, spellings, n=1, cutoff=MIN_SIMILARITY)
    return list(dict.fromkeys(one for spelling in found for one in spellings[spelling]))[:MAX_SUGGESTIONS]


def invalid_field(error: Any) -> tuple[str | None, str]:
    """The field that a ValidationError of pydantic names first, None for the whole, and its fault."""
    first = error.errors()[0]
    return ".".join(str(part) for part in first["loc"]) or None, str(first["msg"]).removeprefix("Value error, ")


def _folded(name: str) -> str:
    return name.strip().casefold().replace("_", "-").replace(" ", "-")
