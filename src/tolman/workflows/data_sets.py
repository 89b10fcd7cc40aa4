"""The data of several runs: each set is loaded once, and one that is not at hand is told with how it is fetched."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tolman.errors import TolmanError, UsageError, as_sentence

if TYPE_CHECKING:
    from tolman.runs.load import Loaded
    from tolman.runs.request import RunRequest


class DataSets:
    """Benchmarks as runs ask for them; one that can't be loaded is tried once, and its error raised for every run."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, Path | None, str | None, str | None, int | None], Loaded | TolmanError] = {}

    def load(self, request: RunRequest) -> Loaded:
        """The benchmark of a run.

        Raises:
            TolmanError: its data can't be loaded; of released data the sentence ends with the command that fetches it.
        """
        from tolman.runs.load import load

        count = (request.frames or {}).get("count")
        key = (request.benchmark, request.data, request.subset, request.revision, count)
        if key not in self._found:
            try:
                self._found[key] = load(*key)
            except TolmanError as error:
                self._found[key] = _with_command(error, request)
        found = self._found[key]
        if isinstance(found, TolmanError):
            raise found
        return found


def _with_command(error: TolmanError, request: RunRequest) -> TolmanError:
    from tolman import benchmarks

    if request.data is not None or benchmarks.get(request.benchmark).hub is None:
        return error
    return UsageError(f"{as_sentence(str(error))} To fetch it: '{fetch_command(request)}'.")


def fetch_command(request: RunRequest) -> str:
    """The command that fetches the data of a run."""
    named = {"--subset": request.subset, "--revision": request.revision}
    return " ".join(["tolman fetch", request.benchmark, *(f"{o} {v}" for o, v in named.items() if v is not None)])
