"""What people make questions of in tests, and what became of it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from reviewing import Served
from tolman.ingest.media_pool import bring_in
from tolman.media.video import VideoWriter
from tolman.review.store import ItemVersion, Project
from tolman.review.tasks import current_items
from tolman.scene_table import write_captures, write_scenes
from tolman.scenes import Capture, Event, OrientedBox, Scene, SceneObject, Vector
from videos import write_video

HOSTILE = "<script>document.title='owned'</script>"


def make_pool(place: Path) -> Path:
    """Pictures of two sequences, one of them twice, and a video."""
    for i in range(30):
        path = place / "raw" / ("walk" if i < 4 else "turn") / f"{i:03d}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        # 2 and 1 differ in a shade that nobody sees.
        seed, shade = (1, 1) if i == 2 else (i, 0)
        colours = np.random.default_rng(seed).integers(0, 250, (6, 8, 3)) + shade
        Image.fromarray(colours.astype(np.uint8)).resize((64, 48)).save(path)
    (place / "raw" / "walk" / "copy.png").write_bytes((place / "raw" / "walk" / "000.png").read_bytes())
    bring_in([place / "raw"], place / "pool", source="Rooms", licence="CC BY 4.0")
    write_video(place / "films" / "drive.mp4", 40, rate=20, gop=10, size=(176, 120))
    bring_in([place / "films"], place / "pool", source="Streets", licence="")
    return place / "pool"


def written(served: Served, project: int) -> list[ItemVersion]:
    """The items that people made in a project."""
    with served.site.database.read() as db:
        return [v for v in current_items(db, db.get_one(Project, project)) if v.origin == "written"]


def thing(category: str, x: float, y: float, size: float = 0.4, **rest: Any) -> SceneObject:
    """A cube on the floor."""
    box = OrientedBox(center=(x, y, size / 2), axes=((1, 0, 0), (0, 1, 0), (0, 0, 1)), extents=(size, size, size))
    return SceneObject(id=f"{category}-{x:g}-{y:g}", category=category, box=box, **rest)


def make_rooms(place: Path) -> Path:
    """A collection of one room of 8 m by 8 m: the door south-west, going on counter-clockwise the bed, the sofa and the
    lamp in the other corners, two chairs of which one is between the last two, and a plant by the door."""
    things = [
        thing("door", 1, 1), thing("bed", 7, 1, 1.2), thing("sofa", 7, 7, 1.0), thing("lamp", 1, 7),
        thing("chair", 4, 3), thing("chair", 4, 7), thing("plant", 1.9, 7.6, 0.2), thing(HOSTILE, 6.2, 4),
    ]  # fmt: skip
    room = Scene(
        id="rooms/one", dataset="rooms", objects=tuple(things), floor=(((0, 0), (8, 0), (8, 8), (0, 8)),),
        video="videos/room.mp4",
    )  # fmt: skip
    write_scenes(place, [room, room.model_copy(update={"id": "rooms/two", "video": None})])
    write_video(place / "videos" / "room.mp4", 20, rate=10, gop=10, size=(176, 120))
    return place


def make_rig(place: Path, events: tuple[Event, ...] = ()) -> Path:
    """A collection of one scene: somebody with a camera walks 8 m past a fixed one in 16 s, having stood for 4 s."""
    times = tuple(i / 2 for i in range(41))
    east, north, up = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)

    def pose(x: float, y: float, right: Vector, ahead: Vector) -> tuple[float, ...]:
        rotation = np.column_stack([right, [-u for u in up], ahead])
        return tuple(
            np.block([[rotation, np.array([[x], [y], [1.5]])], [np.zeros((1, 3)), np.eye(1)]]).ravel().tolist()
        )

    south = (0.0, -1.0, 0.0)
    walked = [max(0.0, t - 4) / 2 for t in times]
    common = {"scene": "rig/one", "sensor": "camera", "times": times, "size": (160, 120)}
    common["intrinsics"] = ((75.0, 75.0, 80.0, 60.0),)
    ego = Capture.model_validate(
        {"id": "rig/one/ego", "role": "ego", "media": "videos/ego.mp4", **common}
        | {"poses": tuple(pose(x - 4, 0, south, east) for x in walked)}
    )
    exo = Capture.model_validate(
        {"id": "rig/one/exo", "role": "exo1", "media": "videos/exo.mp4", **common}
        | {"poses": (pose(0, -6, east, north),) * len(times)}
    )
    scene = Scene(id="rig/one", dataset="rig", objects=(thing("table", 0, 2),), room_area=80.0, events=events)
    write_scenes(place, [scene])
    write_captures(place, [ego, exo])
    for name, seed in (("ego", 1), ("exo", 2)):
        ground = np.random.default_rng(seed).integers(0, 255, (12, 16, 3)).astype(np.uint8)
        still = np.asarray(Image.fromarray(ground).resize((160, 120)))
        (place / "videos").mkdir(parents=True, exist_ok=True)
        with VideoWriter(place / "videos" / f"{name}.mp4", (160, 120), 2, "test") as writer:
            for x in walked:
                picture = np.roll(still, int(x * 9), axis=1) if name == "ego" else still.copy()
                if name == "exo":
                    picture[40:100, 10 + int(x * 16) : 26 + int(x * 16)] = (255, 0, 0)
                writer.add(picture)
    return place


def violations(page: Any) -> list[tuple[str, str]]:
    """What axe-core calls serious on a page, in light and dark."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    found = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        told = axe.run(page).response
        found += [
            (violation["id"], node["html"][:200])
            for violation in told["violations"]
            if violation["impact"] in ("serious", "critical")
            for node in violation["nodes"]
        ]
    page.emulate_media(color_scheme="light")
    return found
