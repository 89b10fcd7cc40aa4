"""Strategies with a cognitive map: drawn on a grid by the model, or the scene's true one given.

- Cognitive map: the model draws where things are, then answers from its map, in one dialogue. Source: VSI-Bench paper,
  section 6.2 and Appendix B.4. The prompts are VSI-Bench's released ones, for every benchmark; there the categories are
  those that the question names.
- True map: the question with the scene's real map (VSI-Bench paper, section 6.2, Table 2a). The map is computed from
  scenes (`--scenes`). How it was put to the model is not published; the words are Tolman's, close to the released ones
  for a map that the model drew itself. With `blind` the map is all that the model gets.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from tolman.benchmarks.spec import BenchmarkSpec, PromptPreset
from tolman.benchmarks.vsi_bench import MAP_ANSWER, MAP_PROMPT
from tolman.cognitive_maps import CognitiveMap, MapReading, read_map, true_map
from tolman.errors import UsageError, counted
from tolman.ground_truth.question_families import categories_in
from tolman.ground_truth.released_audit import warn_of_other_scenes
from tolman.ground_truth.scene_arrays import SceneGeometry, geometries_by_id
from tolman.items import Item
from tolman.protocols import Answer, Ask, Conversation, ProtocolOptions, Question, Strategy, reply
from tolman.responses import Response

UNREAD_MAP = "map that can't be read"


def converse_drawing_map(question: Question) -> Conversation:
    """The map, then the answer."""
    grid, categories = question.options.grid, categories_on_map(question.item, question.options)
    # The released code prints the categories as a Python list.
    messages = (question.shown(MAP_PROMPT.format(grid=grid, categories=list(categories))),)
    drawn: Response = yield Ask(messages, question.sampling(long=True), purpose="map")
    text = "\n".join([MAP_ANSWER, question.benchmark.blind_prompt(question.item, question.preset).text])
    answer: Response = yield Ask(reply(messages, drawn, text))
    unread = read_map(drawn.response, grid=grid, categories=categories).map is None
    return Answer(answer.response, {UNREAD_MAP: int(unread)})


def drawn_map(response: Response, item: Item, settings: Mapping[str, Any]) -> MapReading | None:
    """Return the map behind a response of a run under this protocol.

    Args:
        response: of the run.
        item: the question.
        settings: the run's `protocol_settings`.

    Returns:
        The result of `read_map` on the turn 'map'; None where the response has no such turn.

    Raises:
        InputError: the scenes that name the requested categories are no longer there.
    """
    turn = response.turn("map")
    if turn is None:
        return None
    scenes_folder = settings.get("scenes")
    options = ProtocolOptions(
        grid=settings["grid"],
        map_categories=settings["map_categories"],
        scenes=None if scenes_folder is None else Path(scenes_folder),
    )
    return read_map(turn.response, grid=options.grid, categories=categories_on_map(item, options))


def categories_on_map(item: Item, options: ProtocolOptions) -> tuple[str, ...]:
    """The categories that an item's map is to show: those of its question, or all of its scene."""
    if options.map_categories == "question":
        return categories_in(item)
    geometry = None if options.scenes is None else scenes(options.scenes).get(item.scene or "")
    return () if geometry is None else tuple(geometry.members)


def true_map_of(
    geometry: SceneGeometry, names: Iterable[str], grid: int, *, stretch: bool = False
) -> tuple[CognitiveMap, list[str]]:
    """The true map under the names that were asked for, and those that the scene doesn't have.

    Args:
        geometry: the scene.
        names: as `categories_on_map` gives them.
        grid, stretch: as in `cognitive_maps.true_map`.
    """
    known, strange = {}, []
    for name in names:
        try:
            known[name] = geometry.category(name)
        except KeyError:
            strange.append(name)
    places = true_map(geometry.scene, grid=grid, categories=known.values(), stretch=stretch).places
    return CognitiveMap(grid, {name: places[category] for name, category in known.items()}), strange


scenes = lru_cache(maxsize=2)(geometries_by_id)


