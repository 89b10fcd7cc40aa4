"""The best single map: it finds planted maps, is no worse than the true one, and fits permuted answers less."""

import runpy
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("shapely", reason="scenes need the extra 'build'")

from three_rooms import ROOMS
from tolman.analyze.answer_map import (
    AnswerSets,
    MapTask,
    Margins,
    fit_map,
    has_enough,
    map_tasks,
    share_drawn,
    summarise_maps,
)
from tolman.analyze.consistency import DIRECTION, DISTANCE, NEAREST, AnswerSheet, SceneAnswer
from tolman.features.analyses.config import ConsistencyConfig
from tolman.features.analyses.run_analyses import analyze_consistency
from tolman.geometry.ground_plane import HALVES, QUADRANTS, egocentric_angle
from tolman.ground_truth.scene_arrays import SceneGeometry, geometries_by_id
from tolman.runs.run_items import load

GEOMETRIES = geometries_by_id(ROOMS)
TURNS = (("object_rel_direction_easy", HALVES), ("object_rel_direction_hard", QUADRANTS))


def answers_of(geometry: SceneGeometry, places: np.ndarray, seed: int, count: int = 12) -> list[SceneAnswer]:
    """Answers of each kind about five unique objects, from places of all objects in the plane; exact box distances."""
    dice = np.random.default_rng(seed)
    scene = geometry.scene
    moved = [
        thing.model_copy(update={"box": thing.box.model_copy(update={"center": (*at, thing.box.center[2])})})
        for thing, at in zip(scene.objects, places.tolist(), strict=True)
    ]
    seen = SceneGeometry(scene.model_copy(update={"objects": tuple(moved)}))
    names = [name for name in geometry.unique if name != "rug"][:5]  # it lies under the table: no direction
    found = []
    for n in range(count):
        a, b, c, d = dice.permutation(names)[:4].tolist()
        task, sectors = TURNS[n % 2]
        angle = float(egocentric_angle(*(seen.center(name) for name in (a, b, c))))
        sector = [low <= angle < high for low, high, _ in sectors].index(True)
        head = task, scene.id, scene.id, 0
        found.append(SceneAnswer(f"{scene.id} d{n}", *head, DIRECTION, (a, b, c), sector, sector, len(sectors)))
        best = int(np.argmin([seen.exact_distance(a, name) for name in (b, c, d)]))
        found.append(SceneAnswer(f"{scene.id} n{n}", *head, NEAREST, (a, b, c, d), best, best, 3))
        metres = seen.exact_distance(a, b)
        found.append(SceneAnswer(f"{scene.id} m{n}", *head, DISTANCE, tuple(sorted((a, b))), metres, metres, 0))
    return found


def true_places(geometry: SceneGeometry) -> np.ndarray:
    return geometry.boxes.centers[:, :2]


@pytest.mark.parametrize("geometry", GEOMETRIES.values(), ids=GEOMETRIES)
def test_a_planted_map_is_found_that_is_not_the_true_one(geometry: SceneGeometry) -> None:
    planted = true_places(geometry) + np.random.default_rng(1).normal(0, 2.0, true_places(geometry).shape)
    answers = answers_of(geometry, planted, 0)
    values = np.array([[one.value for one in answers]])
    found = fit_map(MapTask(geometry, answers, values, 0.2, 8, 0))
    assert found.kept.mean() >= 0.97
    assert found.true_kept.mean() < 0.8
    assert found.places.shape == (1, 5, 2)
    margins = Margins(geometry, answers, 0.2)
    again = margins(found.places.astype(np.float32), values, 1.0)[0] > 0
    assert (again == found.kept).all()
    same = fit_map(MapTask(geometry, answers, values, 0.2, 8, 0))
    assert (same.places == found.places).all()


