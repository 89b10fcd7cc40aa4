"""Truths that hold for some numbers of frames only, as ReVSI's do: what a model can't have seen is not asked of it.

Such a benchmark has a subset for each number. The number that is asked for picks the subset, a subset that is named
brings its number, and what doesn't fit is refused: responses to 16 frames are never scored by the truths of 32.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tolman.errors import UsageError
from tolman.media.sampling import Frames

if TYPE_CHECKING:
    from tolman.benchmarks.base import BenchmarkSpec, PromptPreset

Counts = tuple[int | None, ...]
"""Numbers of frames, the default first; None is all frames of a video."""


def subset_for(title: str, counts: Mapping[str, Counts], asked: int) -> str:
    """The subset whose truths hold for a number of frames.

    Args:
        title: the benchmark's.
        counts: subset → the numbers that its truths hold for.
        asked: the number.

    Raises:
        UsageError: there is none.
    """
    for subset, known in counts.items():
        if asked in known:
            return subset
    numbers = [count for known in counts.values() for count in known if count is not None]
    raise UsageError(
        f"{title} has truths for {_listed(numbers)} frames of a video and none for {asked}, with which other things "
        "are visible; choose one of these with --frames."
    )


def with_frames_of(preset: PromptPreset, benchmark: BenchmarkSpec, subset: str) -> PromptPreset:
    """The preset with the number of frames that the subset's truths hold for; as it is where they hold for any."""
    known = benchmark.frame_counts.get(subset)
    if known is None:
        return preset
    shown = {"count": known[0], "per_second": None, "cap": None, "whole": False}
    return replace(preset, frames=preset.frames.model_copy(update=shown))


def check_frames(benchmark: BenchmarkSpec, subset: str, frames: Frames) -> None:
    """Refuse frames for which a subset's truths don't hold.

    Raises:
        UsageError: saying for which they do.
    """
    known = benchmark.frame_counts.get(subset)
    if known is None or _fits(frames, known):
        return
    numbers = [count for count in known if count is not None]
    said = " or ".join(
        [*([f"{_listed(numbers)} frames"] if numbers else []), *(["all frames"] if None in known else [])]
    )
    other = any(frames.count in counts for counts in benchmark.frame_counts.values()) and not _is_otherwise(frames)
    how = "leave out --subset" if other else f"ask for --frames {numbers[0]}" if numbers else "show all frames"
    raise UsageError(
        f"the truths of {benchmark.title}'s subset '{subset}' hold for {said} of a video, and this run would show "
        f"{frames.describe()}; {how}."
    )


def _fits(frames: Frames, known: Counts) -> bool:
    if frames.whole:
        return None in known
    return not _is_otherwise(frames) and frames.count in known


def _is_otherwise(frames: Frames) -> bool:
    """Whether something but the number decides how many frames are shown."""
    capped = frames.cap is not None and (frames.count is None or frames.cap < frames.count)
    return frames.whole or frames.per_second is not None or capped


def _listed(numbers: Sequence[int]) -> str:
    *first, last = map(str, sorted(numbers))
    return f"{', '.join(first)} or {last}" if first else last