def check_maps(name: str, items: Sequence[Item], options: ProtocolOptions) -> None:
    """Check options and items of a protocol with maps.

    Raises:
        UsageError: a grid that is none, scenes that are needed and not given, items that name no category.
    """
    if not 2 <= options.grid <= 100:
        raise UsageError(f"a map has 2 to 100 cells along each side, not {options.grid}; the paper's have 10 or 20.")
    if options.map_categories not in ("question", "scene"):
        raise UsageError(f"--map-categories takes question or scene, not '{options.map_categories}'.")
    if options.map_categories == "scene" and options.scenes is None:
        raise UsageError("the categories of a scene are read from scenes; give their folder with --scenes FOLDER.")
    lacking = [item for item in items if not categories_on_map(item, options)]
    if lacking:
        name_no, are = ("names no", "is") if len(lacking) == 1 else ("name no", "are")
        what = (
            f"{name_no} category to map" if options.map_categories == "question" else f"{are} of no scene in --scenes"
        )
        tasks = ", ".join(sorted({item.task for item in lacking}))
        raise UsageError(
            f"{name} needs to know what to map, and {len(lacking):,} of {counted(len(items), 'question')} {what} (the "
            f"first is {lacking[0].id}; question types: {tasks}); choose others with --tasks."
        )


COGNITIVE_MAP = Strategy(
    "cognitive-map",
    converse_drawing_map,
    uses=("grid", "map_categories", "reasoning_tokens", "scenes"),
    check=lambda benchmark, items, preset, options: check_maps("cognitive-map", items, options),
    refuses={"blind": "a map can't be drawn of what isn't shown"},
    summary="draw a map of the scene, then answer from it",
)


GIVEN = (
    "These are the center points of objects in the scene, seen from above on a {grid}x{grid} grid. x grows to the "
    "right and y upwards:"
)
ANSWER = "According to {sources}, answer the following question:"
BOTH, MAP = "the original video and the objects' center locations", "the objects' center locations"


def converse_with_true_map(question: Question) -> Conversation:
    """One turn: the media, the map, the question."""
    options = question.options
    assert options.scenes is not None  # `check` has seen to it
    text = "\n".join(
        [
            GIVEN.format(grid=options.grid),
            map_of(question.item, options),
            ANSWER.format(sources=BOTH if question.sees else MAP),
            question.benchmark.blind_prompt(question.item, question.preset).text,
        ]
    )
    response: Response = yield Ask((question.shown(text),))
    return response.response


def map_of(item: Item, options: ProtocolOptions) -> str:
    """The true map of an item's scene as text, under the names that the question uses.

    Raises:
        KeyError: there is no such scene, or it lacks a category.
    """
    assert options.scenes is not None
    geometry = scenes(options.scenes)[item.scene or ""]
    names = {name: geometry.category(name) for name in categories_on_map(item, options)}
    places = true_map(geometry.scene, grid=options.grid, categories=names.values())
    renamed = {name: places.places[category] for name, category in names.items()}
    return type(places)(places.grid, renamed).text()


def _check_true_map(
    benchmark: BenchmarkSpec, items: Sequence[Item], preset: PromptPreset, options: ProtocolOptions
) -> None:
    if options.scenes is None:
        raise UsageError("true-map computes its maps from scenes; give their folder with --scenes FOLDER.")
    known = scenes(options.scenes)
    strange = [item for item in items if (item.scene or "") not in known]
    if strange:
        raise UsageError(
            f"{options.scenes} has no scene '{strange[0].scene}'; it lacks the scenes of {len(strange):,} of "
            f"{counted(len(items), 'question')}. Give the benchmark's own scenes, or choose questions with --ids."
        )
    check_maps("true-map", items, options)
    warn_of_other_scenes(items, known, options.scenes)
    for item in items:
        try:
            map_of(item, options)
        except KeyError as error:
            raise UsageError(
                f"the scene '{item.scene}' has no object {error}, which question {item.id} ({item.task}) names; leave "
                "it out with --exclude, or its type with --tasks."
            ) from None


TRUE_MAP = Strategy(
    "true-map",
    converse_with_true_map,
    uses=("grid", "map_categories", "scenes"),
    check=_check_true_map,
    summary="the scene's true map given with the question",
)


PROTOCOLS = {"cognitive-map": COGNITIVE_MAP, "true-map": TRUE_MAP}
