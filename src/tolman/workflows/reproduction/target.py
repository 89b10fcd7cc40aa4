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

import tomllib
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tolman.errors import InputError
from tolman.models.recipes import InputForm
from tolman.names import unknown
from tolman.toml_lines import line_of


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


@cache
def names() -> tuple[str, ...]:
    """The targets of the package."""
    folder = files("tolman.workflows.reproduction").joinpath("targets")
    return tuple(sorted(one.name.removesuffix(".toml") for one in folder.iterdir() if one.name.endswith(".toml")))


def open_target(name: str) -> ReproductionTarget:
    """A target of the package by its name, or a user's by its path.

    Raises:
        UsageError: there is none of that name.
        InputError: the file is none; the sentence names the line.
    """
    if "/" in name or name.endswith(".toml"):
        path = Path(name)
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(path, f"can't be read ({getattr(error, 'strerror', None) or error})") from None
        return _parsed(path, text)
    if name not in names():
        raise unknown("target", name, names(), other="the path of a .toml file")
    entry = files("tolman.workflows.reproduction").joinpath("targets", f"{name}.toml")
    return _parsed(Path(str(entry)), entry.read_text(encoding="utf-8"))


def _parsed(path: Path, text: str) -> ReproductionTarget:
    try:
        return ReproductionTarget.model_validate({**tomllib.loads(text), "name": path.stem})
    except tomllib.TOMLDecodeError as error:
        raise InputError(path, f"is no TOML ({error})") from None
    except ValidationError as error:
        first = error.errors()[0]
        keys = tuple(first["loc"])
        line = line_of(text, keys)
        what = {"extra_forbidden": "is not a known key", "missing": "is missing"}.get(first["type"], first["msg"])
        place = f"{path}, line {line}" if line else path
        raise InputError(place, what, field=".".join(map(str, keys))) from None
