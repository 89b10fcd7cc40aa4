"""Settings that several analyses have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from tolman.workflows.config import Setting

Runs = Annotated[tuple[Path, ...], Setting("Run folders of one benchmark.", positional=True)]
Source = Annotated[str, Setting("A benchmark's name, a folder that is one, or a run's folder.", positional=True)]
Scorer = Annotated[
    str | None,
    Setting("Scorer whose scores count: official, careful … Default: the headline's.", aliases=("--rules",)),
]
Seed = Annotated[int, Setting("Seed of everything that is drawn at random, 0 or more.", least=0)]
RightFrom = Annotated[
    float,
    Setting(
        "Score from which an answer counts as right, 0–1. A choice scores 0 or 1; a number anything between.",
        least=0,
        most=1,
    ),
]
