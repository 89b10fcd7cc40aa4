"""SITE's families: the right picture is of the same moment, and the pictures say so."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from generate.conftest import Asked
from generate.plan_solver import PlanSolver
from tolman.generate.families.site import association, reordering
from tolman.generate.families.site.support.camera_rig import WEARER, SceneRig, rigs
from tolman.generate.family import Draft, Rejected
from tolman.generate.presets import preset
from tolman.ground_truth import question_families
from tolman.ground_truth.question_families import SITE, recompute
from tolman.ground_truth.scene_arrays import SceneGeometry
from tolman.items import MEDIA_MARK, Item
from tolman.scenes import Capture, Scene

RULES = preset("site")


@pytest.mark.full
def test_a_second_solver_answers_everything(asked: Callable[[str], Asked]) -> None:
    scenes, items = asked("site")
    counts = Counter(item.labels["family"] for item in items)
    assert len(set(counts) & set(SITE)) >= 3, counts
    for item in items:
        geometry = scenes[str(item.scene)]
        told = PlanSolver(geometry.scene, list(geometry.captures)).answer(item)
        assert told == (item.answer if MEDIA_MARK in item.options else item.answer_text), item.evidence


def test_items_are_of_site_s_category_and_are_recomputed(asked: Callable[[str], Asked]) -> None:
    scenes, items = asked("site")
    for item in items:
        assert item.task == item.labels["site_category"] == "multi-view & cross-image reasoning"
        assert item.labels["change"] == ("dynamic" if item.labels["family"].startswith("site/reorder") else "static")
        assert item.interleaved
        found = recompute(scenes[str(item.scene)], item, RULES.settings, released=False)
        if found.place is None:
            assert found.exact == item.answer_text
        else:
            assert item.letters[found.place] == item.answer


def test_every_distractor_is_another_moment_that_the_pictures_rule_out(asked: Callable[[str], Asked]) -> None:
    settings = association.FAMILIES[0].settings
    _, items = asked("site")
    for item in items:
        if item.labels["family"].startswith("site/associate"):
            assert item.evidence["clues"]
            assert len({tuple(shot) for shot in item.evidence["shots"]}) == 5
            for other in item.evidence["others"]:
                assert other["metres"] >= settings.moved or other["degrees"] >= settings.turned
                assert other["near"] in ("time", "place")
        else:
            assert min(item.evidence["steps"]) >= reordering.FAMILIES[0].settings.step


def test_pictures_of_one_question_differ(asked: Callable[[str], Asked], rigs: Path) -> None:
    from tolman.media.video import read_frames, read_index

    scenes, items = asked("site")
    for item in [i for i in items if i.labels["family"].startswith("site/associate")][:4]:
        captures = {c.id: c for c in scenes[str(item.scene)].captures}
        pictures = []
        for name, frame, _ in item.evidence["shots"][1:]:
            path = rigs / str(captures[name].media)
            ((_, image),) = read_frames(path, read_index(path), [frame])
            pictures.append(np.asarray(image, dtype=float))
        for i, one in enumerate(pictures):
            assert all(np.abs(one - other).mean() > 1 for other in pictures[:i])


def turned(x: float, y: float, z: float, yaw: float, pitch: float = 0.0) -> tuple[float, ...]:
    """A camera's pose, row by row."""
    ahead = np.array([np.cos(pitch) * np.cos(yaw), np.cos(pitch) * np.sin(yaw), np.sin(pitch)])
    right = np.array([np.sin(yaw), -np.cos(yaw), 0.0])
    pose = np.eye(4)
    pose[:3, :3] = np.stack([right, np.cross(ahead, right), ahead], axis=1)
    pose[:3, 3] = x, y, z
    return tuple(pose.ravel().tolist())


