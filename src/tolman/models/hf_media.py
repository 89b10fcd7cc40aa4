"""Arguments for the processor of a local network's pictures and videos, such as their limits of pixels.

They stand in the field `mm_processor_kwargs` of `--body`, as in a request to vLLM, so that one recipe serves both:

    --body '{"mm_processor_kwargs": {"size": {"shortest_edge": 37632, "longest_edge": 100352}}}'

An argument is for pictures and videos alike; one under `images_kwargs` or `videos_kwargs` for these alone. What
`size.longest_edge` limits depends on the family: the pixels of one frame (Qwen2-VL, Qwen2.5-VL) or of all frames of a
video together (Qwen3-VL, GLM-4.xV).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tolman.errors import UsageError
from tolman.models.base import CallError
from tolman.names import hint
from tolman.responses import FailureKind

MEDIA = "mm_processor_kwargs"
"""The field of `--body`."""
SCOPES = {"images_kwargs": "image_processor", "videos_kwargs": "video_processor"}
"""Arguments for one kind of media, and the part of a processor that takes them."""
SAMPLING = ("do_sample_frames", "fps", "num_frames", "video_metadata")
"""Arguments by which a processor would choose among frames that are chosen already, or would be told other times."""


@dataclass(frozen=True)
class MediaOptions:
    """Arguments of a processor that the user gave.

    Attributes:
        videos: for videos alone.
        rest: all others, `images_kwargs` as a table of its own.
    """

    videos: Mapping[str, Any] = field(default_factory=dict)
    rest: Mapping[str, Any] = field(default_factory=dict)

    def check(self, name: str, processor: Any) -> None:
        """Look whether a processor knows them: it leaves out those that it doesn't, without a word.

        Raises:
            CallError: it doesn't know one.
        """
        for scope, part in SCOPES.items():
            given = self.videos if scope == "videos_kwargs" else self.rest.get(scope, {})
            self._look(name, given, _known(processor, part))
        flat = [argument for argument in self.rest if argument not in SCOPES]
        self._look(name, flat, [*_known(processor, "image_processor"), *_known(processor, "video_processor")])

    @staticmethod
    def _look(name: str, given: Any, known: list[str]) -> None:
        for argument in given:
            if known and argument not in known:
                told = f"the processor of {name} takes no '{argument}' ({MEDIA} in --body); {hint(argument, known)}"
                raise CallError(FailureKind.REFUSED, told, retry=False)


def media_options(body: Mapping[str, Any]) -> MediaOptions:
    """Arguments of the processor in the fields of `--body`.

    Raises:
        UsageError: they are no table, or one of them is set by the frames that the run shows.
    """
    given = body.get(MEDIA, {})
    scopes = [given] + [given.get(scope, {}) for scope in SCOPES] if isinstance(given, Mapping) else [given]
    if not all(isinstance(scope, Mapping) for scope in scopes):
        raise UsageError(f'{MEDIA} in --body takes a table of arguments, such as {{"size": {{…}}}}.')
    for argument in _all(scopes):
        if argument in SAMPLING:
            sentence = f"{MEDIA} in --body can't hold '{argument}'"
            raise UsageError(f"{sentence}: a local network is given frames with their times; set --frames or --fps.")
    return MediaOptions(
        videos=dict(given.get("videos_kwargs", {})),
        rest={argument: value for argument, value in given.items() if argument != "videos_kwargs"},
    )


def _all(scopes: list[Mapping[str, Any]]) -> Iterator[str]:
    for scope in scopes:
        yield from scope


def _known(processor: Any, part: str) -> list[str]:
    """Names of the arguments that a part of a processor takes; none where it doesn't say."""
    return sorted(getattr(getattr(getattr(processor, part, None), "valid_kwargs", None), "__annotations__", {}))
