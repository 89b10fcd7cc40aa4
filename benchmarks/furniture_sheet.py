"""Draws a sheet of the furniture that is made by rule: a row for each kind, a column for each seed.

python benchmarks/furniture_sheet.py --out docs/images/made-furniture.jpg
python benchmarks/furniture_sheet.py --kinds chair,sofa --tile 240 --out chairs.png
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import shapely
from PIL import Image, ImageDraw, ImageFont

from tolman.geometry.boxes import Floats
from tolman.scenes import Scene
from tolman.simulate.made.kind import REGISTRY, FurnitureKind, make_piece
from tolman.simulate.mesh import block, placed
from tolman.simulate.plan import Placed
from tolman.simulate.render import Renderer
from tolman.simulate.world import Body, Light, World

LABEL = 92
"""Pixels at the left of a row for its kind's name."""
FOCAL = 2.4
"""Focal length in widths of a tile: from afar, so that shapes are compared without much perspective."""
FLOOR = (0.80, 0.79, 0.77)


def main() -> None:
    """Draw the kinds that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--kinds", default="", help="Names of kinds, with commas; all unless given.")
    parser.add_argument("--seeds", type=int, default=8, help="Pieces of each kind.")
    parser.add_argument("--first", type=int, default=0, help="The first seed.")
    parser.add_argument("--tile", type=int, default=112, help="Side of a picture, pixels.")
    parser.add_argument("--across", type=int, default=1, help="Kinds side by side.")
    parser.add_argument("--quality", type=int, default=82, help="JPEG quality, 1–95.")
    parser.add_argument("--yaw", type=float, default=35.0, help="Degrees from the front at which the camera stands.")
    asked = parser.parse_args()
    names = asked.kinds.split(",") if asked.kinds else REGISTRY.names()
    seeds = [str(asked.first + number) for number in range(asked.seeds)]
    rows = [row(REGISTRY.get(name), seeds, asked.tile, np.radians(asked.yaw)) for name in names]
    high = -(-len(rows) // asked.across)
    sheet = Image.new("RGB", (rows[0].width * asked.across, rows[0].height * high), "white")
    for place, picture in enumerate(rows):
        sheet.paste(picture, (place // high * picture.width, place % high * picture.height))
    sheet.save(asked.out, **({"quality": asked.quality} if asked.out.suffix == ".jpg" else {"optimize": True}))
    print(f"{asked.out}: {len(names)} kinds, {asked.out.stat().st_size // 1000} kB")


def row(kind: FurnitureKind, seeds: list[str], tile: int, yaw: float) -> Image.Image:
    """A kind's pieces side by side, each as large as its tile allows."""
    pieces = [make_piece(kind, seed) for seed in seeds]
    gap = 2.5 * max(max(piece.size) for piece in pieces)
    floor = block((-9 * gap, -9 * gap, -0.05), (gap * (len(pieces) + 9), 9 * gap, 0.0), FLOOR)
    bodies: list[Body] = [Body(floor)]
    things = []
    for number, piece in enumerate(pieces):
        center = (number * gap, 0.0, piece.size[2] / 2)
        things.append(Placed(f"piece-{number}", kind.category, kind.name, center, 0.0, piece.size).scene_object)
        bodies.append(Body(piece.mesh.moved(placed((number * gap, 0.0, 0.0))), things[-1].id))
    picture = Image.new("RGB", (LABEL + tile * len(pieces), tile), "white")
    ImageDraw.Draw(picture).text((4, tile // 2 - 8), kind.name, fill="black", font=ImageFont.load_default(12))
    scene = Scene(id="sheet/0", dataset="sheet", objects=tuple(things))
    ground = shapely.box(-gap, -gap, gap * (len(pieces) + 1), gap)
    world = World(scene, tuple(bodies), ground, Light(toward=(0.35, 0.55, 0.76)))
    focal = FOCAL * 2 * tile
    with Renderer(world, (2 * tile, 2 * tile)) as renderer:
        for number, piece in enumerate(pieces):
            radius = float(np.linalg.norm(piece.size)) / 2
            pose = looking_at((number * gap, 0.0, piece.size[2] / 2), radius * FOCAL * 2.15, yaw)
            frame = renderer.frame(pose, (focal, focal, float(tile), float(tile)))
            small = Image.fromarray(frame.colour).resize((tile, tile), Image.Resampling.LANCZOS)
            picture.paste(small, (LABEL + number * tile, 0))
    return picture


def looking_at(target: tuple[float, float, float], distance: float, yaw: float) -> Floats:
    """The pose of a camera that sees a point from before, from the right and from above, shape (4, 4)."""
    pitch = np.radians(22)
    away = np.array([np.sin(yaw) * np.cos(pitch), np.cos(yaw) * np.cos(pitch), np.sin(pitch)])
    ahead = -away
    right = np.cross(ahead, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    pose = np.eye(4)
    pose[:3, :3] = np.column_stack([right, np.cross(ahead, right), ahead])
    pose[:3, 3] = np.asarray(target) + distance * away
    return pose


if __name__ == "__main__":
    main()
