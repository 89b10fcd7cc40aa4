"""Scenes: a collection of scenes, read anew by each loop over it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from tolman.names import unknown
from tolman.storage import pull
from tolman.workflows.frames import given_as
from tolman.workflows.notebook import Displayable, NotebookTable

if TYPE_CHECKING:
    from tolman.ingest.vsi_meta_info import Skipped
    from tolman.scenes import Scene


class Scenes(Displayable):
    """A collection of scenes, read anew by each loop over it: any number fits.

    Args:
        path: a folder of scenes, or of VSI-Bench's released meta-info.

    Raises:
        InputError: there is no such folder.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = pull(path)
        if not self.path.exists():
            from tolman.errors import InputError

            raise InputError(path, "does not exist", fix="give a folder that 'tolman ingest' or 'simulate' wrote")

    def __iter__(self) -> Iterator[Scene]:
        return (scene for scene, _ in self._usable())

    def __getitem__(self, id: str) -> Scene:
        """The scene of that id.

        Raises:
            UsageError: there is none.
        """
        for scene in self:
            if scene.id == id:
                return scene
        raise unknown("scene", id, self.ids())

    def ids(self) -> list[str]:
        """The ids of the scenes, in their order."""
        return [scene.id for scene in self]

    def skipped(self) -> list[Skipped]:
        """Scenes and objects that can't be used, with the reason."""
        from tolman.generate.geometry import SceneGeometry

        return [one for one in self._found() if not isinstance(one, SceneGeometry)]

    def table(self, *, pandas: bool = False) -> pl.DataFrame | Any:
        """One row for each scene.

        Args:
            pandas: give a pandas frame in place of a Polars one.

        Returns:
            Columns id, dataset, objects, categories (counts), room_area (m²), captures, video.

        Raises:
            MissingExtraError: pandas is wanted and not installed.
        """
        schema = {
            "id": pl.String, "dataset": pl.String, "objects": pl.Int64, "categories": pl.Int64,
            "room_area": pl.Float64, "captures": pl.Int64, "video": pl.String,
        }  # fmt: skip
        rows = [
            (s.id, s.dataset, len(s.objects), len(s.categories), s.room_area, captures, s.video)
            for s, captures in self._usable()
        ]
        return given_as(pl.DataFrame(rows, schema=schema, orient="row"), pandas=pandas)

    def _title(self) -> str:
        return str(self.path)

    def _shown(self) -> NotebookTable:
        return NotebookTable.of(self.table())

    def _found(self) -> Iterator[Any]:
        from tolman.generate.collection import open_collection

        return open_collection(self.path)

    def _usable(self) -> Iterator[tuple[Scene, int]]:
        from tolman.generate.geometry import SceneGeometry

        for one in self._found():
            if isinstance(one, SceneGeometry):
                yield one.scene, len(one.captures)
