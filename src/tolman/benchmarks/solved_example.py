"""A solved example in front of a question, in the words of SpatialBench's released code, for any benchmark.

Source: XPR2004/SpatialBench, benchmark_vision_base64.py, the "deep guide", which runs on QA_fewshot.txt: key frames of
the example, its question, its reasoning, its answer, and then the new problem.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from tolman.benchmarks.spec import PromptPreset, media_first
from tolman.items import MEDIA_MARK, Item
from tolman.messages import KeyFrames, Message, Part

QUALITY = 30
"""JPEG quality (1–95) of an example's key frames."""
KEY_FRAMES = "keyframes"
"""In an item's evidence: numbers of the frames of its video that show what its answer rests on."""


def problem_type(item: Item) -> str:
    """Return the released code's name for the kind of a question."""
    return item.labels.get("problem_type") or ("multiple_choice" if item.kind == "choice" else "regression")


def options_lines(item: Item, head: str) -> str:
    """The options below a heading; nothing for a question without options."""
    return "\n".join([head, *item.lettered_options]) if item.options else ""


def example_parts(example: Item, *after: str) -> tuple[Part, ...]:
    """Return an example with its key frames, or its pictures, and texts that come after it.

    Args:
        example: an item that `can_be_shown`.
        after: later paragraphs of the same text.
    """
    text = "\n\n".join(
        [
            f"This is an example of how to solve a '{problem_type(example)}' problem.",
            f"Exemplar Question: {example.question}\n{options_lines(example, 'Exemplar Options:')}",
            f"Correct Reasoning Process: {example.reasoning}\nFinal Correct Answer: {example.answer}",
            "### END EXAMPLE ###",
            "Now, based on the new set of images provided, solve the following new problem.",
            "---",
            *after,
        ]
    )
    numbers = _key_frames(example)
    if not numbers:
        return ("### BEGIN EXAMPLE ###", *media_first(example, text).parts)
    keys = KeyFrames(kind="video", path=example.media[0].path, numbers=numbers, quality=QUALITY)
    return ("### BEGIN EXAMPLE ###", keys, text)


def in_front_of(prompt: Callable[[Item, PromptPreset], Message]) -> Callable[[Item, Item, PromptPreset], Message]:
    """The prompt of a benchmark that has no one-shot prompt of its own, behind an example."""

    def write(example: Item, item: Item, preset: PromptPreset) -> Message:
        message = prompt(item, preset)
        return message.model_copy(update={"parts": (*example_parts(example), *message.parts)})

    return write


def can_be_shown(item: Item) -> bool:
    """Check whether an item can be a solved example: it has its reasoning, and key frames of its one video or
    pictures."""
    if not item.reasoning or not item.media or MEDIA_MARK in item.reasoning:
        return False
    if all(media.kind == "image" for media in item.media):
        return True
    return len(item.media) == 1 and bool(_key_frames(item))


def examples_of(items: Sequence[Item], task: Callable[[Item], str], seed: int) -> dict[str, Item]:
    """An example for each question type, from scenes that are held out.

    Scenes are taken one by one, each the one with examples for the most question types that have none yet, the first in
    an order that the seed draws where several have as many. A scene is left where holding it out would leave a question
    type with nothing to ask, so that a question type of a single scene has no example.

    Args:
        items: all of the benchmark.
        task: item → the question type whose example it is put behind.
        seed: of the order of scenes, and of the example among several.
    """
    asked: dict[str, set[str]] = {}
    shown: dict[str, dict[str, list[Item]]] = {}
    for item in items:
        asked.setdefault(task(item), set()).add(item.cluster)
        if can_be_shown(item):
            shown.setdefault(item.cluster, {}).setdefault(task(item), []).append(item)
    order = sorted(shown, key=lambda scene: _drawn(seed, scene))
    held: set[str] = set()
    found: dict[str, Item] = {}
    while True:
        free = [scene for scene in order if scene not in held and not _empties(asked, held | {scene})]
        best = max(free, key=lambda scene: len(shown[scene].keys() - found.keys()), default=None)
        if best is None or not shown[best].keys() - found.keys():
            return found
        held.add(best)
        for name, own in shown[best].items():
            found.setdefault(name, min(own, key=lambda item: _drawn(seed, item.id)))


def _empties(asked: Mapping[str, Collection[str]], held: Iterable[str]) -> bool:
    out = set(held)
    return any(out.issuperset(scenes) for scenes in asked.values())


def _drawn(seed: int, name: str) -> bytes:
    return hashlib.sha256(f"{seed}:{name}".encode()).digest()


def _key_frames(item: Item) -> tuple[int, ...]:
    said = item.evidence.get(KEY_FRAMES)
    if not isinstance(said, list) or not all(type(number) is int and number >= 0 for number in said):
        return ()
    return tuple(said)
