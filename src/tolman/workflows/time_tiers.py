"""Tiers of difficulty from people's times, as a label of the questions (MMSI-Bench paper, Appendix F.6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tolman.errors import UsageError

if TYPE_CHECKING:
    from tolman.items import Item
    from tolman.reports.loaded import LoadedRun

LABEL = "time_tier"


def time_tiers(runs: Sequence[LoadedRun]) -> dict[str, str]:
    """Item → easy, medium or hard, by the people among some runs; items that nobody answered have none.

    Raises:
        UsageError: none of the runs is a person's, no answer has a time, or there are too few for three tiers.
    """
    import polars as pl

    from tolman.analyze.humans import difficulty
    from tolman.reports.alike import scores_under
    from tolman.runs.folder import PEOPLE
    from tolman.workflows.analyses.humans import timed_answers

    people = {run.record.settings.model: run for run in runs if run.record.settings.model.startswith(PEOPLE)}
    if not people:
        raise UsageError(f"--by {LABEL} needs people's runs (model {PEOPLE}NAME) among those that are reported.")
    rules = {name: next(iter(run.figures["rule_sets"])) for name, run in people.items()}
    answers = [timed_answers(name, run, scores_under(run, rules[name])) for name, run in people.items()]
    found = difficulty(pl.concat(answers))
    return dict(found.frame.select("id", "tier").iter_rows())


def labelled(items: Sequence[Item], tiers: dict[str, str]) -> list[Item]:
    """Items with their tier among their labels."""
    return [
        item.model_copy(update={"labels": {**item.labels, LABEL: tiers[item.id]}}) if item.id in tiers else item
        for item in items
    ]
