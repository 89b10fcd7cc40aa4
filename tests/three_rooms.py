"""Three simulated rooms with short videos, which tests of everything that takes scenes ask about.

An earlier version of `tolman simulate` made them. They can be asked about in all question types of VSI-Bench.
"""

from pathlib import Path

from tolman.scene_table import read_captures, read_scenes, write_captures, write_scenes

ROOMS = Path(__file__).parent / "rooms"


def write_nine(folder: Path) -> None:
    """Write each room three times, under another name."""
    scenes, captures = list(read_scenes(ROOMS)), list(read_captures(ROOMS))
    copies = [f"-{n}" for n in range(3)]
    write_scenes(folder, [s.model_copy(update={"id": s.id + c}) for c in copies for s in scenes])
    write_captures(
        folder, [k.model_copy(update={"id": k.id + c, "scene": k.scene + c}) for c in copies for k in captures]
    )
