"""Diversity of the wording of a benchmark's questions, of all and of each question type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from tolman.workflows.analyses import Analysis, to_plain
from tolman.workflows.analyses.settings import Source
from tolman.workflows.config import Setting
from tolman.workflows.events import Advanced, Began, Ended, Events, silent
from tolman.workflows.settings import ReleasedData, Subset

if TYPE_CHECKING:
    from tolman.analyze.diversity import DiversityResult
    from tolman.reports.analyses.output import Shown


@dataclass(frozen=True, kw_only=True)
class DiversityConfig:
    """Settings of `analyze_diversity`."""

    benchmark: Source
    data: ReleasedData = None
    subset: Subset = None
    structures: Annotated[bool, Setting("Also parse each question and count distinct dependency trees.")] = False


def analyze_diversity(config: DiversityConfig, events: Events = silent) -> DiversityResult:
    """Count words, n-grams and structures of a benchmark's questions, of all and of each question type.

    Raises:
        MissingExtraError: a package is needed.
        UsageError, InputError: there is no such benchmark, or its data can't be read.
    """
    from tolman.analyze.diversity import DiversityResult, dependency_structures, diversity
    from tolman.benchmarks.published_tables import published_tables
    from tolman.workflows.analyses.inputs import load_questions

    _, items, label = load_questions(config.benchmark, config.data, config.subset)
    texts = [item.question for item in items]
    parsed = None
    if config.structures:
        events(Began("parsing", len(set(texts))))
        parsed = dependency_structures(texts, lambda count: events(Advanced(count)))
        events(Ended())
    found = {"all": diversity(texts, parsed)}
    for task in dict.fromkeys(item.task for item in items):
        own = [i for i, item in enumerate(items) if item.task == task]
        found[task] = diversity([texts[i] for i in own], None if parsed is None else [parsed[i] for i in own])
    return DiversityResult(label, found, tuple(published_tables("diversity")))


def to_json(result: DiversityResult) -> dict[str, Any]:
    """Make the content of `--json` of a result."""
    return {"questions_of": result.label, **to_plain(result.tasks)}


def show(result: DiversityResult) -> list[Shown]:
    """Make tables and sentences of a result."""
    from tolman.reports.analyses import diversity as form

    return form.show(result)


ANALYSIS = Analysis(
    name="diversity",
    title="Diversity of the questions' wording: distinct words, unique n-grams, syntactic structures.",
    config=DiversityConfig,
    run=analyze_diversity,
    show=show,
    to_json=to_json,
    examples=("diversity vsi-bench",),
)
