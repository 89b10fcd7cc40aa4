"""The generation presets: which families ask, under which thresholds, and how many questions are taken.

`vsi-official` reproduces the rules behind the released questions, their defects included; `vsi-paper` follows the paper
(section 3 and Appendix B.1), on exact geometry. `mmsi`, `site` and `spatialbench` make the families of the other three
papers, `posed-video` needs camera poses alone, and `all` has every family, those of plugins too. A family's thresholds
and their defaults are in its own file; a preset holds those that differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, SerializeAsAny, ValidationError, field_validator, model_validator

from tolman.errors import UsageError, unknown
from tolman.generate.families.site.association import AssociationSettings
from tolman.generate.families.site.reordering import ReorderingSettings
from tolman.generate.families.spatialbench.affordance import AffordanceSettings
from tolman.generate.families.vsi_bench.appearance_order import AppearanceSettings
from tolman.generate.families.vsi_bench.numerical import DistanceSettings, RoomSettings, SizeSettings
from tolman.generate.families.vsi_bench.relative_direction import DirectionSettings
from tolman.generate.families.vsi_bench.relative_distance import RelativeDistanceSettings
from tolman.generate.family import Draft, Family, FamilySettings, Rejected, labels_of
from tolman.ground_truth.question_families import (
    FORMER_SETTINGS,
    MMSI,
    NO_SCALE,
    OF_PAPERS,
    POSED_VIDEO,
    REWORDED,
    SITE,
    SPATIALBENCH,
    VSI,
    current_name,
    families,
    family,
    resolve,
)
from tolman.ground_truth.scene_arrays import SceneGeometry

SettingsT = TypeVar("SettingsT", bound=FamilySettings)


class ShareSettings(BaseModel):
    """Limits on the questions that a benchmark takes.

    Attributes:
        per_scene: the most of a question type from one scene.
        per_task: the most of a question type; None for all.
        most_common: the largest share of a question type that one answer may have.
        max_filter_rounds: rounds of shortcut filtering at most: learners that don't see the scene answer. Questions are
            left out until these learners are right as often as by chance, or near a number no more than a constant. 0
            filters nothing.
        most_taught: questions of a type that a learner of filtering is taught at most; None for all. Its features hold
            statistics of all questions: with 1,000, outsiders find about as little in the rest as with all, in a
            fraction of the time.
        quick_filter: whether shortcut filtering teaches less (`shortcut_filtering.BRIEF`). Outsiders find about as
            little in the rest, in less than half of the time.
        rings: whether questions come in rings: scenes that answer the same question differently (`generate.rings`), so
            that no text reveals its answer. Then filtering concerns only the cues of single parts of the media.
        offered: the most of a question type from one scene that rings are formed of, for types without cues of single
            parts of the media; None for all.
        fewest: question types with fewer questions are left out, where there are places enough.
        most_of_place: the largest share of all questions that one place may have, its twins included, where there are
            places enough.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    per_scene: int = 15
    per_task: int | None = None
    most_common: float = 0.25
    max_filter_rounds: int = 0
    most_taught: int | None = None
    quick_filter: bool = False
    rings: bool = False
    offered: int | None = None
    fewest: int = 0
    most_of_place: float = 1.0

    @model_validator(mode="before")
    @classmethod
    def _former(cls, told: Any) -> Any:
        """Settings that an earlier version wrote."""
        if isinstance(told, Mapping) and "turns" in told:
            return {"max_filter_rounds" if key == "turns" else key: value for key, value in told.items()}
        return told


