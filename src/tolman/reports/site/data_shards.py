"""Data of the explorer's pages as scripts: the packing of values, floor plans, and each run's answers.

Scripts are compressed, in letters that no encoding changes. Plans are in metres, for a page to draw: floor, outlines,
camera trajectories, tracks of objects. Answers have texts, spans that were read, scores, turns and tokens.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import polars as pl

from tolman.extras import LazyModule
from tolman.items import Item
from tolman.reports.loaded_runs import LoadedRun
from tolman.reports.page_items import Span, entry_of, marked_parts, said_differently, units_of
from tolman.reports.site.question_sets import QuestionSet
from tolman.responses import Outcome, Response, Usage

if TYPE_CHECKING:
    from tolman.geometry import ground_plane
    from tolman.geometry.boxes import Floats
    from tolman.ground_truth.scene_arrays import SceneGeometry
    from tolman.reports import scene_pages
else:
    ground_plane, scene_pages = LazyModule("tolman.geometry.ground_plane"), LazyModule("tolman.reports.scene_pages")

FOLDER = "data"
SHARD_CHARACTERS = 1_200_000
"""Characters of a shard after which the next begins."""
MOST_IN_SHARD = 4_000
"""Items of a shard."""
BETWEEN_TEXTS = "\x00"
"""Stands between the texts of a shard, and in none of them."""
BEFORE_TEXTS = "\x01"

_GZIP = 31
"""zlib's number for the greatest window with a header of gzip, which holds no time."""

Value = TypeVar("Value")


as_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
"""A value as JSON without spaces, in the characters as they are."""
_COUNTS = tuple(Usage.model_fields)


class DataFolder:
    """The scripts of a site.

    Args:
        site: the site's folder.
    """

    def __init__(self, site: Path) -> None:
        self._folder = site / FOLDER
        self._folder.mkdir(parents=True, exist_ok=True)

    def put(self, key: str, content: str) -> None:
        """Write one script.

        Args:
            key: letters, digits and '-'; the page asks for it by this name.
            content: any text.
        """
        packer = zlib.compressobj(9, zlib.DEFLATED, _GZIP, 9)
        compressed = packer.compress(content.encode("utf-8", "replace")) + packer.flush()
        packed = base64.b64encode(compressed).decode()
        (self._folder / f"{key}.js").write_text(f'tolman.add("{key}","{packed}");\n', encoding="ascii")

    def put_json(self, key: str, value: Any) -> None:
        """Write one script with a JSON value."""
        self.put(key, as_json(value))


