"""MMSI-Bench's families on places made of numbers: every answer solved once more, and nothing told by one picture."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("shapely", reason="views need the extra 'build'")

from generate.made_places import made_place
from generate.pair_solver import Place
from tolman.benchmarks.mmsi_bench.mmsi_rows import TASKS
from tolman.errors import UsageError
from tolman.generate.draft_collection import Collected, collect
from tolman.generate.draft_items import items_of
from tolman.generate.draft_storage import DraftFile
from tolman.generate.families.mmsi_bench.support.bearings import regions_of
from tolman.generate.families.mmsi_bench.support.views import ViewSettings, confusable, gallery
from tolman.generate.family import Draft, ReasoningStep, Rejected, Shot
from tolman.generate.presets import drafts, labels, preset
from tolman.generate.selection import select
from tolman.ground_truth.question_families import MMSI, VSI, recompute
from tolman.ground_truth.scene_arrays import SceneGeometry
from tolman.items import Item
from tolman.scoring.error_types import MMSI as STEPS, typed_already

SCENES = 10
PAPER = preset("mmsi")
VIEWS = ViewSettings(of_scene=60, chains=120)
RULES = PAPER.model_copy(
    update={
        "settings": dict.fromkeys(MMSI, VIEWS),
        "share": PAPER.share.model_copy(update={"max_filter_rounds": 1}),
    }
)


@pytest.fixture(scope="module")
def places() -> dict[str, SceneGeometry]:
    found = [made_place(number) for number in range(SCENES)]
    return {geometry.scene.id: geometry for geometry in found}


@pytest.fixture(scope="module")
def collected(places: dict[str, SceneGeometry], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Collected]:
    with DraftFile(tmp_path_factory.mktemp("pairs") / "drafts") as draft_file:
        yield collect(places.values(), RULES, 0, draft_file)


@pytest.fixture(scope="module")
def items(collected: Collected) -> list[Item]:
    return list(items_of(select(collected, RULES, 0), collected, 0, scoring_profile="mmsi-bench"))


def by_task(items: Sequence[Item]) -> dict[str, list[Item]]:
    found: dict[str, list[Item]] = {}
    for item in items:
        found.setdefault(item.task, []).append(item)
    return found


@pytest.mark.full
def test_every_family_asks_and_a_second_solver_answers_all(items: list[Item], places: dict[str, SceneGeometry]) -> None:
    counts = Counter(item.task for item in items)
    assert set(counts) == set(TASKS)
    assert min(counts.values()) >= 4, counts
    solvers = {name: Place(geometry.scene, geometry.captures) for name, geometry in places.items()}
    wrong = [
        (item.question, item.evidence, item.answer_text)
        for item in items
        if solvers[item.scene or ""].answer(item) != item.answer_text
    ]
    assert wrong == []


@pytest.mark.full
def test_recomputing_agrees_and_breaks_no_rule(items: list[Item], places: dict[str, SceneGeometry]) -> None:
    for item in items:
        found = recompute(places[item.scene or ""], item, RULES.settings)
        assert (found.exact, found.violations) == (item.answer_text, ())


@pytest.mark.full
def test_no_picture_alone_tells(items: list[Item], places: dict[str, SceneGeometry]) -> None:
    """What is named is spread over the pictures, and what each picture suggests is right as often as by chance."""
    for task, group in by_task(items).items():
        for k in (0, 1):
            hits = np.mean([item.evidence["suggested"][k] == item.answer_text for item in group])
            assert hits <= 0.3 + 4 / len(group), (task, k, hits, len(group))
    for item in items:
        geometry = places[item.scene or ""]
        if item.task == "Positional Relationship (Obj.–Obj.)":
            shown = gallery(geometry, VIEWS)
            views = [shown.view(capture, frame) for capture, frame, _ in item.evidence["shots"]]
            words = item.question.split(" the ")
            target = shown.find(words[-1].rstrip("?"), views)
            assert not views[0].sees((target,))
            assert not all(
                views[1].sees((shown.find(name, views),)) for name in (words[1].split(",")[0], words[2].split(" is")[0])
            )


@pytest.mark.full
def test_answers_and_letters_are_even(items: list[Item]) -> None:
    for task, group in by_task(items).items():
        letters = Counter(item.answer for item in group)
        assert max(letters.values()) - min(letters[letter] for letter in "ABCD") <= 1
        answers = Counter(item.answer_text for item in group)
        assert max(answers.values()) <= len(group) / 4 + 1, (task, answers)


@pytest.mark.full
def test_items_say_what_they_show_where_they_belong_and_why(items: list[Item]) -> None:
    for item in items:
        count = len(item.media)
        assert count == 2 or (item.task == "MSR" and 3 <= count <= 10)
        assert all(media.kind == "image" for media in item.media)
        assert item.reasoning is not None
        assert typed_already(STEPS, item.reasoning)
        assert item.labels["mmsi_type"] == item.task
        assert item.labels["spatialbench_level"]
        assert item.labels["site_category"]
        assert item.labels["scale"] == "vista"
        assert {"factor", "information", "change"} <= set(item.labels)
        assert item.verbatim is not None
        assert all(option in item.verbatim for option in item.options)
        assert item.evidence.get("margin", 0) > 0
    lengths = {len(item.media) for item in items if item.task == "MSR"}
    assert len(lengths) >= 3


def test_what_a_question_says_goes_before_the_place_of_its_family() -> None:
    outdoors = labels("camera-camera", outdoors=True, own={"scale": "figural"})
    assert outdoors["scale"] == "figural"
    assert labels("camera-camera", outdoors=True, own={})["scale"] == "environmental"


def test_names_mean_one_thing_in_what_is_shown(places: dict[str, SceneGeometry]) -> None:
    assert "armchair" in confusable("chair")
    assert confusable("piano") == {"piano"}
    helmeted = "person with the orange helmet"
    assert confusable("person") == {"person", helmeted}
    assert confusable(helmeted) == {helmeted}
    shown = gallery(places["made/0"], VIEWS)
    view = next(view for view in shown.views if len(shown.clear(view)) >= 3)
    chairs = {i for i, thing in enumerate(shown.scene.objects) if thing.category == "chair"}
    double = replace(view, pixels={**view.pixels, **dict.fromkeys(chairs, 0.05)})
    assert not any(shown.nameable(i, [double]) for i in chairs)
    single = replace(view, pixels={**{i: p for i, p in view.pixels.items() if i not in chairs}, min(chairs): 0.05})
    assert shown.nameable(min(chairs), [single])
    with pytest.raises(KeyError):
        shown.find("submarine", [view])


def test_regions_are_what_stands_together(places: dict[str, SceneGeometry]) -> None:
    geometry = next(g for g in places.values() if "table" in g.members)
    found = regions_of(gallery(geometry, VIEWS))
    assert {geometry.scene.objects[i].category for i in found["dining area"].members} == {"table", "chair"}
    middle = geometry.center("table")[:2]
    assert np.linalg.norm(found["dining area"].middle - middle) < 0.3


def test_without_poses_there_are_no_pictures(places: dict[str, SceneGeometry]) -> None:
    bare = SceneGeometry(places["made/0"].scene)
    found = list(drafts(bare, RULES))
    assert len({one.task for one in found}) == len(TASKS)
    assert all(isinstance(one, Rejected) for one in found)


def test_families_can_be_chosen() -> None:
    chosen = ("mmsi-bench/camera-object", "mmsi-bench/multi-step")
    assert RULES.choosing(["multi-step", "camera-object"]).families == chosen
    with pytest.raises(UsageError, match="there is no question family 'camera'; did you mean"):
        RULES.choosing(["camera"])
    with pytest.raises(UsageError, match="the preset 'mmsi' has no family 'vsi-bench/counting'"):
        RULES.choosing(["counting"])
    assert set(preset("vsi-paper").written()["settings"]) == set(VSI)
    assert set(RULES.written()["settings"]) == set(MMSI)


def test_shots_make_the_same_words_different_questions(tmp_path_factory: pytest.TempPathFactory) -> None:
    geometry = made_place(3)
    base = Draft("t", geometry.scene.id, "Where?", "a", None, ("a", "b"), reasoning=(ReasoningStep("logic", "So a."),))
    ego = geometry.captures[0].id
    with DraftFile(tmp_path_factory.mktemp("draft_file") / "drafts") as draft_file:
        from tolman.generate.draft_storage import DraftEntry
        from tolman.generate.question_media import sources_of

        made = Collected(draft_file)
        for frames in ((1, 2), (1, 3)):
            one = replace(base, shots=tuple(Shot(ego, frame) for frame in frames))
            made.entries.append(DraftEntry("t", "a", False, False, 2, draft_file.add(one, sources_of(one, geometry))))
        video = replace(base, shots=(Shot(ego, 2, 6),))
        made.entries.append(DraftEntry("t", "a", False, False, 2, draft_file.add(video, sources_of(video, geometry))))
        found = list(items_of(made.entries, made, 0))
    assert len({item.id for item in found}) == 3
    assert (found[2].media[0].start, found[2].media[0].end) == (1.0, 3.0)
    assert found[0].reasoning == "So a (Spatial-Logic Reasoning)."
    with pytest.raises(KeyError):
        sources_of(replace(base, shots=(Shot("nobody", 0),)), geometry)
