"""Videos in requests of OpenAI's chat completions: which server answers, and the form in which it takes them.

| server | sampled frames with their times | a whole file, which it samples |
|---|---|---|
| vLLM | frames as `data:video/jpeg`, times in `media_io_kwargs` | `video_url` |
| DashScope | a list of frames and how many of them are a second | `video_url` with `fps` |
| `transformers serve` | a list of frames, times in `chat_template_kwargs` | `video_url` with a path on its disk |
| SGLang | none: a part holds one address | `video_url` with `fps`, `max_frames` … |
| llama.cpp | none: it samples a file by itself | `input_video` |

Sources: vLLM 0.33 (multimodal/media/video.py, multimodal/video.py), SGLang 0.5.23 (entrypoints/openai/protocol.py),
llama.cpp (tools/server/README.md), transformers 5.24 (cli/serving/utils.py passes the list on,
video_processing_utils.py reads it). DashScope's list of frames is not verified.
"""

from __future__ import annotations

import base64
import json
import mimetypes
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import aiohttp

from tolman.messages import Clip, Message, Video
from tolman.models import endpoint
from tolman.models.dialects import overlaid
from tolman.models.endpoint import jpeg_base64
from tolman.models.identity import entries_of
from tolman.models.model import CallError, ModelOptions, Request, refused
from tolman.responses import FailureKind

VLLM, SGLANG, LLAMA_CPP, DASHSCOPE, OPENAI = "vllm", "sglang", "llama.cpp", "dashscope", "openai"
TRANSFORMERS = "transformers"
_TITLES = {
    VLLM: "vLLM",
    SGLANG: "SGLang",
    LLAMA_CPP: "llama.cpp",
    DASHSCOPE: "DashScope",
    OPENAI: "OpenAI's API",
    TRANSFORMERS: "'transformers serve'",
}
_OWNERS = {"vllm": VLLM, "sglang": SGLANG, "llamacpp": LLAMA_CPP, "llama.cpp": LLAMA_CPP}
"""What `owned_by` in a server's list of models says of the server."""
AS_IMAGES = "show its frames as separate pictures with --as images"
SOUND = f"transformers 5.6 to 5.24 reads videos' sound, and frames have none; see docs/videos.md, or {AS_IMAGES}"
MAYBE_NO_VIDEOS = f"the request shows a video; if the server takes none, {AS_IMAGES}"


@dataclass(frozen=True)
class VideoPart:
    """A video in a request.

    Attributes:
        part: of the message.
        options: fields that the request carries besides its messages.
        metadata: its entry in the request's list of them, where there is one (`transformers serve`).
    """

    part: dict[str, Any]
    options: dict[str, Any] = field(default_factory=dict)
    metadata: dict[str, Any] | None = None


def server_of_address(url: str) -> str | None:
    """The server that an address names by itself: a provider's own."""
    host = (urlsplit(url).hostname or "").casefold()
    if host == "api.openai.com":
        return OPENAI
    return DASHSCOPE if host.startswith("dashscope") and host.endswith(".aliyuncs.com") else None


def server_of_list(listed: object, model: str) -> str | None:
    """The server that a list of models (`GET /v1/models`) comes from, as its entries say who owns them.

    Args:
        listed: the body.
        model: whose entry counts, where the list has it.
    """
    found = sorted(entries_of(listed), key=lambda entry: entry.get("id") != model)
    if not found:
        return None
    # `transformers serve` names the owner of the weights, and alone says so little of their state.
    served = TRANSFORMERS if found[0].get("status") in ({"value": "loaded"}, {"value": "unloaded"}) else None
    return _OWNERS.get(str(found[0].get("owned_by")).casefold(), served)


def holds_videos(messages: Iterable[Message]) -> bool:
    """Check whether a conversation shows a clip or a video."""
    return any(isinstance(part, Clip | Video) for message in messages for part in message.parts)


