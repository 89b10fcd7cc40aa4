"""What people call the furniture, asked of those who see pictures alone.

    python benchmarks/naming.py draw --out sheets   # numbered pictures, and key.json, which namers don't see
    python benchmarks/naming.py draw --out sheets --outdoors     # what stands in streets, lots, parks and courtyards
    python benchmarks/naming.py count sheets/key.json names/*.csv --out record.json

Each piece is shown from three sides, in an order drawn by a seed, with its height. A namer writes a CSV of
`number,name` and sees no list of names. A name counts as the category's own where `synonyms.toml` beside this file says
that both mean the same things.
"""

from __future__ import annotations

import argparse
import csv
import json
import tomllib
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import shapely
from furniture_sheet import looking_at
from PIL import Image, ImageDraw, ImageFont

from tolman.scenes import Scene
from tolman.simulate.furniture import Library
from tolman.simulate.made.kind import REGISTRY, make_piece
from tolman.simulate.mesh import Mesh, block, joined
from tolman.simulate.outdoors import OUTDOOR_SHAPES, outdoor_place
from tolman.simulate.plan import Placed
from tolman.simulate.render import Renderer
from tolman.simulate.world import Body, Light, World

YAWS = (30.0, -60.0, 160.0)
"""Degrees from the front."""
TILE, ROWS, COLUMNS, LABEL = 190, 6, 2, 26
FOCAL = 2.4
SYNONYMS = Path(__file__).with_name("synonyms.toml")
Shown = tuple[str, str, Mesh]


