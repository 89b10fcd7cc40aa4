"""The one tree of exceptions.

```
TolmanError                 everything Tolman raises on purpose; the command line prints it and exits with 2
├── UsageError              a name or option that doesn't exist or doesn't go together
├── InputError              a file whose content can't be used: names file, row, field and fix
├── MissingExtraError       an optional dependency is needed and not installed
├── NoDisplayError          the machine has no EGL to draw with
├── WorkerError             processes or machines can't do the work: a wrong address, another version, lost
├── RunConflictError        a run folder holds something other than what is about to be written
│   └── RunBusyError        another process is at work there
├── EndpointError           no call to a model can succeed: its first showed it, or its endpoint went down
└── RunInterruptedError     the user stopped a run; exit code 130
```

What a model call can go wrong with is not here: that is a `responses.Failure`, a value that is counted
and shown, never an exception that ends a run.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any


class TolmanError(Exception):
    """Base of everything Tolman raises on purpose. Its text is one sentence meant for the user."""

    exit_code = 2

    def __reduce__(self) -> tuple[Any, ...]:
        # Exceptions are copied by calling their class with their text, which few of these can be called with.
        return _copied, (type(self), str(self), self.__dict__)


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
        what: what is wrong, as the rest of a sentence.
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


class MissingExtraError(TolmanError):
    """An optional dependency is needed and not installed, or can't be imported.

    Args:
        package: its name.
        extra: the extra that installs it.
        purpose: what it is needed for, as the beginning of a sentence.
        reason: why it can't be imported, where it is installed.
    """

    def __init__(self, package: str, extra: str, purpose: str, reason: str | None = None) -> None:
        needed, install = f"{purpose} needs the package '{package}'", f"pip install 'tolman[{extra}]'"
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
    are lost again and again. What is done is kept."""


class RunConflictError(TolmanError):
    """A run folder holds something other than what is about to be written."""


class RunBusyError(RunConflictError):
    """Another process is at work in a run's folder."""


class EndpointError(TolmanError):
    """The first call to a model failed in a way that every other would, or its endpoint went down later and stayed so:
    nothing else is sent. What was answered is kept and scored."""


class DataWarning(UserWarning):
    """Data is read, and something about it is told: a line of the command line, without a place in the code."""


class UnknownFieldWarning(DataWarning):
    """Released data has a field that Tolman doesn't know; it is told, and the data is read."""


class IncompleteGroupWarning(DataWarning):
    """Rows that count as one question, some of which are missing; the question is scored on those that are there."""


class RunInterruptedError(TolmanError):
    """The user stopped a run. What was answered is kept."""

    exit_code = 130
