"""Recipes: how the authors of each model family run it, as a TOML file of the package or of the user states it.

```toml
title = "My family"
match = ["my-family-*"]                  # of a model's name behind its family, '*' for anything

[input]                                  # facts about the model, applied wherever the name matches
form = "video"                           # or "images", or "file": the server samples
source = "where this is written"

[run]                                    # settings of a run, applied with --recipe only
frames = 32
max_tokens = 16
temperature = 0.0
source = "where this is written"

[tokens]                                 # how many tokens a video becomes, to notice frames that were lost
patch = 14
merge = 2
temporal = 2
source = "where this is written"

[file.vllm]                              # how a server is told to sample a whole file
options = { mm_processor_kwargs = { fps = 2, do_sample_frames = true } }
source = "where this is written"
```

How many tokens a video becomes follows from the number and size of its frames, by the rules of the families'
processors. Frames are resized to whole patches within a budget of pixels, and several patches and frames are merged
into one token. Or each frame becomes the same number of tokens. Source of the resizing: `smart_resize` of the image
and video processors of Qwen2-VL and Qwen3-VL in transformers.
"""

from __future__ import annotations

import math
from fnmatch import fnmatchcase
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from tolman.media.sampling import MARK
from tolman.messages import Thinking
from tolman.toml_catalogue import TomlCatalogue

_CONTEXT = 128_000
"""Tokens of a whole video that qwen-vl-utils and transformers reckon with."""


class VideoTokens(BaseModel):
    """The rule of one family.

    Attributes:
        source: where it is read.
        per_frame: tokens of each frame, where they are always as many.
        more: further tokens of a video.
        patch: side of a patch in pixels.
        merge: patches along each side that become one token.
        temporal: frames that become one; the last is repeated to fill them up.
        budget: whether the bounds are for each frame or for the whole video.
        least, most: pixels.
        frame_cap: tokens of a frame that the authors' own code allows at most; transformers doesn't make frames
            smaller for it unless `cap_pixels_per_frame` is set.
        capped: whether it is set.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    source: str
    per_frame: int | None = Field(default=None, ge=1)
    more: int = Field(default=0, ge=0)
    patch: int | None = Field(default=None, ge=1)
    merge: int = Field(default=1, ge=1)
    temporal: int = Field(default=1, ge=1)
    budget: Literal["frame", "video"] = "frame"
    least: int | None = Field(default=None, ge=1)
    most: int | None = Field(default=None, ge=1)
    frame_cap: int | None = Field(default=None, ge=1)
    capped: bool = False

    @model_validator(mode="after")
    def _one_rule(self) -> VideoTokens:
        if (self.per_frame is None) == (self.patch is None):
            raise ValueError("holds 'per_frame' or 'patch', and not both")
        return self

    def expected(self, frames: int, width: int, height: int) -> int:
        """Tokens of a video.

        Args:
            frames: their number.
            width, height: of each, in pixels.
        """
        if self.per_frame is not None:
            return frames * self.per_frame + self.more
        return self._of_grid(frames, width, height, self._most_of(frames) if self.capped else self.most)

    def above_cap(self, frames: int, width: int, height: int) -> bool:
        """Check whether a video becomes more tokens than in the authors' own code, which caps each frame.

        Source: qwen-vl-utils 0.0.14, `fetch_video` of a file: at most 768 tokens a frame.
        """
        if self.frame_cap is None or self.patch is None:
            return False
        side = self.patch * self.merge
        cap = self.frame_cap * side * side
        if self.budget == "frame":
            most = min(cap, self.most) if self.most is not None else cap
        else:
            steps = math.ceil(frames / self.temporal) * self.temporal
            most = min(cap * steps, self.most) if self.most is not None else cap * steps
        return self.expected(frames, width, height) > self._of_grid(frames, width, height, most)

    def _most_of(self, frames: int) -> int | None:
        """Pixels that `cap_pixels_per_frame` allows: of the video, or of each frame.

        Source: `resize` of Qwen2VLVideoProcessor and Qwen3VLVideoProcessor in transformers 5.24.0. In the former it
        shares out 90 % of 128,000 tokens, and a frame alone is bounded by `most`.
        """
        assert self.patch is not None
        area = (self.patch * self.merge) ** 2
        floor = int((self.least or 0) * 1.05)
        if self.budget == "frame":
            share = int(_CONTEXT * area * 0.9) * self.temporal // frames
            return max(share if self.most is None else min(self.most, share), floor)
        each = self.frame_cap * area if self.frame_cap is not None else None
        if self.most is not None:
            each = self.most // frames if each is None else min(each, self.most // frames)
        return None if each is None else max(each, floor) * math.ceil(frames / self.temporal) * self.temporal

    def _of_grid(self, frames: int, width: int, height: int, most: int | None) -> int:
        steps = math.ceil(frames / self.temporal)
        rows, columns = self._grid(steps * self.temporal if self.budget == "video" else 1, width, height, most)
        return steps * rows * columns + self.more

    def _grid(self, frames: int, width: int, height: int, most: int | None) -> tuple[int, int]:
        """Rows and columns of tokens; `frames` share the budget."""
        assert self.patch is not None
        side = self.patch * self.merge
        rows, columns = max(1, round(height / side)), max(1, round(width / side))
        pixels = frames * rows * columns * side * side
        if most is not None and pixels > most:
            scale = math.sqrt(frames * height * width / most)
            return max(1, math.floor(height / scale / side)), max(1, math.floor(width / scale / side))
        if self.least is not None and pixels < self.least:
            scale = math.sqrt(self.least / (frames * height * width))
            return math.ceil(height * scale / side), math.ceil(width * scale / side)
        return rows, columns


CAP = "cap_pixels_per_frame"
"""Argument of transformers' video processors of Qwen2-VL, Qwen2.5-VL and Qwen3-VL: cap frames as qwen-vl-utils does."""
InputForm = Literal["images", "video", "file"]
"""What a video becomes: separate pictures, sampled frames with their times, or the file, which the server samples."""
Server = Literal["vllm", "sglang", "llama.cpp", "dashscope", "transformers"]
"""Servers of OpenAI's chat completions that take videos, each in a form of its own."""


