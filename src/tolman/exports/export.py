"""BenchmarkExport and RunsExport: one form in which a benchmark, or the results of runs, are handed to other programs.

A target is one module of this package (or a plugin) that declares one of the two as `EXPORT`:

```python
EXPORT = BenchmarkExport(
    title="task folder of lmms-eval",
    write=write,  # (BenchmarkSource, Target) → Exported
    settings={"task": "Name of the task."},
)
```

`Target.folder` is empty and takes the place of the folder that the user names once `write` is done; where `write`
raises, nothing is left.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from tolman.benchmarks.base import BenchmarkSpec, PromptPreset
from tolman.items import Item
from tolman.responses import Outcome
from tolman.runs.folder import RunFolder, RunRecord
from tolman.runs.load import Loaded


@dataclass(frozen=True)
class BenchmarkSource:
    """A benchmark that is exported.

    Attributes:
        loaded: its items, and where they come from.
        preset: whose prompts, frames and sampling the export has.
        media: the folder that the items' media are relative to.
    """

    loaded: Loaded
    preset: PromptPreset
    media: Path

    @property
    def benchmark(self) -> BenchmarkSpec:
        """With its prompts, rule sets and table."""
        return self.loaded.benchmark

    @property
    def items(self) -> list[Item]:
        """The questions."""
        return list(self.loaded.items)

    @property
    def name(self) -> str:
        """The benchmark's name, or that of its folder."""
        return Path(self.benchmark.name).resolve().name if "/" in self.benchmark.name else self.benchmark.name


@dataclass(frozen=True)
class RunSource:
    """A scored run that is exported.

    Attributes:
        folder: of the run.
        benchmark: that it is a run of.
    """

    folder: RunFolder
    benchmark: BenchmarkSpec

    @cached_property
    def record(self) -> RunRecord:
        """Settings, versions and hashes."""
        return self.folder.record()

    @cached_property
    def figures(self) -> dict[str, Any]:
        """What scores.json holds."""
        return self.folder.figures()

    @cached_property
    def items(self) -> list[Item]:
        """The questions that were asked."""
        return self.folder.items()

    @cached_property
    def outcomes(self) -> list[Outcome]:
        """Responses and failures."""
        return self.folder.outcomes()


def _began(what: str, total: int | None = None) -> None:
    """Tell nobody."""


def _advanced(count: int = 1) -> None:
    """Tell nobody."""


@dataclass(frozen=True)
class Target:
    """Where an export is written.

    Attributes:
        folder: empty, to be filled.
        place: the folder that it becomes, for what is written about it; not to be written to.
        settings: those of `--set KEY=VALUE`, each one that the export declares.
        began: called with what is done from now on and how many parts it has.
        advanced: called for each part that is done.
    """

    folder: Path
    place: Path
    settings: Mapping[str, str] = field(default_factory=dict)
    began: Callable[[str, int | None], None] = _began
    advanced: Callable[[int], None] = _advanced


@dataclass(frozen=True)
class Exported:
    """What an export wrote.

    Attributes:
        use: how the other program takes it: a command, or a sentence.
        notes: what the user must know, one sentence each: what was left out or changed, what the other program needs.
    """

    use: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class BenchmarkExport:
    """A form of a benchmark.

    Attributes:
        title: what is written, as in a sentence: 'task folder of lmms-eval'.
        write: fills the target's folder.
        settings: name → help, of what `--set NAME=VALUE` takes.
    """

    title: str
    write: Callable[[BenchmarkSource, Target], Exported]
    settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class RunsExport:
    """A form of the results of one run or several.

    Attributes:
        title: what is written, as in a sentence: 'submission to EASI'.
        write: fills the target's folder.
        settings: name → help, of what `--set NAME=VALUE` takes.
    """

    title: str
    write: Callable[[Sequence[RunSource], Target], Exported]
    settings: Mapping[str, str] = field(default_factory=dict)


Export = BenchmarkExport | RunsExport
