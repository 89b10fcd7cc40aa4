"""Strategies with a cognitive map, drawn by the model or the scene's true one, and with the camera's true poses.

- Cognitive map: the model draws where things are, then answers from its map, in one dialogue. Source: VSI-Bench paper,
  section 6.2 and Appendix B.4. The prompts are VSI-Bench's released ones, for every benchmark; there the categories are
  those that the question names.
- True map: the question with the scene's real map (VSI-Bench paper, section 6.2, Table 2a). The map is computed from
  scenes (`--scenes`). How it was put to the model is not published; the words are Tolman's, close to the released ones
  for a map that the model drew itself. With `blind` the map is all that the model gets.
- True poses: the question with where the camera stood and looked at each frame, from the same scenes. Against a direct
  run it shows how much of the errors is lost track of the camera. The idea and the words are Tolman's.
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
from tolman.extras import np
from tolman.ground_truth.question_families import categories_in
from tolman.ground_truth.released_audit import warn_of_other_scenes
from tolman.ground_truth.scene_arrays import SceneGeometry, geometries_by_id
from tolman.items import Item
from tolman.messages import Picture
from tolman.protocols import Answer, Ask, Conversation, Look, ProtocolOptions, Question, Strategy, reply
from tolman.responses import Response
from tolman.scenes import Capture

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


POSES = (
    "The camera's true pose at each frame, in metres and degrees. Positions are seen from the first frame: ahead, to "
    "the left of it, and up. The turn is to the left of its line of sight, negative to the right. The pitch is upwards."
)
POSE = "Frame {number}: ahead {ahead:.2f}, left {left:.2f}, up {up:.2f}, turn {turn:.0f}, pitch {pitch:.0f}"
UNKNOWN_POSE = "Frame {number}: unknown"
POSES_SOURCE = "the original video and the camera's poses"


def converse_with_true_poses(question: Question) -> Conversation:
    """One turn: the media, the poses of their frames, the question."""
    capture = _recording_of(question.item, question.options)
    assert capture is not None  # `check` has seen to it
    seen: tuple[Picture, ...] = yield Look(question.item.media)
    lines = pose_lines(capture, [picture.frame for picture in seen])
    asked = question.benchmark.blind_prompt(question.item, question.preset).text
    text = "\n".join([POSES, *lines, ANSWER.format(sources=POSES_SOURCE), asked])
    response: Response = yield Ask((question.shown(text),))
    return response.response


def pose_lines(capture: Capture, frames: Sequence[int]) -> list[str]:
    """A line for each frame of a recording, seen from the first of them whose pose is known.

    Args:
        capture: a camera's recording.
        frames: numbers of its frames, in the order in which they are shown.
    """
    unknown = np.full((4, 4), np.nan)
    poses = [np.array(capture.poses[one]).reshape(4, 4) if one < len(capture.poses) else unknown for one in frames]
    first = next((pose for pose in poses if np.isfinite(pose).all()), unknown)
    ahead = first[:2, 2] / max(float(np.linalg.norm(first[:2, 2])), 1e-9)
    left = np.array([-ahead[1], ahead[0]])
    lines = []
    for number, pose in enumerate(poses, start=1):
        if not np.isfinite(pose).all():
            lines.append(UNKNOWN_POSE.format(number=number))
            continue
        moved, look = pose[:3, 3] - first[:3, 3], pose[:3, 2]
        turn, pitch = np.degrees([np.arctan2(look[:2] @ left, look[:2] @ ahead), np.arcsin(np.clip(look[2], -1, 1))])
        # + 0.0 makes -0.0 a zero
        own = {"ahead": moved[:2] @ ahead, "left": moved[:2] @ left, "up": moved[2], "turn": turn, "pitch": pitch}
        lines.append(POSE.format(number=number, **{name: round(float(value), 2) + 0.0 for name, value in own.items()}))
    return lines


def _recording_of(item: Item, options: ProtocolOptions) -> Capture | None:
    """The recording with poses that an item's one video is; None where there is none."""
    assert options.scenes is not None
    geometry = scenes(options.scenes).get(item.scene or "")
    videos = [medium for medium in item.media if medium.kind == "video"]
    if geometry is None or len(videos) != 1 or len(item.media) > 1:
        return None
    named = [one for one in geometry.captures if one.media and Path(one.media).name == Path(videos[0].path).name]
    return next((one for one in named if one.poses and one.sensor == "camera"), None)


def _check_true_poses(
    benchmark: BenchmarkSpec, items: Sequence[Item], preset: PromptPreset, options: ProtocolOptions
) -> None:
    if options.scenes is None:
        raise UsageError("true-poses takes the camera's poses from scenes; give their folder with --scenes FOLDER.")
    if preset.frames.whole:
        raise UsageError(f"poses are of frames, and the preset '{preset.name}' shows whole videos; give --frames.")
    lacking = [item for item in items if _recording_of(item, options) is None]
    if lacking:
        raise UsageError(
            f"{options.scenes} has no poses for the one video of {len(lacking):,} of {counted(len(items), 'question')} "
            f"(the first is {lacking[0].id}, {lacking[0].task}); choose others with --tasks or --ids."
        )


TRUE_POSES = Strategy(
    "true-poses",
    converse_with_true_poses,
    uses=("scenes",),
    check=_check_true_poses,
    refuses={"blind": "poses are of frames that are shown"},
    summary="the camera's true poses given with the question",
)


PROTOCOLS = {"cognitive-map": COGNITIVE_MAP, "true-map": TRUE_MAP, "true-poses": TRUE_POSES}
