"""What a run answered to each item of a question set: texts, spans that were read, scores, turns, tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from tolman.items import Item
from tolman.reports.loaded import LoadedRun
from tolman.reports.page_items import entry_of, said_differently
from tolman.reports.site.packing import BEFORE_TEXTS, BETWEEN_TEXTS, as_json, clean, columns, shards
from tolman.reports.site.question_sets import QuestionSet
from tolman.reports.spans import Span, marked_parts
from tolman.responses import Outcome, Response

Drawn = Callable[[Item, Response], dict[str, Any] | None]
"""The cognitive map behind a response, beside the true one."""


def answer_shards(one: QuestionSet, run: LoadedRun, drawn: Drawn | None = None) -> Iterator[tuple[int, str]]:
    """What a run answered, in shards: a header in JSON, then all texts, so that a search looks through these alone.

    Args:
        one: the question set.
        run: one of its runs.
        drawn: of a run that drew maps.

    Returns:
        For each shard the place of its first item among the set's, and its content.

    Raises:
        InputError: a file of the run is broken.
    """
    answers = _answers(one, run, drawn)
    for start, part in shards(answers, [sum(map(len, texts)) + 100 for _, texts in answers]):
        header = as_json({"items": len(part), **_header([said for said, _ in part])})
        yield start, header + BEFORE_TEXTS + BETWEEN_TEXTS.join(text for _, texts in part for text in texts)


SCORED = ("reading", "note", "score", "asked", "state", "rule")
"""Of each item and scorer: how the answer was read, and whether a judge was asked."""


def _header(said: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """What is said of answers as columns; the scores as columns for each scorer."""
    scorers = dict.fromkeys(scorer for one in said for scorer in one.get("scores", {}))
    nothing = [None] * len(SCORED)
    scores = {
        scorer: columns([dict(zip(SCORED, one.get("scores", {}).get(scorer, nothing), strict=True)) for one in said])
        for scorer in scorers
    }
    rest = columns([{key: value for key, value in one.items() if key != "scores"} for one in said])
    return {"scores": scores, "columns": rest}


def _answers(one: QuestionSet, run: LoadedRun, drawn: Drawn | None) -> list[tuple[dict[str, Any], list[str]]]:
    """For each item of the set what is said of the answer, and its texts; further samples under 'samples'."""
    read: dict[tuple[str, int], dict[str, list[Any]]] = {}
    spans: dict[tuple[str, int], list[Span]] = {}
    for identity, repeat, scorer, scored, span in _readings(run):
        if identity in one.places:
            read.setdefault((identity, repeat), {})[scorer] = scored
            if span is not None:
                spans.setdefault((identity, repeat), []).append((scorer, *span))
    own = {item.id: item for item in run.folder.items()}
    samples: dict[str, dict[int, tuple[dict[str, Any], list[str]]]] = {}
    for outcome in run.folder.each_outcome():
        if outcome.id not in one.places:
            continue
        said, texts = _said(outcome, spans.get((outcome.id, outcome.repeat), ()))
        samples.setdefault(outcome.id, {})[outcome.repeat] = said, texts
        if drawn is not None and not outcome.repeat and isinstance(outcome, Response) and outcome.id in own:
            beside = drawn(own[outcome.id], outcome)
            if beside is not None:
                said["map"] = beside
    for identity, repeat in read:
        samples.setdefault(identity, {}).setdefault(repeat, ({}, []))
    found: list[tuple[dict[str, Any], list[str]]] = [({}, []) for _ in one.items]
    for identity, own_samples in samples.items():
        for repeat, (said, _) in own_samples.items():
            if (identity, repeat) in read:
                said["scores"] = read[identity, repeat]
        found[one.places[identity]] = _together(own_samples)
    for identity, item in own.items():
        if identity in one.places:
            asked = said_differently(entry_of(item), entry_of(one.items[one.places[identity]]))
            if asked:
                found[one.places[identity]][0]["asked"] = asked
    return found


def _together(samples: Mapping[int, tuple[dict[str, Any], list[str]]]) -> tuple[dict[str, Any], list[str]]:
    """The samples of an item's answer: the first one's header with those of the others in it, and the texts of all.

    The kinds of the others' texts begin with '#' and the sample's number, so that a search finds texts of any sample.
    """
    first, texts = samples.get(0, ({}, []))
    kinds = list(first.get("texts", ()))
    further = []
    for repeat in sorted(samples):
        if repeat:
            said, own = samples[repeat]
            kinds += [f"#{repeat + 1} {kind}" for kind in said.get("texts", ())]
            texts = [*texts, *own]
            further.append({"number": repeat + 1, **{key: value for key, value in said.items() if key != "texts"}})
    if not further:
        return first, texts
    return {**first, "texts": kinds, "samples": further}, texts


def _readings(run: LoadedRun) -> Iterator[tuple[str, int, str, list[Any], tuple[int, int] | None]]:
    """Of each item, sample and scorer the values of `SCORED`, and the span."""
    judged = pl.col("judged") | (pl.col("status") == "unjudged")
    columns = (
        "id", "repeat", "rule_set", "reading", "note", "score", judged.cast(pl.Int8).alias("asked"), "state",
        pl.col("rule").fill_null(""), "span_start", "span_end",
    )  # fmt: skip
    scores = run.folder.scores().select(columns)
    for identity, repeat, scorer, reading, note, score, asked, state, rule, start, end in scores.iter_rows():
        span = (start, end) if start is not None and end is not None else None
        yield identity, repeat, scorer, [reading, note, score, asked, state, rule], span


def _said(outcome: Outcome, spans: Sequence[Span]) -> tuple[dict[str, Any], list[str]]:
    """An outcome's header and texts: the response first, then its reasoning, then each turn."""
    if not isinstance(outcome, Response):
        return {"failure": f"{outcome.kind}: {outcome.message}", "attempts": outcome.attempts}, []
    texts, kinds = [outcome.response], ["response"]
    if outcome.reasoning:
        texts.append(outcome.reasoning)
        kinds.append("reasoning")
    for turn in outcome.turns:
        name = turn.purpose if turn.draw == 0 else f"{turn.purpose} {turn.draw + 1}"
        asked = f" of {turn.model}" if turn.model else ""
        for kind, text in ((f"asked: {name}{asked}", turn.prompt), (f"turn: {name}{asked}", turn.response)):
            texts.append(text)
            kinds.append(kind)
        if turn.reasoning:
            texts.append(turn.reasoning)
            kinds.append(f"reasoning: {name}")
    length = len(outcome.response.encode("utf-16-le", "surrogatepass")) // 2
    said: dict[str, Any] = {"texts": kinds}
    # From the end on, where most answers stand: these numbers are alike, and compress to nothing.
    said["marks"] = [
        (start - length, end - start, names) for start, end, names in marked_parts(outcome.response, spans)
    ]
    said |= {name: count for name, count in outcome.usage.model_dump().items() if count}
    for name in ("finish_reason", "seconds", "cost", "served"):
        if getattr(outcome, name) is not None:
            said[name] = getattr(outcome, name)
    notes = {name: count for name, count in outcome.notes.items() if count}
    if notes:
        said["notes"] = notes
    return said, [clean(text) for text in texts]
