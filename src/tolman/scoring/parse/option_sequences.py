"""Options that are sequences: orders of the same things, and routes.

Orders are such as "lamp, sofa, door" and "door, lamp, sofa". A response says the steps of a route, such as "left, then
straight, then left", in other words.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from tolman.items import LETTERS
from tolman.scoring.parse.commitments import CONCLUDED, DECLARED, FOREIGN, STATED, Commitment
from tolman.scoring.parse.lexicon import Cue, Languages, Word, longest, same_word, words_of
from tolman.scoring.parse.response_segments import Segment, is_question

MIN_THINGS = 3
"""Things from which on they have an order."""
MIN_STEM = 2
"""Letters with which two forms of a word begin alike, at least."""
MAX_LINE_GAP = 48
"""Characters between two things of an order that stand in neighbouring lines, at most."""

_SPLIT = re.compile(
    r"\s*(?:,|;|→|←|->|=>|>|<|、|・|–|—|/|\|"
    r"|\b(?:then|dann|puis|luego|después|depois|затем|потом)\b|(?<=\s)(?:ثم|फिर)(?=\s)|然后|再到)\s*"
)


@dataclass(frozen=True, slots=True)
class _Named:
    """A thing of the options, named in a text."""

    thing: str
    start: int
    end: int
    segment: Segment


def split_order(text: str) -> tuple[str, ...]:
    """Split a text at the signs between the things of an order."""
    return tuple(part for part in _SPLIT.split(text.strip().rstrip(".")) if part)


@lru_cache(maxsize=16_384)
def orders_of(options: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Read options as orders of the same things.

    Args:
        options: their texts.

    Returns:
        The things of each option in its order; empty where not all options are orders of the same three or more.
    """
    parts = tuple(split_order(option.casefold()) for option in options)
    if len(parts[0]) < MIN_THINGS or len(set(parts)) < len(parts) or len(set(parts[0])) < len(parts[0]):
        return ()
    return parts if all(sorted(p) == sorted(parts[0]) for p in parts) else ()


def by_order(text: str, segments: Sequence[Segment], options: tuple[str, ...]) -> list[Commitment]:
    """Find the orders that a text spells out, each in a segment or in consecutive lines.

    Args:
        text: without markup.
        segments: of the text.
        options: the options' texts.

    Returns:
        A commitment for each order, without a value for one that no option has; empty where the options are no orders.
    """
    orders = orders_of(options)
    if not orders:
        return []
    things = {thing: tuple(w.folded for w in words_of(thing)) for thing in orders[0]}
    whole = []
    named = []
    for segment in segments:
        inside = _named(segment, things)
        named += inside
        if len(inside) == len(things) == len({n.thing for n in inside}):
            whole.append(_ordered(inside, orders, DECLARED if segment.having("answer") else CONCLUDED))
    if whole:
        return whole
    result = []
    i = 0
    while i + len(things) <= len(named):
        run = named[i : i + len(things)]
        if len({n.thing for n in run}) == len(run) and _are_together(run, text):
            result.append(_ordered(run, orders, CONCLUDED))
            i += len(things)
        else:
            i += 1
    return result or _narrated(text, segments, things, orders)


def _narrated(
    text: str, segments: Sequence[Segment], things: dict[str, tuple[str, ...]], orders: tuple[tuple[str, ...], ...]
) -> list[Commitment]:
    """The order in which a response first names the things, where it denies none and turns nothing around."""
    first: dict[str, _Named] = {}
    for segment in segments:
        for named in _named(segment, things, loosely=True):
            first.setdefault(named.thing, named)
    if len(first) < len(things) or any(
        segment.having("correct", "unknown", "tentative") for segment in segments if segment.words
    ):
        return []
    run = sorted(first.values(), key=lambda n: n.start)
    if tuple(n.thing for n in run) not in orders:
        return []
    return [_ordered(run, orders, STATED)]


def _ordered(run: Sequence[_Named], orders: tuple[tuple[str, ...], ...], strength: int) -> Commitment:
    """Return the commitment to the option whose order a run of things matches."""
    said = tuple(named.thing for named in run)
    start, end = run[0].start, run[-1].end
    if said not in orders:
        return Commitment(None, strength, start, end, "order", FOREIGN)
    return Commitment(LETTERS[orders.index(said)], strength, start, end, "order")


def _named(segment: Segment, things: dict[str, tuple[str, ...]], *, loosely: bool = False) -> list[_Named]:
    """The things that a segment names, in order, loosely with other endings; one named twice in succession once."""
    same = _alike if loosely else same_word
    found: list[_Named] = []
    for i, word in enumerate(segment.words):
        for thing, words in things.items():
            following = segment.words[i : i + len(words)]
            if (
                words
                and len(following) == len(words)
                and all(same(f.folded, w) for f, w in zip(following, words, strict=True))
                and not (found and found[-1].thing == thing)
            ):
                found.append(_Named(thing, word.start, following[-1].end, segment))
    return found