def columns(entries: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Objects as a list of values for each of their keys, null where one lacks it: alike values compress well."""
    keys = dict.fromkeys(key for entry in entries for key in entry)
    return {key: [entry.get(key) for entry in entries] for key in keys}


def clean(text: str) -> str:
    """A text without the characters that separate the texts of a shard."""
    return text.replace(BETWEEN_TEXTS, "\ufffd").replace(BEFORE_TEXTS, "\ufffd")


def shards(entries: Sequence[Value], sizes: Sequence[int]) -> Iterator[tuple[int, Sequence[Value]]]:
    """Entries in shards of about the same size.

    Args:
        entries: to be parted.
        sizes: characters of each.

    Returns:
        The place of each shard's first entry, and its entries.
    """
    start = size = 0
    for place, own in enumerate(sizes):
        if place > start and (size + own > SHARD_CHARACTERS or place - start == MOST_IN_SHARD):
            yield start, entries[start:place]
            start, size = place, 0
        size += own
    if entries:
        yield start, entries[start:]


MOST_PLACES = 240
"""Places of a camera's way that are kept."""


def plan_of(geometry: SceneGeometry) -> dict[str, Any]:
    """The plan of a scene, x to the right and y up.

    Returns:
        `floor`: rings; `objects`: category, outline and way of each; `cameras`: name, places and views (x, y of the way
        it looks) with the seconds of each, from its first frame on.
    """
    scene = geometry.scene
    return {
        "scene": scene.id,
        "floor": [_points(np.array(ring)) for ring in scene.floor],
        "objects": [
            {
                "name": thing.category,
                "outline": _points(ground_plane.outline(thing.box)),
                "track": _points(_thinned(np.array([p.center for p in thing.track]))) if thing.track else [],
            }
            for thing in scene.objects
        ],
        "cameras": [
            _camera(scene_pages.named(capture.role, capture.sensor), capture.times, places, views)
            for capture, places, views in scene_pages.ways(geometry.captures)
        ],
    }


def _camera(name: str, times: Sequence[float], places: Floats, views: Floats) -> dict[str, Any]:
    kept = _kept(len(places))
    seconds = [round(times[i] - times[0], 2) for i in kept] if len(times) == len(places) else []
    return {"name": name, "places": _points(places[kept]), "views": _points(views[kept]), "seconds": seconds}


def _kept(count: int) -> list[int]:
    spread = np.linspace(0, count - 1, min(count, MOST_PLACES)).round().astype(int)
    return [int(place) for place in np.unique(spread)]


def _thinned(way: Floats) -> Floats:
    return np.asarray(way[_kept(len(way))])


def _points(points: Floats) -> list[list[float]]:
    return [[round(float(x), 3), round(float(y), 3)] for x, y in np.asarray(points)[:, :2]]


Drawn = Callable[[Item, Response], dict[str, Any] | None]
"""The cognitive map behind a response, beside the true one."""


AnswerFacts = tuple[dict[str, Any], list[str]]
"""The facts and the texts of the answer to an item."""


def answer_shards(answers: Sequence[AnswerFacts]) -> Iterator[tuple[int, str]]:
    """Yield a run's answers in shards: a header in JSON, then all texts, so that a search looks through these alone.

    Args:
        answers: to each item of the set.

    Returns:
        For each shard the place of its first item among the set's, and its content.
    """
    for start, part in shards(answers, [sum(map(len, texts)) + 100 for _, texts in answers]):
        header = as_json({"items": len(part), **_header([said for said, _ in part])})
        yield start, header + BEFORE_TEXTS + BETWEEN_TEXTS.join(text for _, texts in part for text in texts)


SCORED = ("reading", "note", "score", "asked", "state", "rule")
"""Of each item and scorer: how the answer was read, and whether a judge was asked."""


def _header(said: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the facts of answers as columns; the scores as columns for each scorer."""
    scorers = dict.fromkeys(scorer for one in said for scorer in one.get("scores", {}))
    nothing = [None] * len(SCORED)
    scores = {
        scorer: columns([dict(zip(SCORED, one.get("scores", {}).get(scorer, nothing), strict=True)) for one in said])
        for scorer in scorers
    }
    rest = columns([{key: value for key, value in one.items() if key != "scores"} for one in said])
    return {"scores": scores, "columns": rest}


def answers_of(one: QuestionSet, run: LoadedRun, drawn: Drawn | None = None) -> list[AnswerFacts]:
    """Return the answer to each item of the set; further samples under 'samples'.

    Args:
        one: the question set.
        run: one of its runs.
        drawn: of a run that drew maps.

    Raises:
        InputError: a file of the run is broken.
    """
    read: dict[tuple[str, int], dict[str, list[Any]]] = {}
    spans: dict[tuple[str, int], list[Span]] = {}
    for identity, repeat, scorer, scored, span in _readings(run):
        if identity in one.places:
            read.setdefault((identity, repeat), {})[scorer] = scored
            if span is not None:
                spans.setdefault((identity, repeat), []).append((scorer, *span))
    own = {item.id: item for item in one.items_of(run)}
    samples: dict[str, dict[int, AnswerFacts]] = {}
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
    found: list[AnswerFacts] = [({}, []) for _ in one.items]
    for identity, own_samples in samples.items():
        for repeat, (said, _) in own_samples.items():
            if (identity, repeat) in read:
                said["scores"] = read[identity, repeat]
        found[one.places[identity]] = _together(own_samples)
    for identity, item in own.items():
        if identity in one.places and item is not one.items[one.places[identity]]:
            asked = said_differently(entry_of(item), entry_of(one.items[one.places[identity]]))
            if asked:
                found[one.places[identity]][0]["asked"] = asked
    return found


def _together(samples: Mapping[int, AnswerFacts]) -> AnswerFacts:
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
    """Yield the values of `SCORED`, and the span, for each item, sample and scorer."""
    judged = pl.col("judged") | (pl.col("status") == "unjudged")
    columns = (
        "id", "repeat", "rule_set", "reading", "note", "score", judged.cast(pl.Int8).alias("asked"), "state",
        pl.col("rule").fill_null(""), "span_start", "span_end",
    )  # fmt: skip
    scores = run.folder.scores().select(columns)
    for identity, repeat, scorer, reading, note, score, asked, state, rule, start, end in scores.iter_rows():
        span = (start, end) if start is not None and end is not None else None
        yield identity, repeat, scorer, [reading, note, score, asked, state, rule], span


def output_tokens(answers: Sequence[AnswerFacts]) -> list[int]:
    """The tokens of each item's first answer; an empty list where no response says."""
    found = [said.get("output_tokens", 0) for said, _ in answers]
    return found if any(found) else []


def _said(outcome: Outcome, spans: Sequence[Span]) -> AnswerFacts:
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
    length = units_of(outcome.response)
    said: dict[str, Any] = {"texts": kinds}
    # From the end on, where most answers stand: these numbers are alike, and compress to nothing.
    said["marks"] = [
        (start - length, end - start, names) for start, end, names in marked_parts(outcome.response, spans)
    ]
    said |= {name: count for name in _COUNTS if (count := getattr(outcome.usage, name))}
    for name in ("finish_reason", "seconds", "cost", "served"):
        if getattr(outcome, name) is not None:
            said[name] = getattr(outcome, name)
    notes = {name: count for name, count in outcome.notes.items() if count}
    if notes:
        said["notes"] = notes
    return said, [clean(text) for text in texts]