def recorded(*, seconds: float = 12.0, offset: float = 0.0, every: float = 0.25) -> SceneGeometry:
    """Two cameras as people record them: clocks, poses and intrinsics, and nothing about what is in the pictures.

    The wearer walks along x from 1 to 7 m; the fixed camera looks on from the side.
    """
    times = tuple(float(t) for t in np.arange(0, seconds, every))
    walked = [turned(1 + 6 * t / seconds, 4.0, 1.5, 0.0) for t in times]
    fixed = [turned(4.0, 0.0, 2.0, np.pi / 2, -0.1)] * len(times)
    common = {
        "scene": "real/take",
        "sensor": "camera",
        "size": (640, 480),
        "intrinsics": ((320.0, 320.0, 320.0, 240.0),),
    }
    captures = [
        Capture(id="real/ego", role="ego", media="ego.mp4", times=times, poses=tuple(walked), **common),  # type: ignore[arg-type]
        Capture(
            id="real/exo",
            role="exo-1",
            media="exo.mp4",
            times=tuple(t - offset for t in times),
            offset=offset,
            poses=tuple(fixed),
            **common,  # type: ignore[arg-type]
        ),
    ]
    return SceneGeometry(Scene(id="real/take", dataset="real", objects=()), captures)


def drafts_of(geometry: SceneGeometry, family: str) -> list[Draft]:
    own = question_families.family(family)
    return [d for d in own.draft(geometry, own.settings) if isinstance(d, Draft)]


@pytest.mark.parametrize("family", SITE)
def test_recordings_of_people_are_asked_about_by_their_poses_alone(family: str) -> None:
    geometry = recorded(offset=100.0)
    drafts = drafts_of(geometry, family)
    assert drafts
    captures = {c.id: c for c in geometry.captures}
    for draft in drafts:
        assert "a person wears" in draft.question
        times = [captures[shot.capture].scene_time(shot.frame) for shot in draft.shots]
        if family.startswith("site/associate"):
            assert times[1] == pytest.approx(times[0], abs=0.05)
            assert min(abs(t - times[0]) for t in times[2:]) > 1
        else:
            order = [int(n) - 1 for n in draft.answer.split(", ")]
            assert [times[0], *(times[2 + i] for i in order), times[1]] == sorted(times)


def test_pictures_a_second_apart_are_asked_about_once() -> None:
    geometry = recorded(seconds=30.0, every=1.0)
    (rig,) = rigs(geometry, association.FAMILIES[0].settings)
    assert association.FAMILIES[0].settings.every < 1
    assert len(rig.moments) == len({(moment.ego, moment.exo) for moment in rig.moments}) == 30
    drafts = drafts_of(geometry, SITE[0])
    assert len(drafts) > 3
    assert len({draft.shots[:2] for draft in drafts}) == len(drafts)


def test_what_stands_still_gives_no_question() -> None:
    still = recorded()
    ego = still.captures[0]
    stays = ego.model_copy(update={"poses": (ego.poses[0],) * len(ego.times)})
    geometry = SceneGeometry(still.scene, [stays, still.captures[1]])
    assert all(drafts_of(geometry, family) == [] for family in SITE)


def test_recordings_at_other_times_give_none() -> None:
    both = recorded()
    late = both.captures[1].model_copy(update={"offset": 1000.0})
    assert all(drafts_of(SceneGeometry(both.scene, [both.captures[0], late]), family) == [] for family in SITE)


def test_one_camera_gives_a_reason() -> None:
    alone = recorded()
    geometry = SceneGeometry(alone.scene, alone.captures[:1])
    (found,) = association.FAMILIES[0].draft(geometry, association.FAMILIES[0].settings)
    assert isinstance(found, Rejected)
    assert found.reason == "no exocentric recording: none has a role that begins with 'exo'"


def test_a_wearer_is_looked_for_only_inside_the_picture() -> None:
    geometry = recorded()
    rig = SceneRig(geometry, *geometry.captures, association.FAMILIES[0].settings)
    assert rig.shows(rig.exo, 24, WEARER)  # in the middle of the picture
    assert not rig.shows(rig.ego, 24, WEARER)
    away = rig.exo.model_copy(update={"poses": (turned(4.0, 0.0, 2.0, -np.pi / 2),) * len(rig.exo.times)})
    assert not SceneRig(geometry, rig.ego, away, association.FAMILIES[0].settings).shows(away, 24, WEARER)


def test_pictures_move_with_their_options(asked: Callable[[str], Asked]) -> None:
    _, items = asked("site")
    item: Item = next(i for i in items if i.options[0] == MEDIA_MARK)
    turned_round = item.reordered((3, 2, 1, 0))
    assert turned_round.media == (item.media[0], *reversed(item.media[1:]))
    places = Counter(i.answer for i in items if i.options[0] == MEDIA_MARK)
    assert len(places) == 4