def main() -> None:
    """Draw the sheets, or count what was written."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    acts = parser.add_subparsers(dest="act", required=True)
    drawing = acts.add_parser("draw")
    drawing.add_argument("--out", type=Path, required=True)
    drawing.add_argument("--designs", type=int, default=2, help="Pieces of each kind that is made by rule.")
    drawing.add_argument("--first", type=int, default=0, help="The first seed of these.")
    drawing.add_argument("--seed", type=int, default=0, help="Of the order.")
    drawing.add_argument(
        "--kinds", default="", help="Names of kinds, with commas; all, and the catalogue, unless given."
    )
    drawing.add_argument("--outdoors", action="store_true", help="Two things of each category of places outdoors.")
    counting = acts.add_parser("count")
    counting.add_argument("key", type=Path)
    counting.add_argument("names", type=Path, nargs="+")
    counting.add_argument("--out", type=Path)
    asked = parser.parse_args()
    if asked.act == "draw":
        kinds = asked.kinds.split(",") if asked.kinds else []
        shown = things_outdoors() if asked.outdoors else pieces(asked.designs, asked.first, kinds)
        draw(asked.out, shown, asked.seed)
    else:
        count(asked.key, asked.names, asked.out)


def draw(out: Path, shown: list[Shown], seed: int) -> None:
    """Write the sheets and the key."""
    out.mkdir(parents=True, exist_ok=True)
    order = [shown[int(i)] for i in np.random.default_rng(seed).permutation(len(shown))]
    per_sheet = ROWS * COLUMNS
    key = []
    for start in range(0, len(order), per_sheet):
        sheet = Image.new("RGB", (COLUMNS * (3 * TILE + 12), ROWS * (TILE + LABEL)), "white")
        for place, (category, model, mesh) in enumerate(order[start : start + per_sheet]):
            number = start + place + 1
            key.append({"number": number, "category": category, "model": model})
            left, top = place // ROWS * (3 * TILE + 12), place % ROWS * (TILE + LABEL)
            height = float(np.ptp(mesh.points[:, 2]))
            text = f"{number}     {100 * height:.0f} cm high"
            ImageDraw.Draw(sheet).text((left + 6, top + 4), text, fill="black", font=ImageFont.load_default(16))
            for view, picture in enumerate(pictures(category, mesh)):
                sheet.paste(picture, (left + view * TILE, top + LABEL))
        sheet.save(out / f"sheet-{start // per_sheet + 1:02d}.png", optimize=True)
    (out / "key.json").write_text(json.dumps(key, indent=1) + "\n", encoding="utf-8")
    print(f"{out}: {len(order)} pieces on {-(-len(order) // per_sheet)} sheets")


def pieces(designs: int, first: int, kinds: list[str]) -> list[Shown]:
    """Category, model and mesh of everything that is put into rooms."""
    found: list[Shown] = []
    for name in kinds or REGISTRY.names():
        kind = REGISTRY.get(name)
        for number in range(first, first + designs):
            found.append((kind.category, f"made {name} {number}", make_piece(kind, str(number)).mesh))
    if not kinds:
        library = Library(Path(__file__).resolve().parents[1] / "tolman-1" / "furniture.sh3f")
        for piece in library.usable():
            mesh = library.mesh(piece)
            if piece.habit != "never" and mesh is not None:
                found.append((piece.category, piece.id, mesh))
    return found


def things_outdoors() -> list[Shown]:
    """Category, place and mesh of things out of four places of each shape, at most two of a category."""
    found: list[Shown] = []
    counts: Counter[str] = Counter()
    for number in range(4):
        for shape in OUTDOOR_SHAPES:
            world, _ = outdoor_place(shape, f"names/{shape}-{number}", f"names:{number}", 24)
            first: set[str] = set()
            for thing in world.scene.objects:
                own = [body.mesh for body in world.bodies if body.object == thing.id and body.pose is None]
                if own and counts[thing.category] < 2 and thing.category not in first:
                    first.add(thing.category)
                    counts[thing.category] += 1
                    mesh = joined(own)
                    low, high = mesh.bounds
                    shift = np.eye(4)
                    shift[:3, 3] = -(low[0] + high[0]) / 2, -(low[1] + high[1]) / 2, -low[2]
                    found.append((thing.category, f"{shape} {number} {thing.id}", mesh.moved(shift)))
    return found


def pictures(category: str, mesh: Mesh) -> list[Image.Image]:
    """One piece from three sides."""
    low, high = mesh.bounds
    size = tuple(float(side) for side in high - low)
    center = tuple(float(side) for side in (low + high) / 2)
    thing = Placed("piece", category, category, (center[0], center[1], center[2]), 0.0, (size[0], size[1], size[2]))
    far = 9 * max(size)
    floor = block((-far, -far, -0.05), (far, far, 0.0), (0.80, 0.79, 0.77))
    scene = Scene(id="sheet/0", dataset="sheet", objects=(thing.scene_object,))
    ground = shapely.box(-far, -far, far, far)
    world = World(scene, (Body(floor), Body(mesh, "piece")), ground, Light(toward=(0.35, 0.55, 0.76)))
    focal = FOCAL * 2 * TILE
    found = []
    with Renderer(world, (2 * TILE, 2 * TILE)) as renderer:
        for yaw in YAWS:
            pose = looking_at(thing.center, float(np.linalg.norm(size)) / 2 * FOCAL * 2.15, np.radians(yaw))
            frame = renderer.frame(pose, (focal, focal, float(TILE), float(TILE)))
            found.append(Image.fromarray(frame.colour).resize((TILE, TILE), Image.Resampling.LANCZOS))
    return found


def count(key: Path, files: list[Path], out: Path | None) -> None:
    """How many namers gave each category's name, a table; and the record of all names."""
    things = {entry["number"]: entry for entry in json.loads(key.read_text(encoding="utf-8"))}
    same = {
        word: category
        for category, words in tomllib.loads(SYNONYMS.read_text(encoding="utf-8")).items()
        for word in (category, *words)
    }
    named: dict[int, Counter[str]] = defaultdict(Counter)
    for file in files:
        with file.open(encoding="utf-8", newline="") as lines:
            for row in csv.DictReader(lines):
                named[int(row["number"])][row["name"].strip().lower()] += 1
    record = []
    for number, thing in sorted(things.items(), key=lambda pair: (pair[1]["category"], pair[1]["model"])):
        names = named[number]
        right = sum(
            n for name, n in names.items() if same.get(name, name) == same.get(thing["category"], thing["category"])
        )
        record.append({**thing, "right": right, "of": names.total(), "names": dict(names.most_common())})
    for entry in record:
        others = ", ".join(f"{name} {n}" for name, n in entry["names"].items())
        print(f"{entry['category']:18} {entry['model']:34} {entry['right']:2}/{entry['of']:<3} {others}")
    if out:
        out.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
