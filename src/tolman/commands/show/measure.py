"""What `tolman measure` prints."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from rich.console import Console

if TYPE_CHECKING:
    from tolman.geometry.measuring import Measurement

UNITS = {"m2": "m²", "deg": "°"}


def show_measurement(console: Console, result: Measurement, *, as_json: bool) -> None:
    """The value with its bound, what it rests on, and what to mind."""
    if as_json:
        console.file.write(json.dumps(result.to_dict()) + "\n")
        return
    unit = UNITS.get(result.unit, result.unit)
    console.print(f"{result.quantity}: [bold]{result.value:.3f} {unit}[/] ± {result.error:.3f} {unit} (95 %)")
    console.print(f"from {result.n_points:,} returns: {result.method}", style="dim", markup=False)
    for note in result.notes:
        console.print(f"mind: {note}", style="yellow", markup=False)
