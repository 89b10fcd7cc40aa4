"""How many tokens a video becomes, from the number and size of its frames.

The rules are those of the families' processors: frames are resized to whole patches within a budget of pixels, several
patches and frames are merged into one token; or each frame becomes the same number of tokens.

Source of the resizing: `smart_resize` of the image and video processors of Qwen2-VL and Qwen3-VL in transformers.
"""

from __future__ import annotations

import math
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator


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
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: str
    per_frame: int | None = Field(default=None, ge=1)
    more: int = Field(default=0, ge=0)
    patch: int | None = Field(default=None, ge=1)
    merge: int = Field(default=1, ge=1)
    temporal: int = Field(default=1, ge=1)
    budget: Literal["frame", "video"] = "frame"
    least: int | None = Field(default=None, ge=1)
    most: int | None = Field(default=None, ge=1)

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
        steps = math.ceil(frames / self.temporal)
        rows, columns = self._grid(steps * self.temporal if self.budget == "video" else 1, width, height)
        return steps * rows * columns + self.more

    def _grid(self, frames: int, width: int, height: int) -> tuple[int, int]:
        """Rows and columns of tokens; `frames` share the budget."""
        assert self.patch is not None
        side = self.patch * self.merge
        rows, columns = max(1, round(height / side)), max(1, round(width / side))
        pixels = frames * rows * columns * side * side
        if self.most is not None and pixels > self.most:
            scale = math.sqrt(frames * height * width / self.most)
            return max(1, math.floor(height / scale / side)), max(1, math.floor(width / scale / side))
        if self.least is not None and pixels < self.least:
            scale = math.sqrt(self.least / (frames * height * width))
            return math.ceil(height * scale / side), math.ceil(width * scale / side)
        return rows, columns
