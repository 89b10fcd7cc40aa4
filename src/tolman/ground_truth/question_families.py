"""Question families: their declaration, finding them by name, and the answers that they compute from a scene.

The taxonomies are VSI-Bench's question types (Table 3), MMSI-Bench's types (Table 1), SITE's categories (4.1) with its
three classification systems, and SpatialBench's levels and tasks (4.1). SITE's systems (section 3) are scale;
visualization or orientation; intrinsic or extrinsic and static or dynamic.

Published benchmarks hold former names of families: in the label `family` of their items, and in the settings of
`provenance.json`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict

from tolman.benchmarks.mmsi_bench.mmsi_rows import TASKS as MMSI_TYPES
from tolman.benchmarks.site.site_rows import CATEGORIES as SITE_CATEGORIES, SYSTEMS
from tolman.benchmarks.spatialbench.spatialbench_rows import LEVEL_OF
from tolman.errors import UsageError, hint, unknown
from tolman.ground_truth.scene_arrays import SceneGeometry
from tolman.items import Item
from tolman.plugins import loaded_plugins
from tolman.registry import Registry

VSI_TASKS = (
    "object_counting", "object_abs_distance", "object_size_estimation", "room_size_estimation", "object_rel_distance",
    "object_rel_direction", "obj_appearance_order", "route_planning",
)  # fmt: skip
"""VSI-Bench's eight question types; the directions' three difficulties are one."""
_ALLOWED: Mapping[str, tuple[str, ...]] = {
    "vsi": ("", *VSI_TASKS),
    "mmsi": ("", *MMSI_TYPES),
    "site": ("", *SITE_CATEGORIES),
    "spatialbench": ("", *LEVEL_OF),
    **{system: tuple(values) for system, values in SYSTEMS.items()},
}
"""The values of each field of a place."""


@dataclass(frozen=True, kw_only=True)
class TaxonomyPlace:
    """The place of one family.

    Attributes:
        vsi: VSI-Bench's question type, '' where none fits, as in the next three.
        mmsi: MMSI-Bench's type: 'Positional Relationship (Obj.–Obj.)'.
        site: SITE's category: 'spatial relationship reasoning'.
        spatialbench: SpatialBench's task; the level follows from it.
        factor: SITE's second system.
        information, change: SITE's third.
        scale: SITE's first; of a question about a street it is environmental (see `labels_of`).

    Raises:
        ValueError: a benchmark has no such place; the sentence lists those it has.
    """

    vsi: str = ""
    mmsi: str = ""
    site: str = ""
    spatialbench: str = ""
    factor: Literal["visualization", "orientation", "neither"]
    information: Literal["intrinsic", "extrinsic"] = "extrinsic"
    change: Literal["static", "dynamic"] = "static"
    scale: Literal["figural", "vista", "environmental"] = "vista"

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if value not in _ALLOWED[name]:
                known = [one for one in _ALLOWED[name] if one]
                raise ValueError(f"the taxonomy has no {name} '{value}'; {hint(value, known)}")


@dataclass(frozen=True)
class Recomputed:
    """The answer of a scene to a question that exists.

    Attributes:
        released: the answer by the released geometry, as printed; for a choice its text; None where not asked for.
        exact: the exact value, or the exact answer's text.
        margin: how far the exact answer is from another one (metres, degrees …), where that can be said.
        violations: the rules of the given settings that the question breaks.
        harmless: those of them that leave the answer safe: measuring or judging by eye leads to the same option, or
            number. Every other violation puts the answer in doubt.
        evidence: the numbers behind it.
        place: of the exact answer among the options, from 0, where these are pictures and their texts are alike.
    """

    released: str | None
    exact: float | str
    margin: float | None = None
    violations: tuple[str, ...] = ()
    evidence: Mapping[str, Any] = field(default_factory=dict)
    place: int | None = None
    harmless: tuple[str, ...] = ()


_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*/[a-z0-9]+(?:-[a-z0-9]+)*")


class FamilySettings(BaseModel):
    """Thresholds of a family: they don't change once made, and an unknown one is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


