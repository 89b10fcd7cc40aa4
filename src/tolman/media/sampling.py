"""Which frames of a video a model is shown."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Frames(BaseModel):
    """How a video becomes images.

    Attributes:
        count: this many frames, evenly from the first to the last by presentation time.
        per_second: instead, one frame for each 1/per_second seconds of the video's length, rounded down …
        cap: … and no more than this many.
        whole: the endpoint gets the video file itself.
        quality: of the JPEG, 1 to 95.
        longest_side: in pixels; larger frames are made smaller. None keeps them.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    count: int | None = None
    per_second: float | None = None
    cap: int | None = None
    whole: bool = False
    quality: int = 85
    longest_side: int | None = None
