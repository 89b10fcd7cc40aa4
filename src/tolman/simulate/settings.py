"""The settings of a collection of simulated scenes."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import tolman
from tolman.errors import InputError
from tolman.simulate.cameras import WALK
from tolman.simulate.outdoor_places import OUTDOOR_SHAPES
from tolman.simulate.quality import DEFAULT
from tolman.simulate.rooms import ROOM_SHAPES, SHAPES
from tolman.simulate.twins import DIFFERENCES

PLACES = (*ROOM_SHAPES, *OUTDOOR_SHAPES)


@dataclass(frozen=True)
class WorldsConfig:
    """Settings of a collection of simulated scenes.

    Attributes:
        scenes: number of scenes.
        seed: of everything that is drawn.
        shapes: of the places, `PLACES`, taken in turn.
        objects: asked for in each place, doors and windows apart.
        seconds: duration of a walk.
        rate: frames a second.
        size: width and height of pictures, pixels.
        furniture: a library; None for the one that ships with the package.
        made: whether furniture that is made by rule, drawn anew for each scene, is put in beside the library's.
        depth: whether depth and instances are written beside the video.
        actors: number of people who walk around and carry things.
        robots: number of round robots that drive about.
        traffic: number of cars and bicycles that drive along the ways of places outdoors.
        exo: number of fixed cameras beside the walking one.
        lidar: whether a spinning LiDAR is carried along.
        media: whether videos are drawn; else rays tell what they would show.
        twins: scenes in a group that differ in one thing only; 1 for none.
        differ: in what, of `twins.DIFFERENCES`, taken in turn by groups.
        quality: of the videos' colours, a name of `quality.LEVELS`.
        camera: how the moving one is moved, of `cameras.CAMERAS`.
    """

    scenes: int = 3
    seed: int = 0
    shapes: tuple[str, ...] = SHAPES
    objects: int = 22
    seconds: float = 30.0
    rate: int = 12
    size: tuple[int, int] = (640, 480)
    furniture: Path | None = None
    made: bool = False
    depth: bool = False
    actors: int = 0
    robots: int = 0
    traffic: int = 0
    exo: int = 0
    lidar: bool = False
    media: bool = True
    twins: int = 1
    differ: tuple[str, ...] = DIFFERENCES
    quality: str = DEFAULT.name
    camera: str = WALK

    def settings(self) -> dict[str, Any]:
        """All that determines a scene with its number, as JSON values; how many there are doesn't."""
        fields = {key: value for key, value in asdict(self).items() if key != "scenes"}
        # Collections of before there were such settings go on under their old ones.
        if not self.made:
            del fields["made"]
        if self.media:
            del fields["media"]
        if self.twins == 1:
            del fields["twins"], fields["differ"]
        if not self.traffic:
            del fields["traffic"]
        library = None
        if self.furniture is not None:
            try:
                library = hashlib.sha256(self.furniture.read_bytes()).hexdigest()
            except OSError as error:
                raise InputError(self.furniture, f"can't be read ({error.strerror})") from None
        found: dict[str, Any] = json.loads(json.dumps(fields | {"furniture": library, "tolman": tolman.__version__}))
        return found
