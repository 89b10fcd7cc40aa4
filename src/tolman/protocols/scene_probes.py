"""Strategies that first ask for an object list of the scene, or for the camera's route.

The first turn doesn't show the question, so that all questions about one scene share it. The model then answers in the
same dialogue. `tolman.analyze.probes` compares lists and routes with scenes and answers. The idea is that of
VSI-Bench's cognitive maps (paper, section 6); the prompts are Tolman's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from tolman.benchmarks.spec import BenchmarkSpec, PromptPreset
from tolman.cognitive_maps import conclusion, json_candidates, match_category, plain_category
from tolman.errors import UsageError, counted
from tolman.items import Item
from tolman.protocols import Answer, Ask, Conversation, ProtocolOptions, Question, Strategy, reply
from tolman.protocols.cognitive_map import scenes
from tolman.responses import Response

OBJECT_LIST, ROUTE = "object-list", "route"
PROMPTS = {
    OBJECT_LIST: (
        "The pictures show one place. Which kinds of objects are there, and how many of each? Count an object once, "
        "even if several pictures show it.{names} Answer with one JSON object of names and numbers, such as "
        '{{"chair": 4, "sofa": 1}}.'
    ),
    ROUTE: (
        "The pictures show one walk through a place. Describe the camera's route: where it goes and where it turns. "
        "Then name the kinds of objects in the order in which they first come into view.{names} End with that order as "
        'one JSON list, such as ["door", "sofa", "lamp"].'
    ),
}
_NAMES = " Use these names: {names}."
ANSWERS = {
    OBJECT_LIST: "According to the pictures and your list of objects, answer the following question:",
    ROUTE: "According to the pictures and your description of the route, answer the following question:",
}
MANY = 300
"""Names that a prompt lists at most."""
_COUNT = re.compile(r"[\"']?([A-Za-z][\w ()/-]{0,79}?)[\"']?\s*:\s*[\"']?(\d{1,5})\b(?!\.\d)")
_ROW = re.compile(
    r"[\"'](?:name|object|category|kind)[\"']\s*:\s*[\"']([^\"'\n]{1,80})[\"']\s*,\s*"
    r"[\"'](?:count|number|quantity)[\"']\s*:\s*[\"']?(\d{1,5})\b"
)
_LINE = re.compile(r"^[\W\d]*([A-Za-z][A-Za-z_ ()/-]{0,79}?)\W*:\W*(\d{1,5})\W*$", re.MULTILINE)
_LIST = re.compile(r"\[([^\[\]]{1,20000})\]")
_QUOTED = re.compile(r"\"([^\"\n]{1,80})\"|'([^'\n]{1,80})'")


def categories_of_scenes(options: ProtocolOptions) -> tuple[str, ...]:
    """The categories of all scenes in `--scenes`, in alphabetical order; empty without it.

    Names of one scene alone would give away its objects.
    """
    known = {} if options.scenes is None else scenes(options.scenes)
    return tuple(sorted({name for geometry in known.values() for name in geometry.categories}))


def converse_after(probe: str, question: Question) -> Conversation:
    """An object list or a route, then the answer.

    Args:
        probe: `OBJECT_LIST` or `ROUTE`.
        question: to answer.
    """
    names = categories_of_scenes(question.options)
    listed = _NAMES.format(names=", ".join(names)) if names else ""
    messages = (question.shown(PROMPTS[probe].format(names=listed)),)
    said: Response = yield Ask(messages, question.sampling(long=True), purpose=probe)
    text = "\n".join([ANSWERS[probe], question.benchmark.blind_prompt(question.item, question.preset).text])
    answer: Response = yield Ask(reply(messages, said, text))
    unread = (read_list if probe == OBJECT_LIST else read_route)(said.response, names) is None
    return Answer(answer.response, {f"{probe} that can't be read": int(unread)})


def read_list(text: str, categories: Iterable[str] = ()) -> dict[str, int] | None:
    """Read an object list: category → number, summed where a category is named twice; None where there is none.

    JSON is read as models write it: in code fences or prose, with any quotes, or as rows of a name and a count; else
    lines of a name, a colon and a number. The last object in braces counts.

    Args:
        text: the response, hostile or not; only its last `cognitive_maps.MAX_CHARS` characters are read.
        categories: whose names and plurals are replaced by these; other names stay, in lower case.
    """
    text, known = conclusion(text), _known(categories)
    braces = (_COUNT.findall(part) for part in json_candidates(text) if part.startswith("{"))
    found: list[tuple[str, str]] = _ROW.findall(text) or next(filter(None, braces), []) or _LINE.findall(text)
    counts: dict[str, int] = {}
    for written, number in found:
        name = _named(written, known)
        counts[name] = counts.get(name, 0) + int(number)
    return counts or None


def read_route(text: str, categories: Iterable[str] = ()) -> tuple[str, ...] | None:
    """Read the order of objects on a route, each once; None where there is none.

    Args:
        text, categories: as of `read_list`; of several lists of quoted names the last counts.
    """
    known = _known(categories)
    for match in reversed([*_LIST.finditer(conclusion(text))]):
        if names := [first or second for first, second in _QUOTED.findall(match[1])]:
            return tuple(dict.fromkeys(_named(name, known) for name in names))
    return None


def _known(categories: Iterable[str]) -> dict[str, str]:
    return {plain_category(name): name for name in categories}


def _named(written: str, known: Mapping[str, str]) -> str:
    return match_category(written, known) or plain_category(written)


def _check(
    probe: str, benchmark: BenchmarkSpec, items: Sequence[Item], preset: PromptPreset, options: ProtocolOptions
) -> None:
    bare = [item for item in items if not item.media]
    if bare:
        raise UsageError(
            f"{probe} asks what media show, and {len(bare):,} of {counted(len(items), 'question')} "
            f"{'has' if len(bare) == 1 else 'have'} none (the first is {bare[0].id})."
        )
    names = categories_of_scenes(options)
    if len(names) > MANY:
        raise UsageError(
            f"{options.scenes} has {len(names):,} categories, and a prompt names {MANY} at most; leave --scenes out, "
            "and the model chooses its own names."
        )


def _strategy(probe: str, summary: str) -> Strategy:
    converse: Callable[[Question], Conversation] = partial(converse_after, probe)
    return Strategy(
        probe,
        converse,
        uses=("reasoning_tokens", "scenes"),
        check=partial(_check, probe),
        refuses={"blind": "it asks what is shown"},
        summary=summary,
    )


PROTOCOLS = {
    "object-list": _strategy(OBJECT_LIST, "list the scene's objects, then answer"),
    "route": _strategy(ROUTE, "describe the camera's route, then answer"),
}
