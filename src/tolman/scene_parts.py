"""Parts of a collection: each finished scene in a file of its own, so that whoever is stopped goes on from there.

Of a scene that isn't done, each finished recording lies in a file of its own.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from tolman.files import write_text
from tolman.scene_table import has_captures, has_scenes, read_captures, read_scenes, write_captures, write_scenes
from tolman.scenes import Capture, Scene

FOLDER = ".scenes.partial"


@dataclass(frozen=True)
class Part:
    """One scene, done.

    Attributes:
        scene: it.
        captures: its recordings.
        notes: what is to be said about it.
        made_of: what tells whether it must be made again.
        about: what else is kept with it, as JSON values.
    """

    scene: Scene
    captures: tuple[Capture, ...]
    notes: tuple[str, ...] = ()
    made_of: str = ""
    about: Mapping[str, Any] = field(default_factory=dict)


class Parts:
    """The parts in a collection's folder.

    Args:
        out: the collection's folder.
        folder: where in it the parts lie.
    """

    def __init__(self, out: Path, folder: str = FOLDER) -> None:
        self.folder = out / folder

    def write(self, part: Part) -> None:
        """Keep a scene."""
        self.folder.mkdir(parents=True, exist_ok=True)
        content: dict[str, Any] = {
            "scene": part.scene.model_dump(mode="python"),
            "captures": [capture.model_dump(mode="python") for capture in part.captures],
            "notes": part.notes,
            "made_of": part.made_of,
            "about": part.about,
        }
        write_text(self._path(part.scene.id), json.dumps(content))

    def read(self, identity: str, made_of: str | None = None) -> Part | None:
        """A scene that was kept; None where there is none, or one made of something else."""
        try:
            kept = json.loads(self._path(identity).read_text(encoding="utf-8"))
            if made_of is not None and kept["made_of"] != made_of:
                return None
            captures = tuple(Capture.model_validate(capture) for capture in kept["captures"])
            scene = Scene.model_validate(kept["scene"])
            return Part(scene, captures, tuple(kept["notes"]), kept["made_of"], kept["about"])
        except (OSError, ValueError, KeyError, TypeError, ValidationError):
            return None

    def write_capture(self, capture: Capture) -> None:
        """Keep a recording of a scene that isn't done yet."""
        self.folder.mkdir(parents=True, exist_ok=True)
        write_text(self._path(capture.id), json.dumps({"captures": [capture.model_dump(mode="python")]}))

    def read_capture(self, identity: str) -> Capture | None:
        """A recording that was kept; None where there is none."""
        try:
            (kept,) = json.loads(self._path(identity).read_text(encoding="utf-8"))["captures"]
            return Capture.model_validate(kept)
        except (OSError, ValueError, KeyError, TypeError, ValidationError):
            return None

    def drop(self, identity: str) -> None:
        """Forget a scene, or a recording."""
        self._path(identity).unlink(missing_ok=True)

    def remove(self) -> None:
        """Forget all."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, identity: str) -> Path:
        return self.folder / f"{hashlib.sha256(identity.encode()).hexdigest()[:24]}.json"


def read_collection(out: Path) -> Iterable[Part]:
    """The scenes of a folder with their captures, in its order, one at a time; none where it holds none.

    Raises:
        InputError: a row of it is no scene or capture.
    """
    if not has_scenes(out):
        return
    captures = read_captures(out) if has_captures(out) else iter(())
    waiting = next(captures, None)
    for scene in read_scenes(out):
        own = []
        while waiting is not None and waiting.scene == scene.id:
            own.append(waiting)
            waiting = next(captures, None)
        yield Part(scene, tuple(own))


def write_collection(out: Path, parts: Iterable[Part]) -> int:
    """Write scenes and captures in one pass each; the number of scenes.

    Args:
        out: the collection's folder.
        parts: gone through twice, so no iterator.
    """
    count = write_scenes(out, (part.scene for part in parts))
    write_captures(out, (capture for part in parts for capture in part.captures))
    return count
