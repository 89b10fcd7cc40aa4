"""A recipe: how the authors of a model family run it, as a TOML file states it.

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
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from tolman.media.sampling import MARK
from tolman.models.recipes.tokens import VideoTokens

InputForm = Literal["images", "video", "file"]
"""What a video becomes: separate pictures, sampled frames with their times, or the file, which the server samples."""
Server = Literal["vllm", "sglang", "llama.cpp", "dashscope", "transformers"]
"""Servers of OpenAI's chat completions that take videos, each in a form of its own."""


class RecipeInput(BaseModel):
    """What the model is made for.

    Attributes:
        form: what a video becomes.
        server: which server answers, where its list of models doesn't say it.
        source: where it is written.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    form: InputForm
    server: Server | None = None
    source: str


class RecipeRun(BaseModel):
    """Settings of a run. None leaves one to the prompt preset.

    Attributes:
        frames: of a video, evenly.
        fps, max_frames: instead, frames a second, and the most of them.
        rounding: how an even position becomes a frame's number (`tolman.media.sampling.Frames`).
        frame_text: what each frame stands in where they are separate pictures: 'Frame{number}: <image>'.
        quality, longest_side: JPEG quality, 1–95, and pixels.
        temperature, top_p, top_k, max_tokens: of drawing the answer.
        thinking, effort, reasoning_budget: how much the model reasons.
        body: further fields of requests to endpoints of OpenAI's chat completions.
        source: where they are written.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

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
        part: fields beside the file's address, such as SGLang's `fps`.
        options: fields of the request, such as vLLM's `mm_processor_kwargs`.
        source: where they are written.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

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
        notes: what else is known, a sentence each.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

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
        from tolman.messages import Thinking

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
        """What is sent beside a whole file, by server: {"part": …, "options": …}."""
        return {server: one.model_dump(exclude={"source"}) for server, one in self.file.items()}
