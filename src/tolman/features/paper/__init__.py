"""Papers: which of a paper's tables and figures are rebuilt from runs, and how, for each of the four papers.

```python
PAPER = Paper(
    name="vsi-bench", title="Thinking in Space", benchmark="vsi-bench",
    parts=(PaperPart("Figure 11", "Score over frames", (Drawing("curve"),), "tolman run …"),),
)
```

A part names its runs (`protocols`, `subset`), its other needs, and the command that gives it. A part without a step is
listed with the reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tolman.features import module_getter
from tolman.registry import Registry

if TYPE_CHECKING:
    from tolman.features.paper import compute as compute
else:
    __getattr__ = module_getter(__name__)


@dataclass(frozen=True)
class ScoreTable:
    """A table of scores next to the paper's rows.

    Attributes:
        sources: tables and figures of the paper whose rows of models it contains; all of the paper's where empty.
        by: labels, in the order of preference, of further tables: the first that questions have.
        figures_below: columns of the benchmark's table that the tables by labels show; the headline where empty.
    """

    sources: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    figures_below: str = ""


@dataclass(frozen=True)
class Drawing:
    """A figure.

    Attributes:
        kind: of `tolman figure`.
        settings: its options.
        given: option → the field of the paper's config that gives it; a part lacks its input where that is None.
        of_questions: whether it is of the benchmark's questions rather than of runs.
    """

    kind: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    given: Mapping[str, str] = field(default_factory=dict)
    of_questions: bool = False


@dataclass(frozen=True)
class FactTable:
    """The facts about a benchmark that papers print: numbers of questions and media, lengths."""


@dataclass(frozen=True)
class DiversityTable:
    """Distinct words, n-grams and structures of the questions."""


@dataclass(frozen=True)
class SubsetTable:
    """A subset on which models score as on all questions, with their scores on both.

    Attributes:
        size: its questions.
    """

    size: int


@dataclass(frozen=True)
class CorrelationTable:
    """Models' scores next to their results of other tasks, and the coefficients between the columns."""


Step = ScoreTable | CorrelationTable | Drawing | FactTable | DiversityTable | SubsetTable


def is_of_questions(step: Step) -> bool:
    """Check whether a step takes the questions of one run, regardless of the answers."""
    if isinstance(step, Drawing):
        return step.of_questions
    return isinstance(step, FactTable | DiversityTable)


@dataclass(frozen=True)
class RunNeed:
    """A run that a part rests on.

    Attributes:
        protocol: of it; any where empty.
        grid: of its cognitive maps; any where None.
        people: whether it must be of people's answers.
        essential: whether nothing can be made without it; else the part is made, in part.
    """

    protocol: str = ""
    grid: int | None = None
    people: bool = False
    essential: bool = False

    def describe(self) -> str:
        """Describe the run, after "no run": 'is under cognitive-map on a grid of 20'."""
        on = f" on a grid of {self.grid}" if self.grid is not None else ""
        return "is of people's answers" if self.people else f"is under {self.protocol}{on}"


@dataclass(frozen=True)
class PaperPart:
    """A table or figure of a paper.

    Attributes:
        name: as the paper has it: 'Table 4', 'Figures 9 and 19'.
        title: its content.
        steps: how it is made; none where it isn't.
        command: that gives its input, with MODEL for the user's model.
        protocols: of the runs that it is made of; of all where empty.
        least: different protocols that it needs among them.
        needs: runs that it rests on; without one it isn't whole.
        grids: of cognitive maps: of one, runs on others are left out; of several, runs on each are put side by side.
        tasks: the question types that it is about; of all where empty.
        subset: of the runs, or cut from runs of more questions; any where empty.
        sweeps: whether it is over numbers of frames, with one run at each.
        printed: sources of the paper's tables that aren't rows of the benchmark's table and are given next to the part
            (`benchmarks.published.published_tables`).
        instead: where it isn't made, why, and the source of a similar one.
    """

    name: str
    title: str
    steps: tuple[Step, ...] = ()
    command: str = ""
    protocols: tuple[str, ...] = ()
    least: int = 1
    needs: tuple[RunNeed, ...] = ()
    grids: tuple[int, ...] = ()
    tasks: tuple[str, ...] = ()
    subset: str = ""
    sweeps: bool = False
    printed: tuple[str, ...] = ()
    instead: str = ""

    @property
    def is_of_questions(self) -> bool:
        """Check whether all of it shows the questions of one run, regardless of the answers."""
        return all(is_of_questions(step) for step in self.steps)


@dataclass(frozen=True)
class Paper:
    """A paper: `tolman paper NAME`.

    Attributes:
        name: of the command.
        title: as printed.
        benchmark: whose runs it takes.
        parts: its tables and figures of results, in the paper's order.
    """

    name: str
    title: str
    benchmark: str
    parts: tuple[PaperPart, ...]


PAPERS = Registry(
    "paper",
    "tolman.features.paper",
    "PAPER",
    "tolman.papers",
    plural="PAPERS",
    named_by_file=False,
    alphabetical=True,
    check=lambda thing: "" if isinstance(thing, Paper) else "is no tolman.features.paper.Paper",
)
"""All papers: Tolman's four, those of plugins and of other packages."""
