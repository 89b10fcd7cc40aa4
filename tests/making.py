"""What people make questions of in tests, and what became of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

from reviewing import Served
from tolman.ingest.media_pool import bring_in
from tolman.review.schema import ItemVersion, Project
from tolman.review.work import current_items
from videos import write_video


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