class GenerationPreset(BaseModel):
    """Families that ask, and their thresholds. A preset that an earlier version wrote is read as well.

    Attributes:
        name: the value of `--preset`.
        families: names of those that ask, in this order.
        settings: by family, thresholds that differ from its own.
        scoring_profile: the benchmark whose prompts, parsers and table the questions get; None where they are of
            several.
        labels: whether items carry their family's name and its place in all four taxonomies.
        share: how many questions are taken.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    families: tuple[str, ...] = VSI
    settings: Mapping[str, SerializeAsAny[FamilySettings]] = Field(default_factory=dict)
    scoring_profile: str | None = "vsi-bench"
    labels: bool = False
    share: ShareSettings = ShareSettings()

    @model_validator(mode="before")
    @classmethod
    def _former(cls, told: Any) -> Any:
        """A preset that an earlier version wrote: other names of families, one part for several of them."""
        if not isinstance(told, Mapping):
            return told
        found = {key: value for key, value in told.items() if key not in FORMER_SETTINGS and key != "like"}
        if "like" in told:
            found["scoring_profile"] = told["like"]
        if "families" in told:
            found["families"] = tuple(current_name(name) for name in told["families"])
        settings = {current_name(name): value for name, value in dict(told.get("settings") or {}).items()}
        for part in FORMER_SETTINGS.keys() & told.keys():
            for name in FORMER_SETTINGS[part]:
                if name in found.get("families", VSI):
                    settings[name] = told[part]
        return found | {"settings": settings}

    @field_validator("settings", mode="before")
    @classmethod
    def _of_their_families(cls, told: Mapping[str, Any]) -> dict[str, Any]:
        found = {}
        for name, value in told.items():
            if isinstance(value, FamilySettings):
                found[name] = value
                continue
            try:
                found[name] = type(family(name).settings).model_validate(value)
            except UsageError as error:
                raise ValueError(str(error)) from None
        return found

    def settings_for(self, asked: Family[SettingsT]) -> SettingsT:
        """The thresholds of a family: the preset's, or else its own."""
        found = self.settings.get(asked.name, asked.settings)
        if not isinstance(found, type(asked.settings)):
            raise TypeError(f"the preset '{self.name}' has settings of another family for '{asked.name}'")
        return found

    def with_settings(self, asked: Family[SettingsT], **changes: Any) -> GenerationPreset:
        """The same with some thresholds of a family changed.

        Raises:
            ValueError: there is no such threshold, or it takes no such value.
        """
        own = self.settings_for(asked)
        for name in changes:
            if name not in type(own).model_fields:
                raise ValueError(f"the family '{asked.name}' has no threshold '{name}'")
        try:
            changed = type(own).model_validate(own.model_dump() | changes)
        except ValidationError as error:
            raise ValueError(error.errors()[0]["msg"].lower()) from None
        return self.model_copy(update={"settings": {**self.settings, asked.name: changed}})

    def with_threshold(self, part: str, name: str, value: float) -> GenerationPreset:
        """Return the same with one threshold changed, of a family or of all families of a former part of presets.

        Args:
            part: a family's name, or a former part such as 'views'.
            name: of the threshold.
            value: of it.

        Raises:
            ValueError: the preset has no such family, or the family no such threshold.
        """
        chosen = [one for one in FORMER_SETTINGS.get(part, (current_name(part),)) if one in self.families]
        changed = self
        for one in chosen:
            changed = changed.with_settings(family(one), **{name: value})
        if not chosen:
            raise ValueError(f"there is no rule '{part}.{name}'")
        return changed

    def thresholds(self) -> list[tuple[str, str, float]]:
        """The numbers among the thresholds of the preset's families: family, name, value."""
        found = []
        for one in self.families:
            for name, value in self.settings_for(family(one)).model_dump().items():
                if isinstance(value, int | float) and not isinstance(value, bool):
                    found.append((one, name, value))
        return found

    def choosing(self, wanted: Sequence[str]) -> GenerationPreset:
        """The same for some families only.

        A family that is none of the papers', such as a plugin's, needn't be the preset's: it asks under its own
        thresholds, and the questions then have no scoring profile.

        Args:
            wanted: names, as `ground_truth.question_families.resolve` reads them.

        Raises:
            UsageError: a family that is not there, one of another paper's, or a part of several names.
        """
        chosen = {resolve(name, self.families) for name in wanted}
        for name in chosen - set(self.families):
            if name in OF_PAPERS:
                raise UsageError(
                    f"the preset '{self.name}' has no family '{name}'; it has: {', '.join(self.families)}. "
                    "The preset 'all' has every one."
                )
        own = [name for name in self.families if name in chosen]
        others = sorted(chosen - set(self.families))
        profile = None if others else self.scoring_profile
        return self.model_copy(update={"families": (*own, *others), "scoring_profile": profile})

    def with_share(
        self,
        *,
        per_scene: int | None = None,
        per_task: int | None = None,
        max_filter_rounds: int | None = None,
        rings: bool | None = None,
    ) -> GenerationPreset:
        """The same with other limits; see `ShareSettings`. None leaves one as it is."""
        limits = {
            "per_scene": per_scene,
            "per_task": per_task,
            "max_filter_rounds": max_filter_rounds,
            "rings": rings,
        }
        changes = {name: value for name, value in limits.items() if value is not None}
        return self.model_copy(update={"share": self.share.model_copy(update=changes)})

    def written(self) -> dict[str, Any]:
        """The settings that questions depend on, as JSON values: every threshold of every family that asks."""
        found = self.model_dump(mode="json", exclude={"settings"})
        # Benchmarks of before there were such limits are made again under their own presets.
        for name in ("quick_filter", "offered", "fewest", "most_of_place"):
            if found["share"][name] == ShareSettings.model_fields[name].default:
                del found["share"][name]
        own = {name: self.settings_for(family(name)).model_dump(mode="json") for name in self.families}
        return found | {"settings": own}


