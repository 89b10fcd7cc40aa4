"""The index of a question set: a column for each thing that its list filters and sorts by, in codes and numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from tolman.analyze.labels import in_order, label_frame, label_names
from tolman.items import Item
from tolman.reports.loaded import LoadedRun
from tolman.reports.site.question_sets import QuestionSet
from tolman.reports.site.seen import seen_by
from tolman.responses import Outcome, Response

SCALE = 1000
"""A score of 1, as the index has it."""
NO_SCORE = -1
STATES = {"read": "r", "none": "n", "cut off": "c"}
STATUSES = {"failed": "f", "missing": "m", "left out": "l", "unjudged": "u"}
NOT_ASKED = "."
SCORED = "s"
"""Scored by a version that didn't say how the answer was read."""
MOST_VALUES = 400
"""Values of a label that a page offers to choose from; one with more can be searched for."""
_ALWAYS = ("task", "scene")


def index_of(one: QuestionSet, shards: Mapping[str, Any]) -> dict[str, Any]:
    """The index of a question set.

    Args:
        one: the set.
        shards: where its questions, answers, media and plans are, as the page takes it.
    """
    return {
        "title": one.title,
        "ids": [item.id for item in one.items],
        "labels": label_columns(one.items),
        "runs": [run_column(one, run) for run in one.runs],
        "shards": shards,
    }


def label_columns(items: Sequence[Item]) -> list[dict[str, Any]]:
    """The labels by which some items can be told apart, each with its values and a code for each item."""
    counts = label_names(items)
    carried = {name for item in items for name in item.labels}
    names = [*(name for name in _ALWAYS if name in counts), *(name for name in counts if name not in _ALWAYS)]
    kept = [name for name in names if counts[name] <= MOST_VALUES or name == "scene"]
    frame = label_frame(items, kept)
    found = []
    for name in kept:
        values = in_order(frame[name].unique().to_list())
        codes = {value: code for code, value in enumerate(values)}
        column = {"name": name, "values": values, "codes": [codes[value] for value in frame[name]]}
        found.append({**column, "derived": name not in carried})
    return found


def run_column(one: QuestionSet, run: LoadedRun) -> dict[str, Any]:
    """What a run brought to each item: scores under each scorer, how its answer was read, the tokens of its output.

    Of a run with several samples these are the first one's; `samples` counts all of them.
    """
    every = run.folder.scores()
    scores = every.filter(pl.col("repeat") == 0)
    scorers = list(run.figures["rule_sets"])
    places = one.places
    by_scorer = {scorer: [NO_SCORE] * len(one.items) for scorer in scorers}
    states = [NOT_ASKED] * len(one.items)
    judged: set[int] = set()
    columns = ("rule_set", "id", "score", "status", "state", "judged")
    for scorer, identity, score, status, state, was_judged in scores.select(columns).iter_rows():
        place = places.get(identity)
        if place is None or scorer not in by_scorer:
            continue
        if score is not None:
            by_scorer[scorer][place] = round(score * SCALE)
        if was_judged or status == "unjudged":
            judged.add(place)
        if scorer == scorers[0]:
            states[place] = STATES.get(state or "") or STATUSES.get(status, SCORED)
    return {
        "name": run.name,
        "model": run.record.settings.model,
        "protocol": run.record.settings.protocol,
        "scorers": scorers,
        "scores": [by_scorer[scorer] for scorer in scorers],
        "states": "".join(states),
        "judged": sorted(judged),
        "tokens": output_tokens(run.folder.each_outcome(), places),
        "seen": seen_by(run.record).to_json(),
        **sample_counts(every, scorers, places),
    }


def sample_counts(scores: pl.DataFrame, scorers: Sequence[str], places: Mapping[str, int]) -> dict[str, Any]:
    """For a run with several samples, `samples`: how many each item has, and how many of them each scorer found right;
    nothing for another run.
    """
    if not (scores["repeat"] > 0).any():
        return {}
    of, right = [0] * len(places), [[0] * len(places) for _ in scorers]
    counted = scores.group_by("rule_set", "id").agg(pl.len().alias("of"), (pl.col("score") >= 1).sum().alias("right"))
    for scorer, identity, count, fully in counted.select("rule_set", "id", "of", "right").iter_rows():
        place = places.get(identity)
        if place is not None and scorer in scorers:
            of[place] = count
            right[scorers.index(scorer)][place] = fully
    return {"samples": {"of": of, "right": right}}


def output_tokens(outcomes: Iterable[Outcome], places: Mapping[str, int]) -> list[int]:
    """The tokens of each item's first answer; an empty list where no response says."""
    found = [0] * len(places)
    for outcome in outcomes:
        if isinstance(outcome, Response) and outcome.repeat == 0 and outcome.id in places:
            found[places[outcome.id]] = outcome.usage.output_tokens
    return found if any(found) else []
