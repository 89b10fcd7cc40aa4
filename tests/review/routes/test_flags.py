"""From a flag to the correction of a scene, a rule or a wording, and the items made again."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

pytest.importorskip("shapely", reason="generating needs the extra 'build'")


from reviewing import Client, Served, enter, press_media_keys
from three_rooms import ROOMS
from tolman.benchmarks.benchmark_folder import open_folder
from tolman.features.generate.compute import generate
from tolman.features.generate.config import GenerateConfig
from tolman.ground_truth.scene_arrays import open_collection
from tolman.items import Item
from tolman.review.store import Decision, Flag, ItemVersion, Task


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with three rooms and a benchmark of questions about them."""
    folder = tmp_path_factory.mktemp("made")
    shutil.copytree(ROOMS, folder / "scenes")
    generate(GenerateConfig(scenes=folder / "scenes", out=folder / "bench", per_scene=2))
    return folder


def _all(made: Path) -> list[Item]:
    return open_folder(made / "bench").load(made / "bench", "all")


def _flag(served: Served, item: Item, target: str) -> tuple[Client, str]:
    """A reviewer flags an item; the owner looks at the flag."""
    project = served.project("review", people=1)
    ann, owner = served.person("reviewer", "Ann"), served.person("owner", "Olga")
    with served.site.database.write() as db:  # nothing else is to be reviewed before it
        for task in db.scalars(select(Task).join(ItemVersion).where(ItemVersion.item != item.id)):
            task.open = False
    path = ann.get(f"/projects/{project}/work").url.path
    ann.post(f"{path}/answer", answer=item.answer)
    ann.post(f"{path}/decide", verdict="flag", target=target, reason="look at it")
    page = owner.get(f"/flags/project/{project}")
    return owner, re.search(r"/flags/\d+", page.text).group()


def test_a_corrected_scene_gives_new_answers(rooms: Served, made: Path) -> None:
    item = next(i for i in _all(made) if i.task == "object_counting")
    owner, flag = _flag(rooms, item, "scene")
    page = owner.get(flag)
    beside = [i for i in _all(made) if i.scene == item.scene and i.id != item.id]
    assert page.text.count("undecided") == len(beside) > 0
    category = re.search(r"How many (.+?)\(s\)", item.question).group(1)
    room = next(g for g in open_collection(made / "scenes") if g.scene.id == item.scene)
    other = next(o for o in room.scene.objects if o.category != category and o.category not in room.unseen)
    fields = {"fact": "category", "thing": other.id, "category": category}
    assert owner.post(f"{flag}/scene", **fields).status_code == 422  # no reason
    done = owner.post(f"{flag}/scene", note="seen on the video", **fields)
    more = str(int(item.answer) + 1)
    assert "Closed: scene corrected" in done.text
    written = json.loads((made / "scenes" / "corrections.json").read_text())["corrections"]
    assert [(c["scene"], c["object"], c["category"]) for c in written] == [(item.scene, other.id, category)]
    with rooms.site.database.read() as db:
        versions = list(db.scalars(select(ItemVersion).where(ItemVersion.item == item.id).order_by(ItemVersion.id)))
        assert [(v.version, v.current, v.content["answer"], v.origin) for v in versions] == [
            (1, False, item.answer, "benchmark"), (2, True, more, "regenerated")
        ]  # fmt: skip
        again = db.scalars(select(Task).where(Task.item_id == versions[1].id)).one()
        assert (again.stage, again.open) == ("review", True)
        assert not db.scalars(select(Flag)).one().open
        untouched = db.scalars(
            select(ItemVersion).where(ItemVersion.scene != item.scene, ItemVersion.version > 1)
        ).all()
        assert untouched == []
    (made / "scenes" / "corrections.json").unlink()


def test_a_stricter_rule_takes_questions_away(rooms: Served, made: Path) -> None:
    item = next(i for i in _all(made) if i.task == "object_counting")
    owner, flag = _flag(rooms, item, "rule")
    owner.post(f"{flag}/rule", rule="counting.least", value="50", note="counts below are guessed")
    gone = set(rooms.scalars(select(ItemVersion.item).join(Decision).where(Decision.verdict == "discard")))
    assert gone == {i.id for i in _all(made) if i.task == "object_counting"}


def test_a_wording_is_replaced_in_all_items_of_the_type(rooms: Served, made: Path) -> None:
    item = next(i for i in _all(made) if i.task == "object_counting")
    owner, flag = _flag(rooms, item, "template")
    done = owner.post(f"{flag}/template", old="How many", new="What number of", note="style")
    assert "made again" in done.text
    fresh = list(rooms.scalars(select(ItemVersion).where(ItemVersion.current, ItemVersion.version == 2)))
    assert {v.item for v in fresh} == {i.id for i in _all(made) if i.task == "object_counting"}
    assert all(v.content["question"].startswith("What number of") for v in fresh)


def test_a_flag_may_be_dismissed_with_a_reason(rooms: Served, made: Path) -> None:
    item = _all(made)[0]
    owner, flag = _flag(rooms, item, "item")
    assert owner.post(f"{flag}/dismiss").status_code == 422
    assert "Closed: dismissed" in owner.post(f"{flag}/dismiss", note="it is right").text
    assert [d.verdict for d in rooms.scalars(select(Decision).order_by(Decision.id))] == ["flag", "approve"]


@pytest.mark.full
def test_media_keys_leave_what_is_wrong_with_a_scene_as_it_was_chosen(browser: Any, rooms: Served) -> None:
    project = rooms.project("review", people=1)
    eve = rooms.person("reviewer", "Eve")
    path = eve.get(f"/projects/{project}/work").url.path
    eve.post(f"{path}/answer", answer="2" if "inputmode" in eve.last.text else "A")
    eve.post(f"{path}/decide", verdict="flag", target="scene", reason="look")
    context = browser.new_context(base_url=rooms.url, viewport={"width": 1180, "height": 900})
    page = context.new_page()
    enter(page, rooms, "owner", "Olga")
    page.goto("/flags/1")
    wrong = page.get_by_label("an object is something else")
    for choose in (wrong.check, wrong.focus):
        choose()
        press_media_keys(page)
        assert wrong.is_checked()
    context.close()
