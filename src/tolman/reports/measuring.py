"""What `tolman measure` shows: how far the gathering of points is, and the value."""

from __future__ import annotations

import json

from rich.console import Console
from rich.progress import Progress

from tolman.geometry.measuring import Measurement
from tolman.ingest.clouds.recording import Recording
from tolman.ingest.measuring import Pick, measured

UNITS = {"m2": "m²", "deg": "°"}


def measured_aloud(
    console: Console | None,
    recording: Recording,
    quantity: str,
    picks: tuple[Pick, Pick | None],
    *,
    shape: str,
    isolate: bool,
    cell: float,
    between: tuple[float, float] | None,
    seed: int,
) -> Measurement:
    """`tolman.ingest.measuring.measured` with a progress bar."""
    with Progress(console=console, transient=True, disable=console is None) as bar:
        task = bar.add_task("gathering points", total=None)
        return measured(
            recording, quantity, picks, shape=shape, isolate=isolate, cell=cell, between=between, seed=seed,
            seen=lambda _: bar.advance(task),
        )  # fmt: skip


def show(console: Console, result: Measurement, *, as_json: bool) -> None:
    """Print a measurement."""
    if as_json:
        print(json.dumps(result.to_dict()))
        return
    unit = UNITS.get(result.unit, result.unit)
    console.print(f"{result.quantity}: [bold]{result.value:.3f} {unit}[/] ± {result.error:.3f} {unit} (95 %)")
    console.print(f"from {result.n_points:,} returns: {result.method}", style="dim", markup=False)
    for note in result.notes:
        console.print(f"mind: {note}", style="yellow", markup=False)
