"""Opening a collection of scenes, whatever form it has."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tolman.errors import InputError
from tolman.generate.geometry import SceneGeometry
from tolman.ingest import vsi_meta_info
from tolman.ingest.corrections import NAME, correct, read_corrections, without_absent
from tolman.ingest.vsi_meta_info import Skipped
from tolman.scene_table import has_captures, has_scenes, read_captures, read_scenes
from tolman.scenes import Capture, Scene


def open_collection(path: Path) -> Iterator[SceneGeometry | Skipped]:
    """The scenes of a folder of Parquet shards with their captures, or of VSI-Bench's released meta-info, corrected.

    Captures stand in the order of their scenes, so both are read side by side and nothing is held in memory. What is
    said in the folder's `corrections.json` holds; corrections of scenes that aren't there are Skipped.

    Raises:
        InputError: it is neither, or holds no usable scene.
    """
    corrections = read_corrections(path) if path.is_dir() else ()
    sharded = path.is_dir() and has_scenes(path)
    captures = read_captures(path) if sharded and has_captures(path) else iter(())
    waiting = next(captures, None)
    usable = 0
    seen: set[str] = set()
    for found in read_scenes(path) if sharded else vsi_meta_info.read(path):
        if not isinstance(found, Scene):
            yield found
            continue
        own: list[Capture] = []
        while waiting is not None and waiting.scene == found.id:
            own.append(waiting)
            waiting = next(captures, None)
        if found.id in seen:
            yield Skipped(found.id, "another scene has the same id")
            continue
        seen.add(found.id)
        known = {thing.id for thing in found.objects}
        for capture in own:
            strange = next((s.object for s in capture.sightings if s.object not in known), None)
            if strange is not None:
                yield Skipped(found.id, f"its capture {capture.id} sees '{strange}', which it doesn't have")
                own = [one for one in own if one is not capture]
        usable += 1
        scene = correct(found, corrections)
        yield SceneGeometry(scene, without_absent(own, scene))
    if waiting is not None:
        raise InputError(path, f"holds a capture of '{waiting.scene}' out of the order of the scenes")
    for lost in dict.fromkeys(one.scene for one in corrections if one.scene not in seen):
        yield Skipped(lost, f"{NAME} corrects it, and it isn't there")
    if not usable:
        raise InputError(path, "holds no usable scene")
