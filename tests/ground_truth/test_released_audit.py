"""An audit tells an answer in doubt from a broken rule that leaves the answer safe, family by family."""

from pathlib import Path

import pytest

pytest.importorskip("shapely", reason="the families need the extra 'build'")

from generate.test_captures import PLACES, capture, scene, thing
from kinds.yes_no import write_kind
from three_rooms import ROOMS
from tolman.errors import DataWarning
from tolman.generate.draft_items import drafts_of, item_of
from tolman.generate.families.spatialbench import planning, relations
from tolman.generate.families.spatialbench.planning import FillInSettings
from tolman.generate.families.spatialbench.relations import PassingSettings
from tolman.generate.families.vsi_bench.relative_direction import LEVELS
from tolman.generate.family import Recomputed
from tolman.generate.presets import preset
from tolman.ground_truth.question_families import recompute
from tolman.ground_truth.released_audit import audit, warn_of_other_scenes
from tolman.ground_truth.scene_arrays import SceneGeometry
from tolman.items import Item, Unit
from tolman.plugins import load_plugin
from tolman.scene_table import read_scenes
from tolman.scenes import Scene

PAPER = preset("vsi-paper")
SAFE, DOUBT = "rule broken, answer safe", "answer in doubt"


def choice(task: str, question: str, answer: str, *others: str) -> Item:
    return Item(
        id="1", question=question, kind="choice", answer="A", options=(answer, *others), task=task, scene="made/room"
    )


def number(task: str, question: str, answer: str, unit: Unit) -> Item:
    return Item(id="1", question=question, kind="number", answer=answer, unit=unit, task=task, scene="made/room")


def verdict(item: Item, place: Scene) -> tuple[str, tuple[str, ...]]:
    geometry = SceneGeometry(place, [capture(more=[one.id for one in place.objects if one.id not in PLACES])])
    (found,) = audit([item], {"made/room": geometry}, PAPER.settings)
    return found.verdict, found.violations


def nearest(*options: str) -> Item:
    listed = ", ".join(options)
    question = (
        f"Measuring from the closest point of each object, which of these objects ({listed}) is the closest to the "
        "door?"
    )
    return choice("object_rel_distance", question, *options)


def test_wrong_options_that_tie_are_safe_and_a_tie_for_the_nearest_is_not() -> None:
    # The door is at (1, 1); a room of 64 m², so 0.3 m are wanted.
    wrong = scene(thing("a", 2.0, 1), thing("b", 4.0, 1), thing("c", 4.1, 1), thing("d", 7.0, 1))
    assert verdict(nearest("a", "b", "c", "d"), wrong) == (SAFE, ("two wrong options within 0.3 m of each other",))
    first = scene(thing("a", 2.0, 1), thing("b", 2.1, 1), thing("c", 4.1, 1), thing("d", 7.0, 1))
    assert verdict(nearest("a", "b", "c", "d"), first) == (DOUBT, ("the two nearest options within 0.3 m of each other",))  # fmt: skip
    touching = scene(thing("a", 1.45, 1), thing("b", 3.0, 1), thing("c", 5.1, 1), thing("d", 7.0, 1))
    assert verdict(nearest("a", "b", "c", "d"), touching) == (SAFE, ("an option nearer than 0.15 m",))
    clear = scene(thing("a", 2.0, 1), thing("b", 3.0, 1), thing("c", 4.1, 1), thing("d", 7.0, 1))
    assert verdict(nearest("a", "b", "c", "d"), clear) == ("sound", ())
    assert verdict(nearest("b", "a", "c", "d"), clear)[0] == DOUBT  # another answer


def test_other_scenes_of_the_same_ids_are_named(tmp_path: Path) -> None:
    right = {one.id: SceneGeometry(one, []) for one in read_scenes(ROOMS)}
    items = [
        item_of(draft, 0, (), 0).model_copy(update={"id": f"{place}-{number}"})
        for place, geometry in right.items()
        for number, draft in enumerate(drafts_of(geometry, PAPER)[:20])
    ]
    wrong = {
        name: SceneGeometry(other.scene.model_copy(update={"id": name}), [])
        for name, other in zip(right, [*right.values()][1:] + [*right.values()][:1], strict=True)
    }
    warn_of_other_scenes(items, right, tmp_path)
    with pytest.warns(DataWarning, match=r"checked answers aren't those of its scenes"):
        warn_of_other_scenes(items, wrong, tmp_path)


def test_a_generated_question_about_a_thing_that_the_scene_lacks_is_in_doubt() -> None:
    whole = next(iter(read_scenes(ROOMS)))
    items = [item_of(draft, 0, (), 0) for draft in drafts_of(SceneGeometry(whole, []), PAPER)]
    gone = whole.objects[0].category
    corrected = whole.model_copy(update={"objects": tuple(one for one in whole.objects if one.category != gone)})
    findings = audit(items, {whole.id: SceneGeometry(corrected, [])}, PAPER.settings)
    lacking = [one for one in findings if one.note == f"the scene has no {gone}"]
    assert lacking
    assert {(one.status, one.verdict, one.doubts) for one in lacking} == {("differs", DOUBT, (lacking[0].note,))}