SettingsT = TypeVar("SettingsT", bound=FamilySettings)


@dataclass(frozen=True)
class Family(Generic[SettingsT]):
    """One kind of question.

    Attributes:
        name: the paper or project that it is from, and its own: 'vsi-bench/relative-distance'.
        title: of its documentation, in a few words.
        tasks: its question types.
        settings: its default thresholds; their class declares their names, which a preset may change.
        taxonomy: its place in the taxonomies of the four benchmarks.
        draft: (scene, settings) → questions (`generate.family.Draft`) and rejections.
        recompute: (scene, item, settings, released=…) → the scene's answer to a question of that type, by the released
            geometry too if requested. KeyError if the scene lacks an object, ValueError if the text is none of this
            family's.
        names: patterns whose groups are the categories that such a question names, or lists of them with commas.
        min_shown: share of a picture that a thing takes up in some frame of the video, if it is to be asked about,
            where that is more than `ground_truth.scene_arrays.SEEN` pixels.
        scale_free: whether its questions and answers hold for a scene of unknown scale, too: angles, orders, counts and
            comparisons of lengths in one scene.

    Raises:
        ValueError: the name is none, there is no question type, or the settings are a class and not an instance.
    """

    name: str
    title: str
    tasks: tuple[str, ...]
    settings: SettingsT
    taxonomy: TaxonomyPlace
    draft: Callable[[SceneGeometry, SettingsT], Iterator[Any]]
    recompute: Callable[..., Recomputed]
    names: tuple[re.Pattern[str], ...] = ()
    min_shown: float = 0.0
    scale_free: bool = False

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ValueError(f"'{self.name}' is no name of a family; write lower-case words as in 'my/object-height'")
        if not self.tasks or isinstance(self.tasks, str):
            raise ValueError(f"the family '{self.name}' needs a tuple of question types in 'tasks'")
        if not isinstance(self.settings, FamilySettings):
            raise ValueError(f"the family '{self.name}' needs an instance of a FamilySettings class in 'settings'")


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


_LOCATION = re.compile(r" (?:is |are )?(?:on|to|at|in) (?:your|the) (?:left|right|front|back)\b.*| and\b.*", re.DOTALL)
"""The words after a landmark in routes written by people: "the trash bin is on your right", "the bathtub and turn"."""


def categories_in(item: Item) -> tuple[str, ...]:
    """The categories that a question names, each once, in the order of their first mention.

    Empty where no family knows the question, or where it names none, as the question for a room's size.
    """
    known = family_of(item)
    if known is None:
        return ()
    found: dict[str, str] = {}
    for pattern in known.names:
        for match in pattern.finditer(item.question):
            for group in filter(None, match.groups()):  # a part that may be left out names nothing
                for name in _LOCATION.sub("", group).split(", "):
                    found.setdefault(name.casefold(), name)
    return tuple(found.values())


NO_SCALE = "the scene's scale is unknown"


def recompute(
    geometry: SceneGeometry, item: Item, settings: Mapping[str, FamilySettings] | None = None, *, released: bool = True
) -> Recomputed:
    """Answer a question from its scene.

    Args:
        geometry: the scene.
        item: the question.
        settings: by family, thresholds that differ from its own.
        released: whether the answer by the released geometry is wanted too.

    Raises:
        ValueError: no family knows the question, or it asks for metres in a scene of unknown scale.
        KeyError: the scene lacks one of its objects.
    """
    known = family_of(item)
    if known is None:
        label = item.labels.get("family", "")
        if label:
            raise ValueError(f"the family '{label}' is not there: give the file that declares it with --plugin")
        raise ValueError(f"no family answers '{item.task}'")
    if not geometry.scene.metric and not known.scale_free:
        raise ValueError(NO_SCALE)
    return known.recompute(geometry, item, (settings or {}).get(known.name, known.settings), released=released)
