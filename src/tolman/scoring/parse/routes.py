"""Options that are routes, "left, then straight, then left": steps that a response says in other words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from tolman.items import LETTERS
from tolman.scoring.parse.commitments import CONCLUDED, DECLARED, STATED, Commitment
from tolman.scoring.parse.lexicon import Cue, Languages, longest
from tolman.scoring.parse.segments import Segment, is_question
from tolman.scoring.parse.words import Word, words_of

MIN_STEPS = 2
"""Steps of each option, at least."""
MAX_STEPS = 12
"""Steps of a sentence that is compared, at most."""

_STEPS = {
    "left": "left",
    "right": "right",
    "straight": "straight",
    "front": "straight",
    "back": "back",
    "above": "above",
    "below": "below",
}
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
        if len(cues) < MIN_STEPS:
            return ()
        routes.append(tuple(_STEPS[cue.role] for cue in cues))
        gap = option[cues[0].end : cues[1].start]
        words = words_of(gap)
        apart += any(w.folded not in language.skip for w in words) or (not words and bool(gap.strip(" -/")))
        apart += bool(set(gap) & set(",→←>、;·・"))
    return tuple(routes) if 2 * apart > len(options) and len(set(routes)) == len(routes) else ()


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
    """The option of which some steps are the route, whether or not they say where to go straight on."""
    if len(said) < MIN_STEPS:
        return None
    if said in routes:
        return routes.index(said)
    turns = [_turns(route) for route in routes]
    own = _turns(said)
    return turns.index(own) if len(own) >= MIN_STEPS and turns.count(own) == 1 else None


def _turns(route: Route) -> Route:
    return tuple(step for step in route if step != "straight")
