"""The question families all together: each declared once, and each agreeing with itself."""

import ast
import importlib
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("shapely", reason="the families need the extra 'build'")

from generate.made_places import made_place
from generate.test_captures import capture, scene, thing
from generate.test_egoexo import recorded
from simulate.worlds import world
from three_rooms import ROOMS
from tolman import generate
from tolman.errors import UsageError
from tolman.generate.draft_items import item_of
from tolman.generate.family import Draft, Family, FamilySettings, TaxonomyPlace
from tolman.generate.presets import PRESETS, preset
from tolman.ground_truth import question_families
from tolman.ground_truth.question_families import OF_PAPERS, POSED_VIDEO, families, family, family_of, resolve
from tolman.ground_truth.released_audit import audit
from tolman.ground_truth.scene_arrays import SceneGeometry, open_collection
from tolman.items import Item, Media
from tolman.registry import declaring

PACKAGE = "tolman.generate.families"
PICTURE = Media(kind="image", path="p.jpg")


@pytest.fixture(scope="module")
def places() -> dict[str, SceneGeometry]:
    """Rooms and streets of every kind that families ask about."""
    chairs = [thing(f"chair-{i}", 3 + 0.5 * i, 3) for i in range(3)]
    small = SceneGeometry(scene(*chairs), [capture(more=[chair.id for chair in chairs])])
    rooms = open_collection(ROOMS)
    street = SceneGeometry(world("street").scene.model_copy(update={"id": "simulated/street", "dataset": "simulated"}))
    found = [small, recorded(), street, *(made_place(number) for number in range(6))]
    found += [one for one in rooms if isinstance(one, SceneGeometry)]
    return {geometry.scene.id: geometry for geometry in found}


def modules() -> list[str]:
    return list(dict.fromkeys((*declaring(PACKAGE, "FAMILY"), *declaring(PACKAGE, "FAMILIES"))))


def declared_in(name: str) -> tuple[Family[Any], ...]:
    """The families of a module."""
    module = importlib.import_module(name)
    return (*getattr(module, "FAMILIES", ()), *filter(None, [getattr(module, "FAMILY", None)]))


def test_every_family_of_the_papers_is_declared_once_and_listed_once() -> None:
    declared = [one.name for name in modules() for one in declared_in(name)]
    assert Counter(declared) == Counter((*OF_PAPERS, *POSED_VIDEO))
    assert tuple(families()) == (*OF_PAPERS, *sorted(POSED_VIDEO))


def test_a_family_is_in_the_folder_of_its_paper() -> None:
    for name in modules():
        folder = name.removeprefix(f"{PACKAGE}.").partition(".")[0]
        for one in declared_in(name):
            assert one.name.partition("/")[0].replace("-", "_") == folder


def test_helpers_are_no_families() -> None:
    assert not [name for name in modules() if ".support" in name]


@pytest.mark.parametrize("name", [*OF_PAPERS, *POSED_VIDEO])
def test_every_family_says_what_it_is(name: str) -> None:
    one = family(name)
    assert one.title
    assert one.tasks
    assert one.taxonomy.site
    assert one.taxonomy.spatialbench
    assert one.taxonomy.mmsi
    assert name in preset("all").families
    assert [other for other in PRESETS if other != "all" and name in PRESETS[other].families]


@pytest.mark.parametrize("name", PRESETS)
def test_presets_hold_families_and_their_settings(name: str) -> None:
    rules = preset(name)
    assert rules.families
    assert set(rules.settings) <= set(rules.families)
    for one in rules.families:
        own = family(one)
        assert type(rules.settings_for(own)) is type(own.settings)
    assert type(rules).model_validate(rules.written()).written() == rules.written()


@pytest.mark.parametrize("name", [*OF_PAPERS, *POSED_VIDEO])
def test_what_a_family_drafts_it_recomputes(name: str, places: dict[str, SceneGeometry]) -> None:
    one = family(name)
    made: list[Item] = []
    for geometry in places.values():
        shown = SceneGeometry(geometry.scene, geometry.captures, shown=one.min_shown)
        drafted = (found.finished() for found in one.draft(shown, one.settings) if isinstance(found, Draft))
        for found in islice(drafted, 4):
            assert found.task in one.tasks
            item = item_of(found, 0, (PICTURE,) * len(found.shots), 0)
            made.append(item.model_copy(update={"labels": item.labels | {"family": name}}))
    assert made
    findings = audit(made, places)
    assert [(found.id, found.status, found.note) for found in findings if found.status != "agrees"] == []
    assert [found.violations for found in findings if found.violations] == []


