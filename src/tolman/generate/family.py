"""Question families: how one is declared, and its place in the taxonomies of the four benchmarks.

A module of `generate/families/`, a plugin (`--plugin my_family.py`) or another package's entry point declares a family
as `FAMILY`, or several in the tuple `FAMILIES`. A plugin needs nothing else. A family of Tolman's own also needs a row
in `families/taxonomy.csv`, and its name in `generate.family_registry` and in a preset of `generate.presets`. A new
preset stands in the help of `--preset` (`features.generate.config`). `test_families.py` and `test_reasons.py` list all.

The taxonomies are VSI-Bench's question types (Table 3), MMSI-Bench's types (Table 1), SITE's categories (4.1) with its
three classification systems, and SpatialBench's levels and tasks (4.1). SITE's systems (section 3) are scale;
visualization or orientation; intrinsic or extrinsic and static or dynamic. The places of Tolman's own families are the
rows of `families/taxonomy.csv`. If a benchmark lacks a family, it gets the place that its questions would have there,
or none.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict

from tolman.benchmarks.mmsi_bench.mmsi_rows import TASKS as MMSI_TYPES
from tolman.benchmarks.site.site_rows import CATEGORIES as SITE_CATEGORIES
from tolman.benchmarks.site.site_rows import SYSTEMS
from tolman.benchmarks.spatialbench.spatialbench_rows import LEVEL_OF
from tolman.errors import hint
from tolman.generate.draft import Draft, Recomputed, Rejected
from tolman.generate.scene_geometry import SceneGeometry
from tolman.items import Item

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


@cache
def _own_places() -> dict[str, TaxonomyPlace]:
    text = files("tolman.generate").joinpath("families/taxonomy.csv").read_text(encoding="utf-8")
    found = {}
    for row in csv.DictReader(text.splitlines()):
        values: dict[str, Any] = {key: value for key, value in row.items() if value}
        name = values.pop("family")
        found[name] = TaxonomyPlace(**values)
    return found


def place_of(name: str) -> TaxonomyPlace:
    """Return the place of one of Tolman's own families, by its row in `families/taxonomy.csv`."""
    return _own_places()[name]


def labels_of(name: str, place: TaxonomyPlace, *, outdoors: bool, own: Mapping[str, str]) -> dict[str, str]:
    """The labels of a family's question.

    Args:
        name: of the family.
        place: in the taxonomies.
        outdoors: whether its scene is no room: its scale is then environmental. `scene_type` says it as SpatialBench's
            rows do.
        own: the labels that differ in this question.
    """
    found = asdict(place)
    if outdoors and place.scale == "vista":
        found["scale"] = "environmental"
    task = found.pop("spatialbench")
    return {
        "family": name,
        "vsi_task": found.pop("vsi"),
        "mmsi_type": found.pop("mmsi"),
        "site_category": found.pop("site"),
        "spatialbench_task": task,
        "spatialbench_level": LEVEL_OF.get(task, ""),
        "scene_type": "outdoor" if outdoors else "indoor",
        **found,
        **own,
    }


_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*/[a-z0-9]+(?:-[a-z0-9]+)*")


class FamilySettings(BaseModel):
    """Thresholds of a family: they don't change once made, and an unknown one is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


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
        draft: (scene, settings) → questions and rejections.
        recompute: (scene, item, settings, released=…) → the scene's answer to a question of that type, by the released
            geometry too if requested. KeyError if the scene lacks an object, ValueError if the text is none of this
            family's.
        names: patterns whose groups are the categories that such a question names, or lists of them with commas.
        min_shown: share of a picture that a thing takes up in some frame of the video, if it is to be asked about,
            where that is more than `generate.scene_geometry.SEEN` pixels.
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
    draft: Callable[[SceneGeometry, SettingsT], Iterator[Draft | Rejected]]
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


def matched(pattern: re.Pattern[str], item: Item, wrong: str = "is no question of its type") -> re.Match[str]:
    """The parts of a question's text.

    Raises:
        ValueError: the pattern isn't in it, with the text `wrong`.
    """
    match = pattern.search(item.question)
    if match is None:
        raise ValueError(wrong)
    return match