class RecipeInput(BaseModel):
    """The input that the model is made for.

    Attributes:
        form: of a video.
        server: which server answers, where its list of models doesn't say it.
        source: where it is written.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    form: InputForm
    server: Server | None = None
    source: str


class RecipeRun(BaseModel):
    """Settings of a run. None leaves one to the prompt preset.

    Attributes:
        frames: of a video, evenly.
        fps, max_frames: instead, frames a second, and the most of them.
        rounding: how an even position becomes a frame's number (`tolman.media.sampling.Frames`).
        frame_text: text around each frame where they are separate pictures: 'Frame{number}: <image>'.
        quality, longest_side: JPEG quality, 1–95, and pixels.
        temperature, top_p, top_k, max_tokens: of drawing the answer.
        thinking, effort, reasoning_budget: how much the model reasons.
        cap_pixels_per_frame: whether frames are made as small as in the authors' own code. Applied to local networks
            whose transformers can; servers are asked by --body.
        body: further fields of requests to endpoints of OpenAI's chat completions; local networks take
            `mm_processor_kwargs` of them.
        source: where they are written.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    frames: int | None = Field(default=None, ge=1)
    fps: float | None = Field(default=None, gt=0)
    max_frames: int | None = Field(default=None, ge=1)
    rounding: Literal["down", "nearest", "middle"] | None = None
    frame_text: str | None = None
    quality: int | None = Field(default=None, ge=1, le=95)
    longest_side: int | None = Field(default=None, ge=16)
    temperature: float | None = Field(default=None, ge=0)
    top_p: float | None = Field(default=None, ge=0, le=1)
    top_k: int | None = Field(default=None, ge=0)
    max_tokens: int | None = Field(default=None, ge=1)
    thinking: bool | None = None
    effort: str | None = None
    reasoning_budget: int | None = Field(default=None, ge=0)
    cap_pixels_per_frame: bool | None = None
    body: dict[str, Any] = Field(default_factory=dict)
    source: str

    @field_validator("frame_text")
    @classmethod
    def _marks(cls, text: str | None) -> str | None:
        if text is None:
            return None
        try:
            text.format(number=1, seconds=0.5)
        except (LookupError, ValueError):
            raise ValueError("can hold {number} and {seconds}, and no other braces") from None
        if text.count(MARK) != 1:
            raise ValueError(f"holds the frame once, as {MARK}")
        return text

    @model_validator(mode="after")
    def _frames_or_fps(self) -> RecipeRun:
        if self.frames is not None and self.fps is not None:
            raise ValueError("holds 'frames' and 'fps'; leave one of them out")
        if self.max_frames is not None and self.fps is None:
            raise ValueError("holds 'max_frames', which limits 'fps', and no 'fps'")
        return self


