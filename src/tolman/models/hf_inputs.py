"""Pictures and videos for local networks: sampled frames as each family takes them, and processor arguments.

| family | times of the frames |
|---|---|
| Qwen2-VL | none |
| Qwen2.5-VL | seconds between two temporal patches, so frames should be evenly spaced |
| Qwen3-VL, Qwen3.5, GLM-4.1V to 4.6V, SmolVLM2 | in the text, before or behind each frame or temporal patch |
| InternVL3, InternVL3.5 | none; each frame behind its number |
| LLaVA-OneVision, LLaVA-NeXT-Video | none |

A processor is built from the checkpoint's own files, its limits of pixels too. Those of the classes differ (Qwen3-VL:
786,432 pixels of a whole video against 25,165,824 of the released checkpoints).

Source: transformers 5.23.0, the processors of these families, each run with eight frames of a minute.

Arguments for the processor go in the field `mm_processor_kwargs` of `--body`, as in a request to vLLM, so that one
recipe serves both:

    --body '{"mm_processor_kwargs": {"size": {"shortest_edge": 37632, "longest_edge": 100352}}}'

An argument is for pictures and videos alike; one under `images_kwargs` or `videos_kwargs` for these alone. The meaning
of `size.longest_edge` depends on the family. It limits the pixels of one frame (Qwen2-VL, Qwen2.5-VL), or of all frames
of a video together (Qwen3-VL, GLM-4.xV).
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tolman.errors import UsageError, hint
from tolman.extras import Image, torch
from tolman.messages import Clip, Message
from tolman.models.model import CallError, Request
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


def takes_cap() -> bool:
    """Check whether video processors of the installed transformers take `cap_pixels_per_frame`: from 5.23 on."""
    try:
        found = version("transformers").split(".")
    except PackageNotFoundError:
        return False
    return tuple(int(part) for part in found[:2] if part.isdigit()) >= (5, 23)


def _all(scopes: list[Mapping[str, Any]]) -> Iterator[str]:
    for scope in scopes:
        yield from scope


def _known(processor: Any, part: str) -> list[str]:
    """Names of the arguments that a part of a processor takes; none where it doesn't say."""
    return sorted(getattr(getattr(getattr(processor, part, None), "valid_kwargs", None), "__annotations__", {}))


AS_IMAGES = "show its frames as separate pictures with --as images"


@dataclass(frozen=True)
class VideoFamily:
    """How networks of one family take a video.

    Attributes:
        tells_rate: frames a second are also given as `fps`. Transformers before 5.0 read only this, and later ones only
            the metadata.
        outer: marks that the chat template writes around a video and the processor writes again around each of its
            parts. Before transformers 5.10 the processor took them out; they are taken out here for all versions.
        alone: whether pictures can't join a video in one question, because both go in under one name.
    """

    tells_rate: bool = False
    outer: tuple[str, str] | None = None
    alone: bool = False

    def prompt(self, text: str, placeholder: str) -> str:
        """A prompt with the placeholders of its videos as the processor expects them."""
        if self.outer is None:
            return text
        return text.replace(f"{self.outer[0]}{placeholder}{self.outer[1]}", placeholder)


_PLAIN = VideoFamily()
_QWEN2 = VideoFamily(tells_rate=True)
_QWEN3 = VideoFamily(outer=("<|vision_start|>", "<|vision_end|>"))

FAMILIES: Mapping[str, VideoFamily] = {
    "qwen2_vl": _QWEN2,
    "qwen2_5_vl": _QWEN2,
    "qwen3_vl": _QWEN3,
    "qwen3_vl_moe": _QWEN3,
    "qwen3_5": _QWEN3,
    "qwen3_5_moe": _QWEN3,
    "llava_onevision": _PLAIN,
    "llava_next_video": _PLAIN,
    "internvl": _PLAIN,
    "smolvlm": VideoFamily(alone=True),
    "glm4v": _PLAIN,
    "glm4v_moe": _PLAIN,
    "glm46v": _PLAIN,
}
"""By `model_type` of a checkpoint's configuration. All others are shown frames as separate pictures."""


def clips_of(messages: Sequence[Message]) -> list[Clip]:
    """Clips of a conversation, in order."""
    return [part for message in messages for part in message.parts if isinstance(part, Clip)]


def shape_of(request: Request) -> tuple[int, ...]:
    """Frames of each clip of a request. Only requests with the same are batched together: most processors stack their
    frames in one tensor."""
    return tuple(len(clip.frames) for clip in clips_of(request.messages))


def metadata_of(clip: Clip) -> dict[str, Any]:
    """Return a clip's metadata, new for each call: processors of Qwen3-VL lengthen the list of frames."""
    return {
        "total_num_frames": clip.total,
        "fps": clip.fps,
        "frames_indices": list(clip.ticks),
        "duration": clip.duration,
    }


def video_arguments(clips: Sequence[Clip], family: VideoFamily, given: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of a processor for the videos of a batch.

    Args:
        clips: of all requests, in order.
        family: of the network.
        given: the user's arguments for videos.

    Raises:
        CallError: the frames of a clip differ in size.
        OSError: a frame can't be read.
    """
    if not clips:
        return {"videos_kwargs": dict(given)} if given else {}
    found: dict[str, Any] = {
        **given,
        "video_metadata": [metadata_of(clip) for clip in clips],
        "do_sample_frames": False,  # else several processors choose among the frames once more
    }
    rates = {len(clip.frames) / clip.duration for clip in clips}
    if family.tells_rate and len(rates) == 1:
        (found["fps"],) = rates
    read: dict[tuple[str, ...], NDArray[np.uint8]] = {}
    videos = []
    for clip in clips:
        key = tuple(picture.path for picture in clip.frames)
        if key not in read:
            read[key] = frames_of(clip)
        videos.append(read[key])
    return {"videos": videos, "videos_kwargs": found}


def frames_of(clip: Clip) -> NDArray[np.uint8]:
    """Frames of a clip, shape (n, height, width, 3).

    Raises:
        CallError: they differ in size.
        OSError: one can't be read.
    """
    frames = []
    for picture in clip.frames:
        with Image.open(picture.path) as image:
            frames.append(np.asarray(image.convert("RGB")))
    sizes = {frame.shape[1::-1] for frame in frames}
    if len(sizes) > 1:
        told = " and ".join(f"{width}×{height}" for width, height in sorted(sizes)[:2])
        raise CallError(FailureKind.MEDIA, f"frames of one video differ in size ({told}); {AS_IMAGES}", retry=False)
    return np.stack(frames)


def import_torchvision() -> bool:
    """Import torchvision, whose transforms the video processors are made of; False where it isn't installed.

    A torchvision that was built for another torch (for CUDA, next to a torch for CPUs) lacks its compiled operators.
    Its import fails only because it describes them. No processor uses them, so those that are missing are left out. Has
    to be called before transformers imports it.
    """
    described = torch.library.register_fake

    def describe(op: Any, *arguments: Any, **rest: Any) -> Any:
        library, _, name = op.partition("::") if isinstance(op, str) else ("", "", "")
        if library == "torchvision" and not hasattr(torch.ops.torchvision, name):
            return _unchanged
        return described(op, *arguments, **rest)

    torch.library.register_fake = describe
    try:
        importlib.import_module("torchvision")
    except ImportError:
        return False
    finally:
        torch.library.register_fake = described
    return True


def _unchanged(function: Callable[..., Any]) -> Callable[..., Any]:
    return function