def test_few_things_to_count_are_safe_and_boxes_that_disagree_are_not() -> None:
    question = "How many lamp(s) are in this room?"
    assert verdict(number("object_counting", question, "1", "count"), scene())[0] == SAFE
    assert verdict(number("object_counting", question, "2", "count"), scene())[0] == DOUBT
    listed = scene().model_copy(update={"counts": {"lamp": 2}})
    assert verdict(number("object_counting", question, "2", "count"), listed)[0] == DOUBT


def test_a_short_distance_is_safe_and_one_of_two_things_is_not() -> None:
    question = (
        "Measuring from the closest point of each object, what is the distance between the door and the a (in meters)?"
    )
    assert verdict(number("object_abs_distance", question, "0.1", "m"), scene(thing("a", 1.5, 1)))[0] == SAFE
    two = scene(thing("a-1", 3.0, 1), thing("a-2", 7.0, 1))
    assert verdict(number("object_abs_distance", question, "1.6", "m"), two)[0] == DOUBT


@pytest.mark.parametrize(
    ("level", "x", "y", "answer", "expected"),
    [
        (1, 2.0, 2.9, "left", SAFE),  # far away: 5.4 m
        (0, 3.6, 2.38, "left", DOUBT),  # 6° from straight ahead
        (1, 3.6, 2.38, "left", DOUBT),
    ],
)
def test_directions(level: int, x: float, y: float, answer: str, expected: str) -> None:
    # Standing by p and facing q, along +x.
    far = 9.0 if expected == SAFE else 5.0
    place = scene(thing("p", 1, 3), thing("q", 1 + far, 3), thing("r", 1 + x, 1 + y))
    asked = LEVELS[level]
    others = {"left", "right"} | ({"back"} if level else set())
    item = choice(asked.task, asked.text.format(a="p", b="q", c="r"), answer, *sorted(others - {answer}))
    found, broken = verdict(item, place)
    assert broken
    assert found == expected


def test_the_easy_question_is_safe_near_the_medium_ones_boundaries() -> None:
    # 130° to the left: 5° from "back", 50° from the nearest boundary between left and right.
    place = scene(thing("p", 3, 3), thing("q", 5, 3), thing("r", 3 - 1.286, 3 + 1.532, size=0.1))
    easy, medium = (
        choice(LEVELS[i].task, LEVELS[i].text.format(a="p", b="q", c="r"), "left", *others)
        for i, others in ((0, ("right",)), (1, ("back", "right")))
    )
    assert verdict(easy, place) == (SAFE, ("within 10.0° of a boundary",))
    assert verdict(medium, place)[0] == DOUBT


def order(*options: str) -> Item:
    question = (
        "What will be the first-time appearance order of the following categories in the video: bed, sofa, desk, plant?"
    )
    return choice("obj_appearance_order", question, *options)


def test_two_first_appearances_that_tie_matter_where_an_option_swaps_just_them() -> None:
    # Desk and plant come into view 0.6 s apart.
    right = "bed, sofa, desk, plant"
    rival = order(right, "bed, sofa, plant, desk", "desk, bed, sofa, plant", "plant, desk, sofa, bed")
    none = order(right, "sofa, bed, desk, plant", "desk, bed, sofa, plant", "plant, desk, sofa, bed")
    assert verdict(rival, scene())[0] == DOUBT
    assert verdict(none, scene())[0] == SAFE


def test_the_same_in_spatialbenchs_words() -> None:
    right, swapped, other = (
        "bed -> sofa -> desk -> plant",
        "bed -> sofa -> plant -> desk",
        "desk -> bed -> sofa -> plant",
    )
    question = "What is the first-time appearance order of these objects in the video: bed, sofa, desk, plant?"
    for family in ("spatialbench/appearance-order", "appearance-order"):  # and as earlier versions labelled it
        for options, expected in (((right, swapped, other), DOUBT), ((right, other), SAFE)):
            made = choice("appearance_order", question, *options)
            item = made.model_copy(update={"labels": {"family": family}})
            assert verdict(item, scene())[0] == expected


def route(*options: str) -> Item:
    question = (
        "You are a robot beginning at the door facing the sofa. You want to navigate to the chair. You will perform "
        "the following actions (Note: for each [please fill in], choose either 'turn back,' 'turn left,' or 'turn "
        "right.'): 1. Go forward until the sofa 2. [please fill in] 3. Go forward until the chair. You have reached "
        "the final destination."
    )
    return choice("route_planning", question, *options)


