"""What earlier versions wrote opens: names of families, labels of items, settings of published benchmarks."""

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("shapely", reason="the families need the extra 'build'")

from generate.made_places import made_place
from generate.test_captures import capture, scene
from tolman.generate.draft_items import again, drafts_of, item_of
from tolman.generate.presets import GenerationPreset, preset
from tolman.ground_truth.question_families import (
    FORMER_NAMES,
    FORMER_SETTINGS,
    MMSI,
    OF_PAPERS,
    categories_in,
    family,
    resolve,
)
from tolman.ground_truth.released_audit import audit
from tolman.ground_truth.scene_arrays import SceneGeometry
from tolman.items import Item, Media

WRITTEN: dict[str, Any] = json.loads((Path(__file__).parent / "former_presets.json").read_text(encoding="utf-8"))
"""By the preset's name, the settings that the version before wrote into provenance.json."""
PICTURE = Media(kind="image", path="p.jpg")


def test_every_family_has_one_former_name() -> None:
    assert sorted(FORMER_NAMES.values()) == sorted(OF_PAPERS)
    assert sorted({name for names in FORMER_SETTINGS.values() for name in names}) == sorted(OF_PAPERS)


@pytest.mark.parametrize(("former", "name"), FORMER_NAMES.items())
def test_former_names_are_understood(former: str, name: str) -> None:
    assert family(former).name == name
    papers = {"vsi-bench": "vsi-paper", "mmsi-bench": "mmsi", "site": "site", "spatialbench": "spatialbench"}
    assert preset(papers[name.partition("/")[0]]).choosing([former]).families == (name,)


def test_underscores_and_hyphens_of_former_names_still_differ() -> None:
    assert resolve("relative_distance") == "vsi-bench/relative-distance"
    assert family("relative-distance").name == "spatialbench/relative-distance"
    assert preset("all").choosing(list(FORMER_NAMES)).families == OF_PAPERS


@pytest.mark.parametrize("name", WRITTEN)
def test_settings_of_a_published_benchmark_are_those_of_its_preset(name: str) -> None:
    opened = GenerationPreset.model_validate(WRITTEN[name])
    current = preset(name)
    own = tuple(one for one in current.families if one in OF_PAPERS)  # those of posed video came later
    now = current.model_copy(update={"families": own}).written()
    now["share"]["most_taught"] = None  # learners were taught all that there were
    now["share"].pop("quick_filter", None)  # in every round
    assert opened.written() == now


def test_changed_settings_of_a_published_benchmark_go_to_their_families() -> None:
    told = {
        **WRITTEN["mmsi"],
        "families": ["camera-object", "multi-step"],
        "views": {**WRITTEN["mmsi"]["views"], "margin": 12.0},
        "share": {"per_scene": 3, "per_task": None, "most_common": 0.25, "turns": 4},
    }
    opened = GenerationPreset.model_validate(told)
    assert opened.families == ("mmsi-bench/camera-object", "mmsi-bench/multi-step")
    assert [opened.settings_for(family(one)).margin for one in opened.families] == [12.0, 12.0]
    assert opened.share.max_filter_rounds == 4
    assert opened.scoring_profile == "mmsi-bench"
    counted = GenerationPreset.model_validate({**WRITTEN["vsi-paper"], "counting": {"least": 7}})
    assert counted.settings_for(family("vsi-bench/counting")).least == 7


def test_a_preset_with_a_strange_setting_is_refused() -> None:
    with pytest.raises(ValueError, match="colour"):
        GenerationPreset.model_validate({**WRITTEN["vsi-paper"], "counting": {"colour": 1}})
    with pytest.raises(ValueError, match=r"there is no question family 'my/object-height'.*--plugin"):
        GenerationPreset.model_validate({"name": "all", "settings": {"my/object-height": {}}})


def test_a_threshold_is_changed_by_the_familys_name_or_the_former_part() -> None:
    rules = preset("mmsi").choosing(["camera-object", "measurement"])
    one = rules.with_threshold("mmsi-bench/camera-object", "margin", 40.0)
    both = rules.with_threshold("views", "margin", 40.0)
    margins = [[changed.settings_for(family(name)).margin for name in rules.families] for changed in (one, both)]
    assert margins == [[40.0, 30.0], [40.0, 40.0]]
    assert ("mmsi-bench/measurement", "near", 1.15) in rules.thresholds()
    assert preset("vsi-paper").with_threshold("counting", "least", 50.0).thresholds()[0] == (
        "vsi-bench/counting",
        "least",
        50,
    )
    for part, name in (("views", "smell"), ("counting", "margin"), ("smell", "margin")):
        with pytest.raises(ValueError, match=r"there is no|has no threshold"):
            rules.with_threshold(part, name, 1.0)


def published(geometry: SceneGeometry, name: str) -> list[Item]:
    """A few questions of a preset with their labels as the version before wrote them."""
    former = {new: old for old, new in FORMER_NAMES.items()}
    items = []
    for draft in drafts_of(geometry, preset(name))[::7]:
        item = item_of(draft, 1, (PICTURE,) * len(draft.shots), 0)
        if "family" in item.labels:
            item = item.model_copy(update={"labels": item.labels | {"family": former[item.labels["family"]]}})
        items.append(item)
    return items


@pytest.mark.full
@pytest.mark.parametrize("name", ["vsi-paper", "spatialbench", "mmsi"])
def test_items_of_a_published_benchmark_are_audited_and_made_again(name: str) -> None:
    geometry = made_place(0) if name == "mmsi" else SceneGeometry(scene(), [capture()])
    items = published(geometry, name)
    assert len(items) > 5
    findings = audit(items, {geometry.scene.id: geometry}, preset(name).settings)
    assert {found.status for found in findings} == {"agrees"}
    made = drafts_of(geometry, GenerationPreset.model_validate(WRITTEN[name]))
    for item in items:
        fresh = again(item, made, 0)
        assert fresh is not None
        assert (fresh.id, fresh.question, fresh.answer, fresh.labels) == (
            item.id,
            item.question,
            item.answer,
            item.labels,
        )
        if name == "vsi-paper":
            assert set(categories_in(item)) <= set(geometry.members)


def test_new_items_carry_the_new_name() -> None:
    labelled = {draft.labels["family"] for draft in drafts_of(made_place(0), preset("mmsi"))}
    assert labelled <= set(MMSI)
    assert labelled
