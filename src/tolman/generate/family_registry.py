"""Question families by name: Tolman's own, those of plugins and of other packages, and their former names.

Published benchmarks hold names of earlier versions: in the label `family` of their items, and in the settings of
`provenance.json`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from tolman.errors import UsageError, unknown
from tolman.generate.family import Family
from tolman.items import Item
from tolman.plugins import loaded_plugins
from tolman.registry import Registry

_VSI = (
    "counting", "absolute-distance", "object-size", "room-size", "relative-distance", "relative-direction",
    "appearance-order", "route-plan",
)  # fmt: skip
_MMSI = (
    "camera-camera", "camera-object", "camera-region", "object-object", "object-region", "region-region", "measurement",
    "appearance-from-above", "camera-motion", "object-motion", "multi-step",
)  # fmt: skip
_SITE = ("associate-exo-to-ego", "associate-ego-to-exo", "reorder-ego-to-exo", "reorder-exo-to-ego")
_REWORDED = (
    "object-counting", "object-size", "room-size", "absolute-distance", "appearance-order", "relative-distance",
    "relative-direction",
)  # fmt: skip
_SPATIALBENCH = (
    *_REWORDED, "relative-counting", "order-on-route", "multi-hop", "affordance", "landmark-pose", "causal", "commands",
    "route-gaps",
)  # fmt: skip


def _of(paper: str, names: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"{paper}/{name}" for name in names)


VSI = _of("vsi-bench", _VSI)
"""VSI-Bench's families, in the order in which they draft; so are the next three."""
MMSI = _of("mmsi-bench", _MMSI)
"""MMSI-Bench's."""
SITE = _of("site", _SITE)
"""Those that SITE adds."""
REWORDED = _of("spatialbench", _REWORDED)
"""VSI-Bench's in SpatialBench's words."""
SPATIALBENCH = _of("spatialbench", _SPATIALBENCH)
"""SpatialBench's: those, and the ones that it adds."""
OF_PAPERS = (*VSI, *MMSI, *SITE, *SPATIALBENCH)
"""The families of the four papers."""
POSED_VIDEO = _of("posed-video", ("displacement", "speed", "motion-direction", "frame-order", "next-view"))
"""Those that need camera poses and nothing else."""

_ANEW = ("counting", "distance", "size", "room", "relative_distance", "direction", "appearance", "route")
"""Former names of VSI-Bench's families, in their order."""
FORMER_NAMES: dict[str, str] = {
    **dict(zip(_ANEW, VSI, strict=True)),
    **dict(zip((*_MMSI, *_SITE, *_SPATIALBENCH), (*MMSI, *SITE, *SPATIALBENCH), strict=True)),
}
"""Former name → the name now. `relative-distance` was SpatialBench's, `relative_distance` VSI-Bench's."""

FORMER_SETTINGS: dict[str, tuple[str, ...]] = {
    "counting": ("vsi-bench/counting", "spatialbench/object-counting"),
    "distance": ("vsi-bench/absolute-distance", "spatialbench/absolute-distance"),
    "size": ("vsi-bench/object-size", "spatialbench/object-size"),
    "room": ("vsi-bench/room-size", "spatialbench/room-size"),
    "relative_distance": ("vsi-bench/relative-distance", "spatialbench/relative-distance"),
    "direction": ("vsi-bench/relative-direction", "spatialbench/relative-direction"),
    "appearance": ("vsi-bench/appearance-order", "spatialbench/appearance-order"),
    "route": ("vsi-bench/route-plan",),
    "views": MMSI,
    "association": SITE[:2],
    "reordering": SITE[2:],
    "relative_counting": ("spatialbench/relative-counting",),
    "passing": ("spatialbench/order-on-route",),
    "multi_hop": ("spatialbench/multi-hop",),
    "affordance": ("spatialbench/affordance",),
    "pose": ("spatialbench/landmark-pose",),
    "causal": ("spatialbench/causal",),
    "commands": ("spatialbench/commands",),
    "fill_in": ("spatialbench/route-gaps",),
}
"""Former part of a preset → the families whose thresholds it held."""


def current_name(name: str) -> str:
    """The name that a family has now; a name that is none of a former family stays as it is."""
    return FORMER_NAMES.get(name, name)


WHAT = "question family"
_PLUGIN = "one that a file given with --plugin declares"


def _wrong(thing: object) -> str:
    return "" if isinstance(thing, Family) else "is no tolman.generate.family.Family"


REGISTRY = Registry(
    WHAT,
    "tolman.generate.families",
    "FAMILY",
    "tolman.families",
    plural="FAMILIES",
    named_by_file=False,
    check=_wrong,
)


def families() -> Mapping[str, Family[Any]]:
    """All families by name: those of the papers in their order, then the others in alphabetical order."""
    return _families(tuple(loaded_plugins()))


@lru_cache(maxsize=4)
def _families(plugins: tuple[Path, ...]) -> Mapping[str, Family[Any]]:
    """The same; kept for each set of plugins, for looking up entry points takes a millisecond for each item."""
    found: dict[str, Family[Any]] = REGISTRY.all()
    others = sorted(name for name in found if name not in OF_PAPERS)
    return {name: found[name] for name in (*OF_PAPERS, *others)}


def forget_families() -> None:
    """Look entry points up again when families are requested next."""
    _families.cache_clear()


def family(name: str) -> Family[Any]:
    """The family of that name, or of that former name.

    Raises:
        UsageError: there is none, and the sentence lists those there are.
    """
    found = families().get(current_name(name))
    if found is None:
        raise unknown(WHAT, name, families(), other=_PLUGIN)
    return found


def resolve(written: str, preferred: Sequence[str] = ()) -> str:
    """Return the name of the family that is meant.

    A full name means itself. The part after the slash is enough if one family alone has it, among the preferred ones or
    else among all. A former name keeps its meaning.

    Args:
        written: by the user: 'vsi-bench/relative-distance', 'relative-distance' or the former 'relative_distance'.
        preferred: names that are looked at first, such as those of a preset.

    Raises:
        UsageError: there is no such family, or several share the part; the sentence names them.
    """
    known = families()
    if written in known:
        return written
    former = FORMER_NAMES.get(written, "")
    for names in (preferred, known):
        sharing = [name for name in names if name.rpartition("/")[2] == written]
        if len(sharing) == 1:
            return sharing[0]
        if former in names:
            return former
        if sharing:
            raise UsageError(f"several question families are called '{written}': write {' or '.join(sharing)}.")
    raise unknown(WHAT, written, known, other=_PLUGIN)


def family_of(item: Item) -> Family[Any] | None:
    """The family that asked a question: by the item's label, or else the first that has its question type; None where
    none knows it.
    """
    labelled = families().get(current_name(item.labels.get("family", "")))
    if labelled is not None:
        return labelled
    return next((one for one in families().values() if item.task in one.tasks), None)