def _alike(word: str, other: str) -> bool:
    """Check whether two words begin alike but for their last two letters: गमला and गमले, ковёр and ковра."""
    if same_word(word, other):
        return True
    kept = min(len(word), len(other)) - 1
    return kept >= MIN_STEM and abs(len(word) - len(other)) <= 2 and word[:kept] == other[:kept]


def _are_together(run: Sequence[_Named], text: str) -> bool:
    """Check whether the things of a run are in one segment, or in lines that follow each other closely."""
    if all(named.segment is run[0].segment for named in run):
        return True
    return all(b.start - a.end <= MAX_LINE_GAP for a, b in itertools.pairwise(run)) and text.count(
        "\n", run[0].start, run[-1].end
    ) <= 2 * len(run)


MIN_STEPS = 2
"""Steps of each option, at least."""
MAX_STEPS = 12
"""Steps of a sentence that is compared, at most."""

_STEPS = {
    "left": "left", "right": "right", "straight": "straight", "front": "straight", "back": "back",
    "above": "above", "below": "below",
}  # fmt: skip
"""Steps by the concepts that name them."""
_SAID = {**_STEPS, "front": ""}
"""The same in a response, where what stands ahead is no step."""

Route = tuple[str, ...]


@lru_cache(maxsize=16_384)
def routes_of(options: tuple[str, ...], language: Languages) -> tuple[Route, ...]:
    """Read options as routes.

    Args:
        options: their texts.
        language: in which they are written.

    Returns:
        The steps of each; empty where an option has fewer than two, two have the same, or the steps of most are one
        direction ("front left").
    """
    routes: list[Route] = []
    apart = 0
    for option in options:
        cues = _cues(words_of(option), option, language, _STEPS)
        if not cues:
            return ()
        routes.append(tuple(_STEPS[cue.role] for cue in cues))
        if len(cues) < MIN_STEPS:
            continue
        gap = option[cues[0].end : cues[1].start]
        words = words_of(gap)
        apart += any(w.folded not in language.skip for w in words) or (not words and bool(gap.strip(" -/")))
        apart += bool(set(gap) & set(",→←>、;·・"))
    long = sum(len(route) >= MIN_STEPS for route in routes)
    return tuple(routes) if 2 * apart > long > len(routes) / 2 and len(set(routes)) == len(routes) else ()


def by_route(text: str, segments: Sequence[Segment], options: tuple[str, ...], language: Languages) -> list[Commitment]:
    """Find the routes that a text describes, each in a sentence or in the lines of a list.

    Args:
        text: without markup.
        segments: of the text.
        options: the options' texts.
        language: in which they are written.

    Returns:
        A commitment for each route that is the one of an option; empty where the options are no routes.
    """
    routes = routes_of(options, language)
    if not routes:
        return []
    found = []
    steps: list[Cue] = []
    for i, segment in enumerate(segments):
        cues = _cues(segment.words, text, segment.language, _SAID)
        cues = [c for c in cues if _SAID[c.role]]
        listed = segment.line_start and segment.line_end and len(cues) == 1
        steps = [*steps, *cues] if listed else []
        for group in (cues, steps):
            option = _chosen(tuple(_SAID[c.role] for c in group), routes) if len(group) <= MAX_STEPS else None
            if option is None or is_question(segment, text) or segment.having("negate", "suppose"):
                continue
            last = i == len(segments) - 1
            strength = DECLARED if segment.having("answer") else STATED
            whole = len(group) > MIN_STEPS and tuple(_SAID[c.role] for c in group) in routes
            if last or whole or segment.having("conclude"):
                strength = max(strength, CONCLUDED)
            found.append(Commitment(LETTERS[option], strength, group[0].start, group[-1].end, "route"))
            break
    return found


def _cues(words: Sequence[Word], text: str, language: Languages, steps: dict[str, str]) -> list[Cue]:
    """The steps in a part of a text; straight on where a word means that and ahead."""
    found = [cue for cue in longest(language.concepts.find(words, text)) if cue.role in steps]
    straight = {cue.start for cue in found if cue.role == "straight"}
    return [cue for cue in found if cue.role == "straight" or cue.start not in straight]


def _chosen(said: Route, routes: Sequence[Route]) -> int | None:
    """Return the option whose route some steps match, whether or not they say where to go straight on."""
    if len(said) < MIN_STEPS:
        return None
    if said in routes:
        return routes.index(said)
    turns = [_turns(route) for route in routes]
    own = _turns(said)
    return turns.index(own) if len(own) >= MIN_STEPS and turns.count(own) == 1 else None


def _turns(route: Route) -> Route:
    return tuple(step for step in route if step != "straight")
