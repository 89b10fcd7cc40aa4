"""Frames of a video that a model is shown."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, SerializerFunctionWrapHandler, model_serializer

from tolman.errors import counted
from tolman.extras import np

MARK = "<image>"
"""Where the picture stands in `Frames.label`."""
_ROUNDING = 0.0005
"""Seconds: containers round time stamps to milliseconds."""


class Frames(BaseModel):
    r"""Sampling of a video into images.

    Attributes:
        count: this many frames, evenly from the first to the last by presentation time.
        per_second: instead, one frame for each 1/per_second seconds of the video's length, rounded down; by time where
            the frame rate varies …
        cap: … and no more than this many.
        rounding: how an even position becomes a frame's number: 'down' as numpy's linspace with whole numbers does
            (lmms-eval, VSI-Bench), 'nearest' as SpatialBench does, 'middle' the middles of as many equal parts, without
            the first and the last frame (InternVL).
        whole: the endpoint gets the video file itself.
        native: the model gets the frames as one video with their times, not as pictures.
        label: the text around each picture of a video, such as 'Frame{number}: <image>\n', with {number} from 1 and
            {seconds}; None shows the pictures alone. One video of frames has no such texts.
        quality: of the JPEG, 1 to 95.
        longest_side: in pixels; larger frames are made smaller. None keeps them.
        known: False where another program showed the frames and doesn't say how many. It is written only then.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    count: int | None = None
    per_second: float | None = None
    cap: int | None = None
    rounding: Literal["down", "nearest", "middle"] = "down"
    whole: bool = False
    native: bool = False
    label: str | None = None
    quality: int = 85
    longest_side: int | None = None
    known: bool = True

    @model_serializer(mode="wrap")
    def _written(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        found: dict[str, Any] = write(self)
        if self.known:
            found.pop("known", None)
        return found

    def describe(self) -> str:
        """In a few words: '16 frames', '1 frame/s, at most 64', '16 frames as video', '16 frames with texts', 'whole
        video', 'unknown frames'."""
        if not self.known:
            return "unknown frames"
        if self.whole:
            return "whole video"
        if self.native:
            return f"{self._sampled()} as video"
        return f"{self._sampled()} with texts" if self.label else self._sampled()

    def _sampled(self) -> str:
        if self.per_second is not None:
            return f"{self.per_second:g} frame/s" + (f", at most {self.cap}" if self.cap is not None else "")
        if self.count is None:
            return "all frames"
        return counted(self.count, "frame")

    def indices(self, total: int, duration: Fraction, moments: Sequence[float] | None = None) -> list[int]:
        """The numbers of the frames that are shown, counted from 0 by presentation time.

        Args:
            total: frames in the video.
            duration: its length in seconds.
            moments: where the frame rate varies, when each frame is shown, in seconds from the first. A rate then
                samples by time: the frame shown at 0, 1/per_second, 2/per_second … seconds, or at `cap` evenly spaced
                moments.

        Returns:
            Rising numbers without repetition; all frames where the video has no more than are asked for.
        """
        if moments is not None and self.per_second is not None:
            return self._by_time(moments, duration, Fraction(self.per_second))
        wanted = self.count if self.per_second is None else int(duration * Fraction(self.per_second))
        wanted = total if wanted is None else min(wanted, total)
        if self.cap is not None:
            wanted = min(wanted, self.cap)
        if wanted <= 1:
            return [0] * wanted
        # In floats, as the released codes have it: where a position is a whole number, their rounding decides.
        if self.rounding == "middle" and wanted < total:
            part = (total - 1) / wanted
            return [int(part / 2 + round(part * i)) for i in range(wanted)]
        if self.rounding == "nearest":
            step = (total - 1) / (wanted - 1)
            return [round(i * step) for i in range(wanted)]

        return [int(i) for i in np.linspace(0, total - 1, wanted, dtype=int)]

    def _by_time(self, moments: Sequence[float], duration: Fraction, rate: Fraction) -> list[int]:
        wanted, step = int(duration * rate), 1 / rate
        if self.cap is not None and self.cap < wanted:
            wanted, step = self.cap, duration / self.cap
        start = step / 2 if self.rounding == "middle" else Fraction(0)
        shown = (bisect_right(moments, float(start + k * step) + _ROUNDING) - 1 for k in range(wanted))
        return sorted(set(shown))