def test_what_stands_on_a_route_leaves_its_turns_safe_and_a_flat_turn_does_not() -> None:
    blocked = scene(thing("chair", 6, 5), thing("box", 3, 5))
    assert verdict(route("Turn Right", "Turn Left", "Turn Back"), blocked) == (SAFE, ("something is in the way",))
    # Straight on is neither left nor right.
    straight = scene(thing("chair", 1.2, 7.5))
    assert verdict(route("Turn Right", "Turn Left", "Turn Back"), straight)[0] == DOUBT
    # …but of these options only one is near it.
    assert verdict(route("Turn Right", "Turn Back"), straight)[0] == SAFE


def test_spatialbench_families() -> None:
    geometry = SceneGeometry(scene(thing("stool", 2, 2)))
    # Things farther aside than the rule has are passed in the same order.
    question = (
        "If you move in a straight line from the door to the desk, in which order do you pass the lamp, the sofa and "
        "the bed?"
    )
    spans, beside, _ = relations.along(geometry, "door", "desk", ["lamp", "sofa", "bed"])
    names = [("lamp", "sofa", "bed")[i] for i in spans[:, 1].argsort()]
    item = choice(relations.ORDER_ON_ROUTE_TASK, question, " -> ".join(names), " -> ".join(reversed(names)))
    aside = relations.recompute_order_on_route(geometry, item, PassingSettings(aside=0.1, gap=0.0))
    assert abs(beside).max() > 0.1
    assert "more than 0.1 m beside the route" in aside.harmless
    tied = relations.recompute_order_on_route(geometry, item, PassingSettings(aside=9.0, gap=3.0))
    assert set(tied.violations) - set(tied.harmless)

    def turns(settings: FillInSettings) -> Recomputed:
        text = (
            "You are a robot at the door and face the bed. Your target is the desk. Your route will be: 'Go straight "
            "until the bed, [1], go straight until the lamp, [2], go straight until the desk.' What fills the gaps?"
        )
        return planning.recompute_route_gaps(geometry, choice(planning.ROUTE_GAPS_TASK, text, "x", "y"), settings)

    longer = turns(FillInSettings(shortest=9.0))
    assert longer.violations
    assert longer.harmless == longer.violations
    flat = turns(FillInSettings(flattest=60.0))
    assert flat.violations
    assert flat.harmless == ()


def test_what_the_video_does_not_show_is_not_called_several() -> None:
    question = (
        "What is the length of the longest dimension (length, width, or height) of the a, measured in centimeters?"
    )
    item = number("object_size_estimation", question, "100", "cm")
    for place, reason in (
        (scene(thing("a-1", 3.0, 1), thing("a-2", 7.0, 1)), "a is not unique"),
        (scene(thing("a-1", 3.0, 1)), "the video doesn't show the a well enough"),
    ):
        (found,) = audit([item], {"made/room": SceneGeometry(place, [capture()])}, PAPER.settings)
        assert (found.verdict, found.doubts) == (DOUBT, (reason,))


def test_harmless_rules_are_broken_ones() -> None:
    place = SceneGeometry(scene(thing("a", 2.0, 1), thing("b", 4.0, 1), thing("c", 4.1, 1), thing("d", 7.0, 1)))
    found = recompute(place, nearest("a", "b", "c", "d"), PAPER.settings)
    assert set(found.harmless) <= set(found.violations)


LAMP = """
import re

from tolman.generate.family import Recomputed
from tolman.generate.family import Family, FamilySettings
from tolman.generate.family import TaxonomyPlace


def recompute(geometry, item, settings, *, released=True):
    name = re.fullmatch(r"Is there an? (.+) in the room\\?", item.question)[1]
    there = "yes" if any(one.category == name for one in geometry.scene.objects) else "no"
    return Recomputed(there, "Perhaps." if name == "ghost" else f"{there.capitalize()}.")


FAMILY = Family(
    name="my/presence", title="Presence", tasks=("presence",), settings=FamilySettings(),
    taxonomy=TaxonomyPlace(site="counting & existence", factor="neither", information="extrinsic"),
    draft=lambda geometry, settings: iter(()), recompute=recompute,
)
"""


def test_an_item_of_a_plugins_kind_is_audited_by_its_own_reader_and_metric(tmp_path: Path) -> None:
    load_plugin(write_kind(tmp_path))
    (tmp_path / "presence.py").write_text(LAMP)
    load_plugin(tmp_path / "presence.py")

    def present(name: str, answer: str) -> Item:
        question = f"Is there a {name} in the room?"
        return Item(id="1", question=question, kind="yes-no", answer=answer, task="presence", scene="made/room")

    place = scene(thing("a", 2.0, 1))
    assert verdict(present("lamp", "yes"), place) == ("sound", ())
    assert verdict(present("lamp", "no"), place) == (DOUBT, ())
    assert verdict(present("boat", "no"), place) == ("sound", ())
    assert verdict(present("ghost", "yes"), place) == (DOUBT, ())  # the kind reads 'perhaps' as neither
