"""Runs of answers that are made up."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tolman.items import Item
from tolman.responses import Failure, FailureKind, Outcome, Response
from tolman.runs.rescore import score_outcomes
from tolman.runs.run_items import Loaded


def answered(
    loaded: Loaded,
    out: Path,
    said: Callable[[int, Item], str | None],
    *,
    benchmark: str = "vsi-bench",
    model: str = "m",
    repeats: int = 1,
    **settings: Any,
) -> Path:
    """Write a run.

    Args:
        out: its folder.
        said: an item's place and the item → the answer, or None for a call that failed. The place counts on over
            repeats.
        settings: of the model.

    Returns:
        Its folder.
    """
    outcomes: list[Outcome] = []
    for number, (repeat, item) in enumerate((repeat, item) for repeat in range(repeats) for item in loaded.items):
        text = said(number, item)
        outcomes.append(
            Failure(id=item.id, kind=FailureKind.SERVER, message="out of order", repeat=repeat)
            if text is None
            else Response(id=item.id, response=text, repeat=repeat)
        )
    score_outcomes(loaded, outcomes, benchmark=benchmark, model=model, model_settings=settings, out=out)
    return out
