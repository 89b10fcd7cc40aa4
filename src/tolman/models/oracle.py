"""`baseline/oracle`: answers read off the scenes' geometry, the upper bound of any benchmark with scenes.

It knows the question's text and its scene, never its answer. Distances and sizes are given unrounded.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tolman.generate.collection import open_collection
from tolman.generate.geometry import SceneGeometry
from tolman.generate.settings import preset
from tolman.models.base import CallError, Request
from tolman.models.geometric import answer_text, recomputed
from tolman.responses import FailureKind, Response


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
        found = (one for one in open_collection(scenes) if isinstance(one, SceneGeometry))
        self._scenes = {geometry.scene.id: geometry for geometry in found}
        self._preset = preset("all")

    async def answer(self, request: Request) -> Response:
        """Answer from the item's scene.

        Raises:
            CallError: the scene is not there, or the question can't be answered from boxes.
        """
        item = request.item
        geometry = self._scenes.get(item.scene or "")
        if geometry is None:
            raise CallError(FailureKind.REFUSED, f"the collection has no scene '{item.scene}'", retry=False)
        try:
            found = recomputed(geometry, item, self._preset)
        except (KeyError, ValueError) as error:
            raise CallError(FailureKind.REFUSED, f"the scene doesn't answer it: {error}", retry=False) from None
        try:
            text = answer_text(item, found)
        except ValueError as error:
            raise CallError(FailureKind.REFUSED, str(error), retry=False) from None
        return Response(id=item.id, response=text, repeat=request.repeat)

    async def close(self) -> None:
        """Nothing to let go of."""
