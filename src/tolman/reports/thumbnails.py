"""Small pictures of the questions' media, for a page that is one file."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tolman.errors import InputError, MissingExtraError
from tolman.items import Item, Media
from tolman.media.sampling import Frames
from tolman.media.store import FrameStore, default_root
from tolman.media.video import BrokenMediaError
from tolman.reports.loaded import LoadedRun
from tolman.reports.site.at_hand import media_folder
from tolman.reports.site.pictures import is_inside, key_of, media_of

MOST_ITEMS = 400
"""Items of a page with pictures: a larger one would be too large to open."""
SMALL = Frames(count=4, rounding="middle", quality=60, longest_side=176)
"""Four frames of a video, or a picture, as they stand in the page."""


@dataclass(frozen=True)
class Thumbnails:
    """Pictures of a page.

    Attributes:
        pictures: for each medium its pictures as data URIs; none where it can't be read.
        of_item: item's id → numbers of its media.
    """

    pictures: Sequence[Sequence[str]] = ()
    of_item: Mapping[str, Sequence[int]] = field(default_factory=dict)


def thumbnails(runs: Sequence[LoadedRun], given: Path | None = None, frame_store: Path | None = None) -> Thumbnails:
    """Pictures for the page of some runs; none where the runs have too many items or their media aren't at hand.

    Args:
        runs: of one question set.
        given: folder of the media, where it isn't the runs' own.
        frame_store: other than the user's own.
    """
    items: dict[str, Item] = {}
    for run in runs:
        for part in run.folder.item_slices():
            items.update({item.id: item for item in part if item.id not in items})
            if len(items) > MOST_ITEMS:
                return Thumbnails()
    data = media_folder(runs, given)
    if isinstance(data, str):
        return Thumbnails()
    media = media_of(list(items.values()))
    store = FrameStore(frame_store or default_root())
    known = {key_of(medium): medium for item in items.values() for medium in item.media}
    return Thumbnails(
        [_small(store, data, known[key]) for key in media],
        {identity: [media[key_of(medium)] for medium in item.media] for identity, item in items.items()},
    )


def _small(store: FrameStore, data: Path, medium: Media) -> list[str]:
    if not is_inside(medium.path):
        return []
    try:
        pictures = store.pictures(data, medium, SMALL)
    except (BrokenMediaError, InputError, MissingExtraError, OSError):
        return []
    return [f"data:image/jpeg;base64,{base64.b64encode(Path(one.path).read_bytes()).decode()}" for one in pictures]
