"""ReproductionTarget: a published result with all settings that it was reached with.

```toml
title = "My-Model-7B on VSI-Bench"
benchmark = "vsi-bench"
weights = "owner/My-Model-7B"            # on the Hugging Face hub
recipe = "my-family"
serving = "how the weights are served"

[[runs]]                                 # one for each published figure
form = "video"                           # images, video or file
frames = 32
preset = "open"                          # prompts, of the benchmark
published = 63.6                         # its headline, 0 to 100
tolerance = 2.5                          # points
source = "where the figure is written"
others = [{ value = 62.9, source = "another program's, where it was run again" }]
```
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from tolman.models.recipes import InputForm
from tolman.shelf import TomlShelf


class OtherFigure(BaseModel):
    """A figure somewhere else.

    Attributes:
        value: 0 to 100.
        source: where it is written.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    value: float
    source: str


class TargetRun(BaseModel):
    """One run of a target.

    Attributes:
        form: what a video becomes.
        frames: of a video.
        preset: of prompts.
        max_tokens: of an answer; the recipe's where None.
        body: further fields of requests, above the recipe's.
        published: the benchmark's headline.
        tolerance: points within which the figure counts as reproduced.
        source: where the figure and the settings are written.
        others: further figures of the same weights, to look at.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    form: InputForm
    frames: int = Field(ge=1)
    preset: str
    max_tokens: int | None = Field(default=None, ge=1)
    body: dict[str, Any] = Field(default_factory=dict)
    published: float = Field(ge=0, le=100)
    tolerance: float = Field(gt=0)
    source: str
    others: tuple[OtherFigure, ...] = ()


class ReproductionTarget(BaseModel):
    """A published result.

    Attributes:
        name: of its file, without the ending.
        title: model and benchmark.
        benchmark: its name.
        weights: on the Hugging Face hub.
        recipe: its name.
        serving: how the weights are served.
        runs: one for each figure.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    title: str
    benchmark: str
    weights: str
    recipe: str
    serving: str
    runs: tuple[TargetRun, ...] = Field(min_length=1)


_SHELF = TomlShelf("target", ReproductionTarget, "tolman.workflows.reproduction", "targets", named=True)


def names() -> tuple[str, ...]:
    """The targets of the package."""
    return _SHELF.names


def open_target(name: str) -> ReproductionTarget:
    """A target of the package by its name, or a user's by its path.

    Raises:
        UsageError: there is none of that name.
        InputError: the file is none; the sentence names the line.
    """
    return _SHELF.open(name)
