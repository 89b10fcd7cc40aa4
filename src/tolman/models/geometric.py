"""Answers that follow from a scene's geometry by the question families' own rules, and `baseline/oracle`.

The oracle reads answers off the scenes' geometry, which is the upper bound of any benchmark with scenes. An
answer follows from the question's text and its scene alone. Distances and sizes are given unrounded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tolman.benchmarks.spec import BenchmarkSpec
from tolman.ground_truth.question_families import Recomputed, recompute
from tolman.ground_truth.released_audit import warn_of_other_scenes
from tolman.ground_truth.scene_arrays import geometries_by_id
from tolman.items import CANT_TELL, Item
from tolman.kinds.written_kinds import nearest_option
from tolman.models.model import CallError, Request
from tolman.responses import FailureKind, Response
from tolman.scoring.item_kind import kind_of


def as_generated(item: Item) -> Item:
    """Return the question without the option that says it can't be answered, which no family knows."""
    if item.options[-1:] != (CANT_TELL,):
        return item
    return item.model_copy(update={"options": item.options[:-1]})


def answer_text(item: Item, found: Recomputed) -> str:
    """A scene's answer as the item's kind of answer is written.

    Raises:
        ValueError: it is none of the options.
    """
    kind = kind_of(item)
    known: Any = found.exact if found.place is None else found.place
    if found.place is None and kind.has_letters:
        known = nearest_option(item, found.exact)
    return kind.oracle_text(item, known)


class Oracle:
    """The oracle over a collection of scenes.

    Args:
        scenes: a folder of scenes.

    Raises:
        InputError: it holds none.
    """

    name = "baseline/oracle"
    remote = False
    concurrency = 1

    def __init__(self, scenes: Path) -> None:
        self.settings: Mapping[str, Any] = {"scenes": str(scenes)}
        self._folder = scenes
        self._scenes = geometries_by_id(scenes)

    def prepare(self, benchmark: BenchmarkSpec, items: Sequence[Item]) -> None:
        """Warn where the scenes aren't the benchmark's. Answers follow from the scenes alone."""
        warn_of_other_scenes([as_generated(item) for item in items], self._scenes, self._folder)

    async def answer(self, request: Request) -> Response:
        """Answer from the item's scene.

        Raises:
            CallError: the scene is not there, or the question can't be answered from boxes.
        """
        item = as_generated(request.item)
        geometry = self._scenes.get(item.scene or "")
        if geometry is None:
            raise CallError(FailureKind.REFUSED, f"the collection has no scene '{item.scene}'", retry=False)
        try:
            found = recompute(geometry, item, released=False)
        except (KeyError, ValueError) as error:
            raise CallError(FailureKind.REFUSED, f"the scene doesn't answer it: {error}", retry=False) from None
        try:
            text = answer_text(item, found)
        except ValueError as error:
            raise CallError(FailureKind.REFUSED, str(error), retry=False) from None
        return Response(id=item.id, response=text, repeat=request.repeat)

    async def close(self) -> None:
        """Nothing to let go of."""
