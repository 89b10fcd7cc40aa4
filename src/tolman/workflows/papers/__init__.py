"""Papers: which of a paper's tables and figures are rebuilt from runs, and how. A module for each of the four papers.

```python
PAPER = Paper(
    name="vsi-bench", title="Thinking in Space", benchmark="vsi-bench",
    parts=(PaperPart("Figure 11", "Score over frames", (Drawing("curve"),), "tolman run …"),),
)
```

A part says which runs it is made of (`protocols`, `subset`), what else it needs, and the command that gives it. A part
without a step is listed with the reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tolman.registry import Registry


@dataclass(frozen=True)
class ScoreTable:
    """A table of scores beside the paper's rows.

    Attributes:
        sources: tables and figures of the paper whose rows of models stand in it; all of the paper's where empty.
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


Step = ScoreTable | Drawing | FactTable | DiversityTable | SubsetTable


@dataclass(frozen=True)
class PaperPart:
    """A table or figure of a paper.

    Attributes:
        name: as the paper has it: 'Table 4', 'Figures 9 and 19'.
        title: what it shows.
        steps: how it is made; none where it isn't.
        command: what gives its input, with MODEL for the user's model.
        protocols: of the runs that it is made of; of all where empty.
        least: different protocols that it needs among them.
        subset: of the runs; any where empty.
        sweeps: whether it is over numbers of frames, with one run at each.
        printed: sources of the paper's tables that aren't rows of the benchmark's table and are told beside the part
            (`benchmarks.published_tables`).
        instead: where it isn't made, why, and what shows the like.
    """

    name: str
    title: str
    steps: tuple[Step, ...] = ()
    command: str = ""
    protocols: tuple[str, ...] = ()
    least: int = 1
    subset: str = ""
    sweeps: bool = False
    printed: tuple[str, ...] = ()
    instead: str = ""


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
    "tolman.workflows.papers",
    "PAPER",
    "tolman.papers",
    check=lambda thing: "" if isinstance(thing, Paper) else "is no tolman.workflows.papers.Paper",
)
"""All papers: Tolman's four, those of plugins and of other packages."""
