"""Choosing distractor frames beside key steps."""

import io
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
from PIL import Image

from making import HOSTILE, make_rig, violations, written
from reviewing import Client, Serve, Served, at_work, press_media_keys, snap
from tolman.generate.presets import preset
from tolman.ground_truth.question_families import recompute
from tolman.ground_truth.scene_arrays import SceneGeometry, open_collection
from tolman.items import MEDIA_MARK
from tolman.review.modes.frame_distractors import key_steps
from tolman.review.projects.project_export import publish
from tolman.review.tasks import item_of
from tolman.scenes import Event

EVENTS = (
    Event(start=0.5, end=1.5, label="wait", kind="description"),
    Event(start=9.0, end=10.0, label=f"cut {HOSTILE}", kind="keystep"),
    Event(start=14.0, end=15.0, label="stir", kind="keystep"),
)


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_rig(tmp_path_factory.mktemp("rig"), EVENTS)


@pytest.fixture
def served(benchmark: Path, rig: Path, serve: Serve) -> Served:
    return serve(benchmark, scenes=rig)


def _send(client: Client, path: str, picks: list[int], **more: str) -> Any:
    fields = {"pick": [str(pick) for pick in picks], "seconds": "2"} | more
    return client.post(path, **fields)


def test_key_steps_come_from_events_or_else_from_the_whole_recording(rig: Path, tmp_path: Path) -> None:
    (geometry,) = [g for g in open_collection(rig) if isinstance(g, SceneGeometry)]
    steps = list(key_steps(geometry, 4))
    assert [(step.label, step.right.seconds, step.direction.given) for step in steps] == [
        (f"cut {HOSTILE}", 9.5, "exo"), ("stir", 14.5, "ego"),
    ]  # fmt: skip
    bare = SceneGeometry(geometry.scene.model_copy(update={"events": ()}), geometry.captures)
    assert [(step.label, step.right.seconds) for step in key_steps(bare, 2)] == [("", 0.0), ("", 10.0)]


def test_three_frames_become_a_question(served: Served, rig: Path, tmp_path: Path) -> None:
    project = served.project("distractors", moments=4)
    ann = served.person("annotator", "Ann")
    made = {}
    for _ in range(2):
        page = ann.get(f"/projects/{project}/work")
        path = page.url.path
        assert HOSTILE not in page.text
        right = 19 if "cut" in page.text else 29
        assert f"frame/other/{right}" in page.text
        assert f'value="{right}"' not in page.text
        for view, number in (("given", 0), ("other", right), ("other", right - 1)):
            got = ann.get(f"{path}/frame/{view}/{number}")
            assert Image.open(io.BytesIO(got.content)).size == (160, 120)
        assert ann.get(f"{path}/frame/other/99").status_code == 404
        assert "3 frames that don&#39;t fit; 1 is chosen" in _send(ann, f"{path}/check", [right - 8]).text
        near = _send(ann, f"{path}/check", [right - 1, right - 8, right + 8]).text
        assert "\u22120.5 s is hardly told apart from the right one: the wearer is 0.2 m away and turned by 0°" in near
        still = _send(ann, f"{path}/check", [0, 2, right - 8]).text
        assert "show the same" in still
        assert _send(ann, path, [0, 2, right - 8]).status_code == 422
        typed = _send(ann, f"{path}/check", [right - 8], do="at", at="15,6" if right == 19 else "5")
        assert typed.text.count("checked") == 2
        assert ann.get(path).text.count("checked") == 2
        picks = [right - 8, right + 8, 2]
        assert _send(ann, path, picks).status_code == 200
        assert _send(ann, path, picks).status_code == 200
        other = _send(ann, path, [right - 9, right + 9, 2])
        assert (other.status_code, "what you submitted first stays" in other.text) == (409, True)
        made[right] = path
    items = [item_of(version) for version in written(served, project)]
    assert [item.evidence["keystep"] for item in sorted(items, key=lambda i: i.evidence["seconds"])] == [
        f"cut {HOSTILE}", "stir",
    ]  # fmt: skip
    (geometry,) = [g for g in open_collection(rig) if isinstance(g, SceneGeometry)]
    for item in items:
        assert item.options == (MEDIA_MARK,) * 4
        assert item.interleaved
        found = recompute(geometry, item, preset("site").settings, released=False)
        assert found.place is not None
        assert item.letters[found.place] == item.answer
        assert len(item.evidence["others"]) == 3
        assert item.labels["spatialbench_task"]
    publish(served.site, tmp_path / "out")
    for medium in items[0].media:
        assert Image.open(io.BytesIO((tmp_path / "out" / medium.path).read_bytes())).size == (160, 120)
    assert "near in time" in served.person("owner", "Olga").get(f"/projects/{project}/progress").text
    bob = served.person("annotator", "Bob")
    assert bob.get(made[19]).status_code == bob.get(f"{made[19]}/frame/other/3").status_code == 404


@pytest.mark.full
def test_frames_are_chosen_on_the_page(page: Any, served: Served) -> None:
    project = served.project("distractors", moments=1)
    at_work(page, served, "annotator", "Ann", project)
    page.get_by_role("checkbox", name="\u22125.0 s").press("Space")
    page.get_by_role("checkbox", name="+4.0 s").press("Space")
    page.get_by_text("2 are chosen").wait_for()
    video = page.locator(".player video")
    video.evaluate("v => new Promise(done => { v.onseeked = done; v.currentTime = 18.05; })")
    page.get_by_role("button", name="Take the player's time").press("Enter")
    page.get_by_role("button", name="Choose this frame too").press("Enter")
    page.get_by_text("Nothing is missing").wait_for()
    assert page.get_by_role("checkbox", name="+8.5 s").is_checked()
    page.set_viewport_size({"width": 1180, "height": 1300})
    page.evaluate("scrollTo(0, 0)")
    page.wait_for_load_state("networkidle")
    snap(page, "distractors")
    assert not violations(page)
    page.context.set_offline(True)
    page.get_by_role("button", name="Submit the three").press("Enter")
    page.get_by_text("The connection is lost").wait_for()
    page.context.set_offline(False)
    page.get_by_role("heading", name="Nothing is left to do").wait_for(timeout=15000)
    (version,) = written(served, project)
    assert sorted(other["seconds"] for other in item_of(version).evidence["others"]) == [-5.0, 4.0, 8.5]
    assert page.title() != "owned"


@pytest.mark.full
def test_media_keys_leave_the_frames_as_they_were_chosen(page: Any, served: Served) -> None:
    project = served.project("distractors", moments=4)
    at_work(page, served, "annotator", "Ann", project)
    picks = page.locator("input[name=pick]")
    picks.first.wait_for()
    chosen = []
    for place in (0, 2, 4):
        picks.nth(place).check()
        press_media_keys(page)
        press_media_keys(page, picks.nth(place))
        chosen.append(picks.nth(place).get_attribute("value"))
    assert [pick.get_attribute("value") for pick in page.locator("input[name=pick]:checked").all()] == chosen
    with page.expect_request(lambda request: request.method == "POST" and request.url.endswith("/1")) as sent:
        page.get_by_role("button", name="Submit the three").click()
    assert [value for name, value in parse_qsl(sent.value.post_data) if name == "pick"] == chosen
