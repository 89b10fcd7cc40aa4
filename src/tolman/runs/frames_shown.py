"""Whether the frames that a run shows carry the answers that it asks for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tolman import models, protocols
from tolman.errors import UsageError
from tolman.items import Item
from tolman.media.needed import count_answerable
from tolman.media.sampling import Frames
from tolman.runs.folder import RunRecord, is_blind

_MAP = "true-map"
"""The protocol whose messages say where everything is, whatever the frames show."""


def frames_shown(record: RunRecord) -> Frames | None:
    """How a run samples videos.

    Returns:
        None where nothing is known to be sampled: blind baselines look at no frame, a blind protocol shows none, an
        endpoint that gets whole videos takes frames of its own choice, other programs' responses came from theirs.
    """
    settings = record.settings
    if settings.frames.whole or _MAP in settings.protocol.split("+"):
        return None
    family = settings.model.partition("/")[0]
    is_own = family in models.families() and "imported" not in settings.model_settings
    if not is_own or is_blind(settings.model):
        return None
    try:
        shows_media = protocols.get(settings.protocol).shows_media
    except UsageError:  # another package's protocol, which isn't installed any more
        return None
    return settings.frames if shows_media else None


def count_frames_shown(record: RunRecord, items: Sequence[Item]) -> dict[str, Any] | None:
    """How many items can be answered from the frames that the run shows, can't be, or don't say.

    Returns:
        The counts with the sampling in words; None where nothing is known to be sampled (`frames_shown`), or no item
        has a video.
    """
    sampling = frames_shown(record)
    if sampling is None:
        return None
    found = count_answerable(items, sampling).model_dump()
    return {"sampling": sampling.describe(), **found} if any(found.values()) else None
