"""What `tolman simulate` prints."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table as RichTable

from tolman.simulate.build import SimulatedScene, WorldsConfig, simulate


def simulate_scenes(console: Console, order: WorldsConfig, out: Path, workers: int) -> list[SimulatedScene]:
    """Simulate scenes with a progress bar, then say what came out.

    Raises:
        InputError: the folder holds something else, or the furniture can't be used.
        NoDisplayError: the machine can't draw.
    """
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("drawing and recording scenes", total=order.scenes)
        made = simulate(order, out, workers, lambda _: progress.advance(task))
    grid = RichTable(box=None, pad_edge=False)
    for heading in ("scene", "floor m²", "objects", "categories", "seen", "frames"):
        grid.add_column(heading, justify="left" if heading == "scene" else "right", no_wrap=True)
    for one in made[:_LISTED]:
        scene = one.scene
        area = "–" if scene.room_area is None else f"{scene.room_area:.1f}"
        counts = (f"{len(scene.objects)}", f"{len(scene.categories)}", f"{one.coverage:.0%}")
        grid.add_row(scene.id, area, *counts, f"{sum(len(c.times) for c in one.captures):,}")
    console.print(grid)
    if len(made) > _LISTED:
        console.print(f"… and {len(made) - _LISTED:,} more", highlight=False)
    for note in dict.fromkeys(f"{one.scene.id}: {note}" for one in made[:_LISTED] for note in one.notes):
        console.print(note, style="dim", markup=False, highlight=False, soft_wrap=True)
    where = out if out.is_absolute() else f"./{out}"
    console.print(
        f"{len(made):,} scenes with their videos: {out}. Make questions with 'tolman generate {where} --out BENCH'.",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )
    return made


_LISTED = 20
