"""A look at an endpoint, to find out which dialect it speaks; it never fails a run."""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import Any

import aiohttp

from tolman.models.dialects import PAGES, PLAIN, Dialect, by_host, by_listing

LOOK_SECONDS = 3.0
"""The longest that a page is waited for."""


async def find_dialect(session: aiohttp.ClientSession, url: str) -> Dialect:
    """The dialect of an endpoint: by its host, its list of models, or a page that only one kind of server has.

    Args:
        session: for requests to it.
        url: its address, which mostly ends in /v1.

    Returns:
        The dialect; `PLAIN` where nothing tells it.
    """
    known = by_host(url)
    if known is not None:
        return known
    listing, headers = await _page(session, f"{url}/models")
    told = by_listing(listing, headers)
    if told is not None:
        return told
    root = url.removesuffix("/v1")
    pages = await asyncio.gather(*(_page(session, root + path) for path, _, _ in PAGES))
    for (_, key, dialect), (content, _) in zip(PAGES, pages, strict=True):
        if isinstance(content, dict) and key in content:
            return dialect
    return PLAIN


async def _page(session: aiohttp.ClientSession, url: str) -> tuple[Any, dict[str, str]]:
    """A page's JSON with its headers; None where there is no such page."""
    limit = aiohttp.ClientTimeout(total=LOOK_SECONDS)
    with contextlib.suppress(aiohttp.ClientError, TimeoutError, ValueError, RecursionError, OSError):
        async with session.get(url, timeout=limit) as reply:
            content = await reply.read()
            return json.loads(content) if reply.status == 200 else None, dict(reply.headers)
    return None, {}
