"""Origin of a benchmark's questions: the scenes, the rules and the seed that they were generated with."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tolman.errors import TolmanError
from tolman.generate.again import again, drafts_of, is_sound
from tolman.generate.collection import open_collection
from tolman.generate.draft import Draft
from tolman.generate.geometry import SceneGeometry
from tolman.generate.settings import GenerationPreset
from tolman.ingest.corrections import Correction, append_corrections
from tolman.items import Item
from tolman.review.media.collection import scenes_folder
from tolman.review.site import Site
from tolman.scenes import Scene


@dataclass(frozen=True)
class Origin:
    """Scenes, rules and seed that a benchmark was generated from.

    Attributes:
        scenes: the folder of the collection.
        preset, seed: as they were.
    """

    scenes: Path
    preset: GenerationPreset
    seed: int

    def geometry(self, scene: str) -> SceneGeometry | None:
        """A scene as it is with its corrections; None where the collection hasn't got it.

        Raises:
            TolmanError: the collection can't be read.
        """
        found = (one for one in open_collection(self.scenes) if isinstance(one, SceneGeometry))
        return next((one for one in found if one.scene.id == scene), None)

    def correct(self, *corrections: Correction) -> None:
        """Write corrections beside the collection, all of them at once.

        Raises:
            TolmanError: the file of corrections can't be used.
        """
        append_corrections(self.scenes, corrections)

    def maker(self) -> Callable[[Item], Item | None]:
        """Making items as their scenes and the rules are now; None for one that is asked no more.

        Raises:
            TolmanError: the collection can't be read, then and later.
        """
        known: dict[str, tuple[SceneGeometry, list[Draft]] | None] = {}

        def make(item: Item) -> Item | None:
            if item.scene is None:
                return item
            if item.scene not in known:
                geometry = self.geometry(item.scene)
                known[item.scene] = None if geometry is None else (geometry, drafts_of(geometry, self.preset))
            made = known[item.scene]
            if made is None or is_sound(item, made[0], self.preset):
                return item
            return again(item, made[1], self.seed)

        return make

    def with_rule(self, family: str, name: str, value: float) -> Origin:
        """The same with one threshold of a family changed.

        Raises:
            ValueError: there is no such threshold.
        """
        return Origin(self.scenes, self.preset.with_threshold(family, name, value), self.seed)


def origin_of(site: Site) -> Origin | None:
    """Find the origin of the server's benchmark; None where nothing names it, or the scenes are not there."""
    path = site.loaded.folder / "provenance.json"
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        preset, seed = GenerationPreset.model_validate(told["preset"]), int(told["seed"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    scenes = scenes_folder(site)
    return Origin(scenes, preset, seed) if scenes else None


def thresholds(preset: GenerationPreset) -> list[tuple[str, str, float]]:
    """The rules that can be corrected: family, name, value."""
    return preset.thresholds()


def scene_of(origin: Origin | None, scene: str | None) -> Scene | None:
    """The scene of an item, where it can be read."""
    if origin is None or scene is None:
        return None
    try:
        geometry = origin.geometry(scene)
    except TolmanError:
        return None
    return geometry.scene if geometry else None
