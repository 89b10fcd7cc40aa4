"""Runs grouped by what they were asked, and the questions of each group in one order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tolman.items import Item
from tolman.reports.content import Report, build
from tolman.reports.loaded import LoadedRun
from tolman.reports.published import Published
from tolman.runs.folder import same_benchmark


@dataclass(frozen=True)
class QuestionSet:
    """Runs of the same questions.

    Attributes:
        key: of its scripts.
        report: their table.
        runs: one or more.
        items: those of the first run, then those that only later runs have.
    """

    key: str
    report: Report
    runs: Sequence[LoadedRun]
    items: Sequence[Item]
    places: dict[str, int] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """Of its pages."""
        return f"{self.report.benchmark.title} · {self.report.subset}"


def question_sets(
    runs: Sequence[LoadedRun], left_out: Sequence[str] = (), published: Published = "newest"
) -> list[QuestionSet]:
    """Group runs by benchmark, subset and data, in the order in which the groups first appear.

    Args:
        runs: one or more, with scores.
        left_out: a sentence for each run that should be there and has no scores; it stands above the first table.
        published: which published rows stand beside the runs.
    """
    found = []
    for number, group in enumerate(_groups(runs)):
        items: dict[str, Item] = {}
        for run in group:
            for item in run.folder.items():
                items.setdefault(item.id, item)
        report = build(group, published, left_out if number == 0 else ())
        places = {identity: place for place, identity in enumerate(items)}
        found.append(QuestionSet(f"s{number}", report, group, list(items.values()), places))
    return found


def first_set(runs: Sequence[LoadedRun]) -> list[LoadedRun]:
    """The runs that were asked what the first of them was."""
    return _groups(runs)[0]


def _groups(runs: Sequence[LoadedRun]) -> list[list[LoadedRun]]:
    groups: list[list[LoadedRun]] = []
    for run in runs:
        for group in groups:
            if _same(group[0], run):
                group.append(run)
                break
        else:
            groups.append([run])
    return groups


def _same(one: LoadedRun, other: LoadedRun) -> bool:
    a, b = one.record.settings, other.record.settings
    return same_benchmark(a.benchmark, b.benchmark) and (a.subset, a.data_hash) == (b.subset, b.data_hash)