class RequestVideos:
    """The videos of one request, with the fields that they need besides its messages.

    Args:
        server: which one answers; None where that isn't known.
        url: its address, for sentences.
        whole: how servers are given whole files, by server (`Recipe.whole_files`).
    """

    def __init__(self, server: str | None, url: str, whole: Mapping[str, Any] | None = None) -> None:
        self._server, self._url, self._whole = server, url, whole or {}
        self._options: dict[str, Any] = {}
        self._metadata: list[dict[str, Any]] = []

    def write(self, part: Clip | Video) -> dict[str, Any]:
        """Return the part of a message.

        Raises:
            CallError: the server takes no such thing, or the request's videos need different fields, while a server has
                one set for them all.
            OSError: a file can't be read.
        """
        found = video_part(part, self._server, self._url, self._whole)
        if self._options and found.options != self._options:
            sentence = f"the question shows videos whose times differ, and one request holds one set; {AS_IMAGES}"
            raise CallError(FailureKind.MEDIA, sentence, retry=False)
        self._options = found.options
        if found.metadata is not None:
            self._metadata.append(found.metadata)
        return found.part

    def within(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Fields of the request with those of its videos in them."""
        listed = {"chat_template_kwargs": {"video_metadata": self._metadata}} if self._metadata else {}
        return overlaid(fields, overlaid(listed, self._options))


def video_part(part: Clip | Video, server: str | None, url: str, whole: Mapping[str, Any] | None = None) -> VideoPart:
    """Return a clip or a whole video as a server takes it. Reads the files.

    Args:
        part: that is shown.
        server: which one answers; None where that isn't known.
        url: its address, for sentences.
        whole: how servers are given whole files, by server (`Recipe.whole_files`).

    Raises:
        CallError: the server takes no such thing.
        OSError: a file can't be read.
    """
    if server not in _TITLES:
        sentence = (
            f"{url} doesn't say which server it is, so it isn't known how it takes videos; {AS_IMAGES}, or name it "
            "with --server, such as --server vllm"
        )
        raise refused(sentence)
    if isinstance(part, Clip):
        return _clip(part, server, url)
    if part.start is not None or part.end is not None:
        raise refused(f"{_TITLES[server]} at {url} can't be shown a part of a video's file; {AS_IMAGES}")
    return _file(part, server, url, (whole or {}).get(server, {}))


def _clip(clip: Clip, server: str, url: str) -> VideoPart:
    if server == VLLM:
        frames = ",".join(jpeg_base64(frame) for frame in clip.frames)
        address = {"url": f"data:video/jpeg;base64,{frames}"}
        return VideoPart({"type": "video_url", "video_url": address}, {"media_io_kwargs": {"video": _times(clip)}})
    listed = [f"data:image/jpeg;base64,{jpeg_base64(frame)}" for frame in clip.frames]
    if server == DASHSCOPE:
        return VideoPart({"type": "video", "video": listed, "fps": round(_rate(clip), 4)})
    if server == TRANSFORMERS:
        times = {key: value for key, value in _times(clip).items() if key not in ("num_frames", "do_sample_frames")}
        as_they_are = {"chat_template_kwargs": {"do_sample_frames": False}}
        return VideoPart({"type": "video_url", "video_url": {"url": listed}}, as_they_are, times)
    also = ", or give it whole files with --as file" if server != OPENAI else ""
    raise refused(f"{_TITLES[server]} at {url} takes no sampled frames as a video; {AS_IMAGES}{also}")


def _times(clip: Clip) -> dict[str, Any]:
    """vLLM's account of frames that were sampled elsewhere.

    All of it is sent: without `num_frames` only the first 32 frames are kept, also where the server was started with
    another number; without the others a frame a second is assumed.
    """
    return {
        "num_frames": -1,
        "fps": clip.fps,
        "frames_indices": list(clip.ticks),
        "total_num_frames": clip.total,
        "duration": clip.duration,
        "do_sample_frames": False,
    }


def _rate(clip: Clip) -> float:
    """Sampled frames a second."""
    if len(clip.ticks) < 2 or clip.ticks[-1] == clip.ticks[0]:
        return len(clip.ticks) / clip.duration
    return (len(clip.ticks) - 1) * clip.fps / (clip.ticks[-1] - clip.ticks[0])


def _file(video: Video, server: str, url: str, sent: Mapping[str, Any]) -> VideoPart:
    options, beside = dict(sent.get("options", {})), dict(sent.get("part", {}))
    if server == TRANSFORMERS:  # its default is 32 frames, whatever the model
        place = {"url": str(Path(video.path).resolve(strict=True)), **beside}
        return VideoPart({"type": "video_url", "video_url": place}, options)
    data = base64.b64encode(Path(video.path).read_bytes()).decode("ascii")
    address = f"data:{mimetypes.guess_type(video.path)[0] or 'video/mp4'};base64,{data}"
    if server in (VLLM, SGLANG):  # SGLang's fields stand beside the address, vLLM's in the request
        return VideoPart({"type": "video_url", "video_url": {"url": address, **beside}}, options)
    if server == DASHSCOPE:
        return VideoPart({"type": "video_url", "video_url": {"url": address}, **beside}, options)
    if server == LLAMA_CPP:
        return VideoPart({"type": "input_video", "input_video": {"data": data, **beside}}, options)
    raise refused(f"{_TITLES[server]} at {url} takes no videos; {AS_IMAGES}")


LOOK_SECONDS = 10.0
"""The longest that the list of models is waited for."""
REFUSALS = (400, 415, 422, 500)
"""What servers answer that take no videos; vLLM up to 0.12 breaks at some."""


TRUST = "--trust-request-mm-kwargs"
"""Option without which vLLM (0.32, run) takes no frames with their times, and says so."""


class EndpointVideos:
    """Forms of videos for an endpoint.

    Args:
        url: of the endpoint.
        model: as the endpoint knows it.
        options: of the model.

    Attributes:
        takes_clips, takes_files: whether it may take sampled frames as one video, and whole files. Only OpenAI's own
            address is known to take neither before it is asked.
    """

    def __init__(self, url: str, model: str, options: ModelOptions) -> None:
        self._url, self._model, self._whole = url, model, options.whole_videos
        self._server = options.server or server_of_address(url)
        self.takes_clips = self._server != OPENAI
        self.takes_files = self.takes_clips and self._whole is not None

    def within(self, settings: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the model's settings with the request fields of whole files added to `body`."""
        if not self._whole:
            return settings
        return {**settings, "body": {**settings.get("body", {}), "whole_videos": self._whole}}

    async def find_server(self, request: Request, session: aiohttp.ClientSession) -> None:
        """Find out which server answers, where that is to be known and isn't: from its list of models.

        Raises:
            CallError: it doesn't answer, or not yet.
        """
        if self._server is not None or not holds_videos(request.messages):
            return
        try:
            async with session.get(f"{self._url}/models", timeout=aiohttp.ClientTimeout(LOOK_SECONDS)) as reply:
                content = await reply.read()
        except TimeoutError:
            raise endpoint.timed_out(self._url, LOOK_SECONDS) from None
        except aiohttp.ClientError as error:
            raise endpoint.unreachable(self._url, error) from None
        if reply.status in endpoint.OVERLOADED:
            raise endpoint.refusal(self._url, reply.status, content, after=None)
        try:
            self._server = server_of_list(json.loads(content), self._model)
        except (ValueError, RecursionError):
            return

    def of_request(self) -> RequestVideos:
        """Writes the videos of one request."""
        return RequestVideos(self._server, self._url, self._whole)

    def told(self, error: CallError, request: Request, status: int) -> CallError:
        """A refusal, with the option that shows no videos where the request showed one."""
        if status not in REFUSALS or not holds_videos(request.messages) or TRUST in error.message:
            return error  # vLLM's own words say what to do
        error.message += f" ({SOUND if self._server == TRANSFORMERS else MAYBE_NO_VIDEOS})"
        error.args = (error.message,)
        return error
