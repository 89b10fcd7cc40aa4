"""Asking about pictures: going through pairs of views, and finding a question's views again."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from tolman.generate.draft import Draft, Rejected
from tolman.generate.families.mmsi_bench.support.settings import ViewSettings
from tolman.generate.families.mmsi_bench.support.views import Gallery, View, gallery
from tolman.generate.geometry import SceneGeometry
from tolman.items import Item

Ask = Callable[[Gallery, View, View], Iterator[Draft | Rejected]]


def drafts_of(geometry: SceneGeometry, settings: ViewSettings, task: str, ask: Ask) -> Iterator[Draft | Rejected]:
    """A family's questions about two pictures: some of each pair of overlapping views, up to the most of a scene."""
    shown = gallery(geometry, settings)
    if shown.lack_of_pairs:
        yield Rejected(task, geometry.scene.id, shown.lack_of_pairs)
        return
    made = 0
    for a, b in shown.pairs(task):
        of_pair = 0
        for found in ask(shown, a, b):
            yield found
            if isinstance(found, Draft):
                made, of_pair = made + 1, of_pair + 1
            if of_pair >= settings.of_pair or made >= settings.of_scene:
                break
        if made >= settings.of_scene:
            return


def pictures_of(geometry: SceneGeometry, settings: ViewSettings, item: Item) -> tuple[Gallery, tuple[View, ...]]:
    """The views that an item shows.

    Raises:
        ValueError: the item doesn't say which they are.
        KeyError: the scene has no such recording.
    """
    shots = item.evidence.get("shots")
    if not isinstance(shots, list) or not shots:
        raise ValueError("doesn't say which pictures it shows")
    shown = gallery(geometry, settings)
    return shown, tuple(shown.view(str(capture), int(frame)) for capture, frame, _ in shots)


def matched(pattern: re.Pattern[str], item: Item) -> re.Match[str]:
    """A question's parts.

    Raises:
        ValueError: it is none of the family's.
    """
    match = pattern.search(item.question)
    if match is None:
        raise ValueError("is no question of its type")
    return match