class FileOptions(BaseModel):
    """How a server is given a whole file.

    Attributes:
        part: fields next to the file's address, such as SGLang's `fps`.
        options: fields of the request, such as vLLM's `mm_processor_kwargs`.
        source: where they are written.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    part: dict[str, Any] = Field(default_factory=dict)
    options: dict[str, Any] = Field(default_factory=dict)
    source: str


class ModelRecipe(BaseModel):
    """How a family is run.

    Attributes:
        name: of its file, without the ending.
        title: of the family.
        match: patterns of model names, in small letters, '*' for any characters.
        input, run, tokens: see there.
        file: by server.
        notes: further facts, a sentence each.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    name: str
    title: str
    match: tuple[str, ...] = ()
    input: RecipeInput
    run: RecipeRun | None = None
    tokens: VideoTokens | None = None
    file: dict[Server, FileOptions] = Field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _server_samples_or_not(self) -> ModelRecipe:
        if self.input.form == "file" and self.frames():
            raise ValueError('holds frames under [run], and form = "file", with which the server samples')
        return self

    def frames(self) -> dict[str, Any]:
        """Settings of `tolman.media.sampling.Frames` that differ from a preset's."""
        if self.run is None:
            return {}
        run = self.run
        found = {
            "count": run.frames,
            "per_second": run.fps,
            "cap": run.max_frames,
            "rounding": run.rounding,
            "label": run.frame_text,
            "quality": run.quality,
            "longest_side": run.longest_side,
        }
        return {name: value for name, value in found.items() if value is not None}

    def sampling(self) -> dict[str, Any]:
        """Settings of `tolman.messages.Sampling` that differ from a preset's."""
        if self.run is None:
            return {}
        run = self.run
        found: dict[str, Any] = {
            name: getattr(run, name)
            for name in ("temperature", "top_p", "top_k", "max_tokens")
            if getattr(run, name) is not None
        }
        thinking = Thinking(on=run.thinking, effort=run.effort, budget=run.reasoning_budget)
        return found | ({"thinking": thinking} if thinking != Thinking() else {})

    def whole_files(self) -> dict[str, dict[str, Any]]:
        """Return the fields sent with a whole file, by server: {"part": …, "options": …}."""
        return {server: one.model_dump(exclude={"source"}) for server, one in self.file.items()}


__all__ = ["InputForm", "ModelRecipe", "match", "names", "open_recipe"]

_CATALOGUE = TomlCatalogue("recipe", ModelRecipe, __name__, named=True)


def names() -> tuple[str, ...]:
    """The recipes of the package."""
    return _CATALOGUE.names


def open_recipe(name: str) -> ModelRecipe:
    """A recipe of the package by its name, or a user's by its path.

    Raises:
        UsageError: there is none of that name.
        InputError: the file is none; the sentence names the line.
    """
    return _CATALOGUE.open(name)


def match(model: str) -> ModelRecipe | None:
    """Return the package's recipe for a model's name such as 'openai/Qwen/Qwen2.5-VL-7B-Instruct', or None.

    If several patterns match, the recipe with the longest pattern counts: SenseNova-SI-1.1-Qwen3-VL-8B has a recipe of
    its own.
    """
    wanted = model.partition("/")[2].casefold()
    best: tuple[int, str] | None = None
    for name in names():
        for pattern in open_recipe(name).match:
            length = len(pattern.replace("*", ""))
            if fnmatchcase(wanted, f"*{pattern}*") and (best is None or length > best[0]):
                best = (length, name)
    return open_recipe(best[1]) if best else None