def test_a_question_type_that_two_families_ask_is_told_by_its_label() -> None:
    question = Item(id="1", question="How many?", kind="number", unit="count", answer="2", task="object_counting")
    ours = question.model_copy(update={"labels": {"family": "spatialbench/object-counting"}})
    assert [getattr(family_of(one), "name", "") for one in (question, ours)] == [
        "vsi-bench/counting", "spatialbench/object-counting",
    ]  # fmt: skip
    assert family_of(question.model_copy(update={"task": "smell"})) is None


def test_the_part_behind_the_slash_is_enough_where_it_is_one_familys() -> None:
    assert resolve("multi-step") == "mmsi-bench/multi-step"
    assert resolve("relative-distance", PRESETS["vsi-paper"].families) == "vsi-bench/relative-distance"
    assert resolve("relative-distance", PRESETS["spatialbench"].families) == "spatialbench/relative-distance"
    assert preset("all").choosing(["relative-distance"]).families == ("spatialbench/relative-distance",)  # as before
    sharing = ["mine/height", "their/height"]
    with pytest.raises(
        UsageError, match="several question families are called 'height': write mine/height or their/height"
    ):
        resolve("height", sharing)
    with pytest.raises(
        UsageError, match="there is no question family 'multistep'; did you mean 'mmsi-bench/multi-step'"
    ):
        resolve("multistep")


def test_a_place_in_a_taxonomy_must_be_there() -> None:
    with pytest.raises(ValueError, match="the taxonomy has no site 'smell'; known: counting & existence"):
        TaxonomyPlace(site="smell", factor="visualization")
    with pytest.raises(ValueError, match="the taxonomy has no spatialbench 'room_sise'; did you mean 'room_size'"):
        TaxonomyPlace(spatialbench="room_sise", factor="visualization")


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"name": "height"}, "'height' is no name of a family"),
        ({"tasks": ()}, "needs a tuple of question types"),
        ({"tasks": "height"}, "needs a tuple of question types"),
        ({"settings": FamilySettings}, "needs an instance of a FamilySettings class"),
    ],
)
def test_a_wrong_declaration_is_one_sentence(changes: dict[str, object], sentence: str) -> None:
    right = family("vsi-bench/counting")
    given = {
        field: getattr(right, field)
        for field in ("name", "title", "tasks", "settings", "taxonomy", "draft", "recompute")
    }
    with pytest.raises(ValueError, match=sentence):
        Family(**(given | changes))  # type: ignore[arg-type]


def test_public_classes_of_the_generator_have_one_meaning_each() -> None:
    defined: Counter[str] = Counter()
    source = Path(generate.__file__).parent
    for path in source.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        defined.update(node.name for node in tree.body if isinstance(node, ast.ClassDef) and node.name[0] != "_")
    assert [name for name, count in defined.items() if count > 1] == []


THEIRS = """
from dataclasses import replace
from tolman.generate.families.vsi_bench.numerical import FAMILIES
COUNTING = replace(FAMILIES[0], name="their/counting", tasks=("their_counting",))
"""


def test_another_package_brings_a_family_by_its_entry_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "their_families.py").write_text(THEIRS, encoding="utf-8")
    about = tmp_path / "their_families-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: their-families\nVersion: 1.0\n", encoding="utf-8")
    (about / "entry_points.txt").write_text(
        "[tolman.families]\ntheir/counting = their_families:COUNTING\n", encoding="utf-8"
    )
    assert "their/counting" not in families()  # and what follows doesn't stand on another test's search path
    monkeypatch.syspath_prepend(str(tmp_path))
    question_families.forget_families()
    try:
        assert tuple(families()) == (*OF_PAPERS, *sorted(POSED_VIDEO), "their/counting")
        assert preset("all").families[-1] == "their/counting"
        assert preset("mmsi").choosing(["their/counting"]).scoring_profile is None
    finally:
        monkeypatch.undo()
        question_families.forget_families()
    assert "their/counting" not in families()