def test_the_true_map_gives_right_answers_and_exact_distances() -> None:
    for geometry in GEOMETRIES.values():
        answers = answers_of(geometry, true_places(geometry), 0, count=30)
        values = np.array([[one.value for one in answers]])
        margins = Margins(geometry, answers, 0.05)
        places = margins.true[None].astype(np.float32)
        kept = margins(places, values, 1.0)[0][0] > 0
        assert kept.mean() > 0.97
        assert fit_map(MapTask(geometry, answers, values, 0.05, 2, 0)).kept.sum() >= kept.sum()
        off = []
        for one in answers:
            if one.family == DISTANCE:
                shorter, longer = (replace(one, value=one.value * factor) for factor in (0.9, 1.1))
                said = np.array([[shorter.value, one.value, longer.value]])
                margin = Margins(geometry, [shorter, one, longer], 0.05)
                ends = margin.true[None].astype(np.float32)
                off.append((margin(ends, said, 1.0)[0][0] > 0).tolist())
        assert np.mean([own == [False, True, False] for own in off]) > 0.9


def test_slopes_are_those_of_the_margins() -> None:
    """Finite differences in double steps, away from the kinks."""
    geometry = next(iter(GEOMETRIES.values()))
    answers = answers_of(geometry, true_places(geometry), 0)
    values = np.array([[one.value for one in answers]])
    margins = Margins(geometry, answers, 0.2)
    places = (margins.true + np.random.default_rng(2).normal(0, 1, margins.true.shape))[None].astype(np.float32)

    def total(at: np.ndarray) -> float:
        return float((1 / (1 + np.exp(-margins(at, values, 1.0)[0].astype(np.float64)))).sum())

    slope = margins(places, values, 1.0)[1]
    for index in np.ndindex(slope.shape):
        step = np.zeros_like(places)
        step[index] = 0.01
        assert slope[index] == pytest.approx((total(places + step) - total(places - step)) / 0.02, abs=0.05)


def test_objects_in_one_point_satisfy_no_answers() -> None:
    geometry = next(iter(GEOMETRIES.values()))
    answers = [one for one in answers_of(geometry, true_places(geometry), 0) if one.family == DIRECTION]
    margins = Margins(geometry, answers, 0.2)
    values = np.array([[one.value for one in answers]])
    assert not (margins(np.zeros((1, *margins.true.shape), np.float32), values, 1.0)[0] > 0).any()


def sets_of(seed: int, *, guess: bool = False) -> AnswerSets:
    dice = np.random.default_rng(seed)
    answers = [one for geometry in GEOMETRIES.values() for one in answers_of(geometry, true_places(geometry), seed)]
    sheet = AnswerSheet(answers)
    if guess:
        values = sheet.permuted(sheet.values, dice)
        sheet = AnswerSheet([replace(one, value=float(v)) for one, v in zip(answers, values, strict=True)])
    return AnswerSets.of(sheet, 0.5, seed)


def test_right_answers_stand_out_from_permuted_ones_and_guesses_do_not() -> None:
    found = {}
    for guess in (False, True):
        sets = sets_of(0, guess=guess)
        tasks, thin = map_tasks(sets, GEOMETRIES, tolerance=0.2, starts=2, seed=0)
        assert thin == []
        found[guess] = summarise_maps(sets, [(numbers, fit_map(task)) for numbers, task in tasks], thin)
    right, guessed = found[False], found[True]
    assert right is not None
    assert guessed is not None
    assert right.best.share is not None
    assert guessed.best.share is not None
    assert right.best.answers == right.best_right.answers == 36 * len(GEOMETRIES)
    assert right.best.share.value > 97
    assert right.best.guessed is not None
    assert right.best.guessed < 80
    assert abs(guessed.best.share.value - (guessed.best.guessed or 0)) < 10
    assert guessed.best_right.answers < 0.6 * guessed.best.answers
    assert len(guessed.lost) == round(guessed.best.answers * (1 - guessed.best.share.value / 100))


