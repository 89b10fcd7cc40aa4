"""Videos of one endpoint of OpenAI's chat completions: which server answers there, and what it is sent."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import aiohttp

from tolman.models import endpoint
from tolman.models.base import CallError, ModelOptions, Request
from tolman.models.video_parts import (
    MAYBE_NO_VIDEOS,
    OPENAI,
    RequestVideos,
    holds_videos,
    server_of_address,
    server_of_list,
)

LOOK_SECONDS = 10.0
"""The longest that the list of models is waited for."""
REFUSALS = (400, 415, 422, 500)
"""What servers answer that take no videos; vLLM up to 0.12 breaks at some."""


TRUST = "--trust-request-mm-kwargs"
"""Option without which vLLM (0.32, run) takes no frames with their times, and says so."""


class EndpointVideos:
    """What an endpoint is to be sent of videos.

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
        """Settings of the model with what whole files are sent with: fields of requests, as those of `body` are."""
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
        error.message += f" ({MAYBE_NO_VIDEOS})"
        error.args = (error.message,)
        return error