_ROUNDS = 10
_TAUGHT = 1_000
_FILTERED = ShareSettings(max_filter_rounds=_ROUNDS, most_taught=_TAUGHT)
_SHARE = _FILTERED.model_copy(update={"per_scene": 60})
PRESETS = {
    "vsi-paper": GenerationPreset(name="vsi-paper", share=_FILTERED.model_copy(update={"quick_filter": True})),
    "vsi-official": GenerationPreset(
        name="vsi-official",
        settings={
            "vsi-bench/absolute-distance": DistanceSettings(geometry="sampled", tie=0.0),
            "vsi-bench/object-size": SizeSettings(tie=0.0),
            "vsi-bench/room-size": RoomSettings(tie=0.0),
            # The released code computes 0.30 for large rooms and then doesn't use it.
            "vsi-bench/relative-distance": RelativeDistanceSettings(geometry="sampled", large_gap=0.15),
            "vsi-bench/relative-direction": DirectionSettings(geometry="sampled", on_plan=0.0, two_sided=False),
            "vsi-bench/appearance-order": AppearanceSettings(pixels=1),
        },
        # Nothing is filtered: neither were the released questions.
        share=ShareSettings(most_common=1.0),
    ),
    "mmsi": GenerationPreset(name="mmsi", families=MMSI, scoring_profile="mmsi-bench", labels=True, share=_SHARE),
    "site": GenerationPreset(name="site", families=SITE, scoring_profile="site", labels=True, share=_SHARE),
    "spatialbench": GenerationPreset(
        name="spatialbench",
        families=SPATIALBENCH,
        scoring_profile="spatialbench",
        labels=True,
        settings={
            # Wider than VSI-Bench's: people who watched the video are to agree.
            "spatialbench/absolute-distance": DistanceSettings(least=1.0),
            "spatialbench/relative-distance": RelativeDistanceSettings(gap=0.3, large_gap=0.5),
            "spatialbench/relative-direction": DirectionSettings(margin=20.0),
        },
        share=_SHARE,
    ),
    "posed-video": GenerationPreset(
        name="posed-video", families=POSED_VIDEO, scoring_profile=None, labels=True, share=_SHARE
    ),
    "all": GenerationPreset(name="all", families=OF_PAPERS, scoring_profile=None, labels=True, share=_SHARE),
    "tolman-1": GenerationPreset(
        name="tolman-1",
        # SpatialBench's families in VSI-Bench's place ask the same in other words.
        families=(*VSI, *MMSI, *SITE, *(name for name in SPATIALBENCH if name not in REWORDED)),
        scoring_profile=None,
        labels=True,
        settings={
            "vsi-bench/relative-distance": RelativeDistanceSettings(sets="shared", recorded=True),
            "vsi-bench/appearance-order": AppearanceSettings(listing="alphabet"),
        },
        share=_FILTERED.model_copy(update={"per_scene": 20, "rings": True}),
    ),
}
_RINGED = PRESETS["tolman-1"]
_WITHOUT_RINGS = (*MMSI, "vsi-bench/room-size", "spatialbench/route-gaps", "spatialbench/order-on-route")
"""Of MMSI-Bench's pictures, one alone often suggests the answer, or twins hardly ever show the same things in two of
them. Areas are the same in twins. Turns and orders on a straight way hardly ever differ."""
_PER_CAMERA = 12
"""Questions about each fixed camera."""
PRESETS["tolman-2"] = _RINGED.model_copy(
    update={
        "name": "tolman-2",
        "families": (*(name for name in _RINGED.families if name not in _WITHOUT_RINGS), *POSED_VIDEO),
        "settings": {
            **_RINGED.settings,
            "spatialbench/affordance": AffordanceSettings(margin=20.0),  # as other directions
            **dict.fromkeys(SITE[:2], AssociationSettings(questions=_PER_CAMERA)),
            **dict.fromkeys(SITE[2:], ReorderingSettings(questions=_PER_CAMERA, step=0.5, every=0.25)),
        },
        "share": _RINGED.share.model_copy(update={"offered": 400, "fewest": 100, "most_of_place": 0.03}),
    }
)
"""The presets by name; `preset('all')` has the families of plugins as well."""