def test_scenes_with_too_few_answers_are_left_out() -> None:
    geometry = next(iter(GEOMETRIES.values()))
    answers = answers_of(geometry, true_places(geometry), 0)
    few = answers[:10]
    assert not has_enough(few)  # up to five objects have ten coordinates
    assert not has_enough(answers[:1] * 5)
    assert has_enough(answers)
    sets = AnswerSets.of(AnswerSheet(few), 0.5, 0)
    tasks, thin = map_tasks(sets, GEOMETRIES, tolerance=0.2, starts=2, seed=0)
    assert (tasks, thin) == ([], [10])
    assert summarise_maps(sets, [], thin) is None


def test_answers_that_follow_from_a_drawn_map() -> None:
    def answer(id: str, family: str, about: tuple[str, ...], value: float) -> SceneAnswer:
        return SceneAnswer(id, "object_rel_direction_easy", "s", "s", 0, family, about, value, 0.0, 2)

    answers = [
        answer("1", DIRECTION, ("a", "b", "c"), 0),  # c is to the left
        answer("2", DIRECTION, ("b", "a", "c"), 0),  # here to the right
        answer("3", NEAREST, ("a", "b", "chair"), 1),
        answer("4", NEAREST, ("a", "b", "lamp"), 0),  # the map has no lamp
        answer("5", DIRECTION, ("a", "b", "chair"), 0),  # and two chairs
        answer("6", NEAREST, ("a", "b", "d"), 0),  # both are as near
        answer("7", DISTANCE, ("a", "b"), 2),
    ]
    drawn = {"a": [(0, 0)], "b": [(2, 0)], "c": [(1, 1)], "d": [(0, 2)], "chair": [(1, 0), (9, 9)]}
    sets = AnswerSets.of(AnswerSheet(answers), 0.5, 0)
    found, undrawn = share_drawn(sets, dict.fromkeys(range(7), drawn))
    assert (found.answers, undrawn) == (3, 3)
    assert found.share is not None
    assert found.share.value == pytest.approx(100 * 2 / 3)
    nothing, undrawn = share_drawn(sets, {0: {}})
    assert (nothing.answers, nothing.share, nothing.guessed, undrawn) == (0, None, None, 1)


@pytest.mark.full
def test_scripted_models_are_told_apart_on_vsi_bench(shared_data: Path, tmp_path: Path) -> None:
    vsi_bench = shared_data / "vsi-bench"
    made: dict[str, Any] = runpy.run_path(str(Path(__file__).resolve().parents[2] / "benchmarks" / "consistency.py"))
    scenes = {name: one.scene for name, one in geometries_by_id(vsi_bench / "meta_info").items()}
    asked = Counter(item.scene for item in load("vsi-bench", vsi_bench, None).items if "object_rel" in item.task)
    chosen = {scene for scene, _ in asked.most_common(30)}
    items = [item for item in load("vsi-bench", vsi_bench, None).items if item.scene in chosen]
    runs = [
        made["run"](made["answers"](model, items, scenes, 0.5, 0), model, vsi_bench, tmp_path)
        for model in made["MODELS"]
    ]
    found = analyze_consistency(ConsistencyConfig(runs=tuple(runs), scenes=vsi_bench / "meta_info", starts=4)).runs
    rate = {name: own.contradictions["all"].found / own.contradictions["all"].groups for name, own in found.items()}
    kept = {name: own.map.best.share.value for name, own in found.items() if own.map and own.map.best.share}
    assert rate["oracle"] == rate["one-map"] == 0
    assert 0.01 < rate["new-map"] < 0.5 * rate["guesser"]
    assert kept["oracle"] > 99
    assert kept["oracle"] > kept["one-map"] > kept["new-map"] + 3 > kept["guesser"] + 10
    guesser = found["guesser"]
    assert guesser.contradictions["all"].p > 0.01
    assert guesser.map is not None
    assert guesser.map.best.guessed == pytest.approx(kept["guesser"], abs=4)
