"""True map: the question with the scene's real cognitive map given (VSI-Bench paper, section 6.2, Table 2a).

The map is computed from scenes (`--scenes`). How it was put to the model is not published; the words are Tolman's,
close to the released ones for a map that the model drew itself. With `blind` the map is all that the model gets.
"""

from __future__ import annotations

from collections.abc import Sequence

from tolman.benchmarks.base import BenchmarkSpec, PromptPreset
from tolman.cognitive_maps import true_map
from tolman.errors import UsageError
from tolman.items import Item
from tolman.protocols.base import Ask, Conversation, ProtocolOptions, Question, Strategy
from tolman.protocols.cognitive_map import categories_on_map, check_maps, scenes
from tolman.responses import Response

GIVEN = (
    "These are the center points of objects in the scene, seen from above on a {grid}x{grid} grid. x grows to the "
    "right and y upwards:"
)
ANSWER = "According to {sources}, answer the following question:"
BOTH, MAP = "the original video and the objects' center locations", "the objects' center locations"


def converse(question: Question) -> Conversation:
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


def _check(benchmark: BenchmarkSpec, items: Sequence[Item], preset: PromptPreset, options: ProtocolOptions) -> None:
    if options.scenes is None:
        raise UsageError("true-map computes its maps from scenes; give their folder with --scenes FOLDER.")
    known = scenes(options.scenes)
    strange = [item for item in items if (item.scene or "") not in known]
    if strange:
        raise UsageError(
            f"{options.scenes} has no scene '{strange[0].scene}'; {len(strange):,} of {len(items):,} questions are of "
            "scenes that it lacks. Give the benchmark's own scenes, or choose questions with --ids."
        )
    check_maps("true-map", items, options)
    for item in items:
        try:
            map_of(item, options)
        except KeyError as error:
            raise UsageError(
                f"the scene '{item.scene}' has no object {error}, which question {item.id} ({item.task}) names; leave "
                "it out with --exclude, or its type with --tasks."
            ) from None


PROTOCOL = Strategy(
    "true-map",
    converse,
    uses=("grid", "map_categories", "scenes"),
    check=_check,
    summary="the scene's true map given with the question",
)
