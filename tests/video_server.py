"""Servers on the loopback interface that take videos by the rules of vLLM 0.33, SGLang 0.5.23 and llama.cpp.

What each request shows is decoded from the wire alone, as `Seen`: the numbers that the pictures carry (`videos.bar_code`)
and the seconds at which the server believes them to be.
"""

import base64
import binascii
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiohttp import web
from PIL import Image

from loopback import Server
from videos import read_code

VLLM_DEFAULT = 32
"""Frames that vLLM keeps where nothing says another number."""


@dataclass(frozen=True)
class Seen:
    """What a server made of one request.

    Attributes:
        kind: of its media: 'images', 'video', 'file' or 'none'.
        numbers: the numbers that the frames carry.
        times: when the server believes them to be, in seconds; none of images.
        duration: of the whole video, as the server was told.
        part, body: as they came.
    """

    kind: str
    numbers: tuple[int, ...]
    times: tuple[float, ...]
    duration: float | None
    part: Mapping[str, Any]
    body: Mapping[str, Any]


class RefusedError(Exception):
    """HTTP 400."""


class VideoServer(Server):
    """A server of one kind.

    Args:
        owner: which server it is: vllm, sglang, llamacpp, or something else.
        listed_as: what its list of models says who owns them, where that isn't the same.
        started_with: frames that `--media-io-kwargs` was given at its start.
        loses: keeps the first 32 frames whatever it is told.
        refuses_videos: takes pictures only.
        refusal: the status with which it says so; vLLM up to 0.12 breaks with 500.
        trusts: takes fields for videos in requests; vLLM 0.32 does where it was started so.
        loading: how many looks at the list of models are answered by 503 before it is there.
    """

    def __init__(
        self,
        owner: str = "vllm",
        *,
        listed_as: str | None = None,
        started_with: int | None = None,
        loses: bool = False,
        refuses_videos: bool = False,
        refusal: int = 400,
        trusts: bool = True,
        loading: int = 0,
        models: tuple[str, ...] = ("m",),
        **more: Any,
    ) -> None:
        super().__init__(models=models, **more)
        self.owner, self.listed_as = owner, listed_as or owner
        self.started_with, self.loses = started_with, loses
        self.refuses_videos, self.refusal, self.loading, self.trusts = refuses_videos, refusal, loading, trusts
        self.seen: list[Seen] = []

    async def listed(self, request: web.Request) -> web.Response:
        if self.loading:
            self.loading -= 1
            return web.json_response({"error": {"code": 503, "message": "Loading model"}}, status=503)
        data = [{"id": name, "object": "model", "owned_by": self.listed_as} for name in self.models]
        return web.json_response({"object": "list", "data": data})

    async def complete(self, request: web.Request) -> web.StreamResponse:
        body = json.loads(await request.read())
        self.requests += 1
        self.bodies.append(body)
        try:
            seen = self._look(body)
        except RefusedError as error:
            return web.json_response({"error": {"message": str(error), "code": self.refusal}}, status=self.refusal)
        self.seen.append(seen)
        answer = self.answer if self.reply is None else self.reply(body)
        kept = len(seen.numbers)
        tokens = -(-kept // 2) * 70 if seen.kind == "video" else 0  # of 280×196 pixels: 10×7 for two frames
        return web.json_response(
            {
                "choices": [{"message": {"role": "assistant", "content": answer}, "finish_reason": "stop"}],
                "usage": {
                    "prompt_tokens": 100 + tokens,
                    "completion_tokens": 1,
                    "prompt_tokens_details": {"multimodal_tokens": {"video": tokens}} if tokens else None,
                },
            }
        )

    def _look(self, body: dict[str, Any]) -> Seen:
        parts = [
            part
            for message in body["messages"]
            for part in (message["content"] if isinstance(message["content"], list) else [])
            if part["type"] != "text"
        ]
        if not parts:
            return Seen("none", (), (), None, {}, body)
        if all(part["type"] == "image_url" for part in parts):
            numbers = tuple(code(decoded(part["image_url"]["url"].split(",", 1)[1])) for part in parts)
            return Seen("images", numbers, (), None, parts[0], body)
        if self.refuses_videos:
            raise RefusedError("At most 0 video(s) may be provided in one prompt.")
        if self.owner == "vllm":
            (part,) = parts
            return self._vllm(part, body)
        (part,) = parts
        return self._file(part, body)

    def _vllm(self, part: dict[str, Any], body: dict[str, Any]) -> Seen:
        header, data = part["video_url"]["url"].split(",", 1)
        if header != "data:video/jpeg;base64":
            return self._file(part, body)
        asked = body.get("media_io_kwargs", {}).get("video", {})
        if asked and not self.trusts:
            raise RefusedError(
                "Per-request media_io_kwargs are disabled by default because they can change multimodal media loading "
                "resource usage. Start the server with --trust-request-mm-kwargs only when clients are trusted."
            )
        usual = self.started_with if self.started_with is not None and "fps" not in asked else VLLM_DEFAULT
        kept = VLLM_DEFAULT if self.loses else asked.get("num_frames", usual)
        if kept == 0 or kept < -1:
            raise RefusedError("num_frames must be greater than 0 or equal to -1")
        frames = [decoded(one) for one in data.split(",")]
        indices = asked.get("frames_indices", list(range(len(frames))))
        if len(indices) != len(frames) or not all(type(one) is int for one in indices):
            raise RefusedError(f"frames_indices has {len(indices)} entries for {len(frames)} frames")
        if len({Image.open(io.BytesIO(one)).size for one in frames}) > 1:
            raise RefusedError("all input arrays must have the same shape")
        fps, total = asked.get("fps", 1), asked.get("total_num_frames", len(frames))
        if total < len(frames):
            raise RefusedError("total_num_frames is less than the frames")
        if asked.get("do_sample_frames"):
            raise RefusedError("these frames are sampled again")
        if kept > 0:
            frames, indices = frames[:kept], indices[:kept]
        times = tuple(index / fps for index in indices)
        return Seen("video", tuple(map(code, frames)), times, asked.get("duration", total / fps), part, body)

    def _file(self, part: dict[str, Any], body: dict[str, Any]) -> Seen:
        if self.owner == "llamacpp":
            if part["type"] != "input_video":
                raise RefusedError(f"unsupported content[].type {part['type']}")
            data = decoded(part["input_video"]["data"])
        else:
            if part["type"] != "video_url":
                raise RefusedError(f"unknown part {part['type']}")
            data = decoded(part["video_url"]["url"].split(",", 1)[1])
        return Seen("file", (len(data),), (), None, part, body)


def decoded(text: str) -> bytes:
    """Base64 as the servers read it: validated, so that a comma is an error."""
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise RefusedError(str(error)) from None


def code(jpeg: bytes) -> int:
    """The number in a picture."""
    with Image.open(io.BytesIO(jpeg)) as image:
        return read_code(image)


def frame_times(path: Path, numbers: tuple[int, ...]) -> list[float]:
    """When frames of a video are shown, from its first on, as PyAV decodes them one after the other."""
    import av

    with av.open(str(path)) as container:
        times = sorted(float(frame.time) for frame in container.decode(video=0) if frame.time is not None)
    return [times[number] - times[0] for number in numbers]