def preset(name: str) -> GenerationPreset:
    """The preset of that name.

    Raises:
        UsageError: there is none.
    """
    if name not in PRESETS:
        raise unknown("generation preset", name, PRESETS)
    found = PRESETS[name]
    return found.model_copy(update={"families": tuple(families())}) if name == "all" else found


def drafts(geometry: SceneGeometry, preset: GenerationPreset) -> Iterator[Draft | Rejected]:
    """The questions of the preset's families for a scene, with their labels where the preset has them.

    Raises:
        UsageError: the preset names a family that isn't there.
    """
    outdoors, labelled = geometry.scene.room_area is None, preset.labels
    shown = {geometry.shown: geometry}
    for name in preset.families:
        own = family(name)
        if not geometry.scene.metric and not own.scale_free:
            yield from (Rejected(task, geometry.scene.id, NO_SCALE) for task in own.tasks)
            continue
        least = max(own.min_shown, geometry.shown)
        if least not in shown:
            shown[least] = SceneGeometry(geometry.scene, geometry.captures, shown=least)
        seen = shown[least]
        silent = set(own.tasks)
        for found in own.draft(seen, preset.settings_for(own)):
            if silent:
                silent.discard(found.task)
            if labelled and isinstance(found, Draft):
                yield replace(found, labels=labels(name, outdoors=outdoors, own=found.labels))
            else:
                yield found
        for task in own.tasks:
            if task in silent:
                yield Rejected(task, geometry.scene.id, _too_little(seen))


def _too_little(geometry: SceneGeometry) -> str:
    """The reason why a family that goes through a scene's things finds none."""
    if not geometry.scene.objects:
        return "no object with a box"
    if not geometry.whole:
        return "the video shows no category whole and at rest"
    if not geometry.unique:
        return "no category of which there is exactly one"
    return "too few things, or none of the kind that is asked about"


def labels(name: str, *, outdoors: bool, own: Mapping[str, str]) -> dict[str, str]:
    """The labels of a family's question: the family, and its place in all four taxonomies.

    Args:
        name: of the family, or a former one.
        outdoors: whether its scene is no room.
        own: the labels that differ in this question.

    Raises:
        UsageError: there is no such family.
    """
    found = family(name)
    return labels_of(found.name, found.taxonomy, outdoors=outdoors, own=own)
