"""The observer's reasoning: without noise it answers as the families do, with noise as known laws say."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("shapely", reason="scenes need the extra 'build'")

from scipy.stats import binom, norm

from three_rooms import ROOMS
from tolman.analyze.observer import Noise
from tolman.analyze.observer_answers import (
    ANSWERS,
    AnswerTable,
    Unanswered,
    relative_accuracy_level,
    scene_tasks,
    tabulate,
)
from tolman.generate.draft_items import as_choice, item_of
from tolman.generate.family import Draft
from tolman.generate.presets import drafts, preset
from tolman.ground_truth.question_families import recompute
from tolman.ground_truth.scene_arrays import SceneGeometry, open_collection
from tolman.items import Item
from tolman.media.sampling import Frames
from tolman.models.geometric import answer_text
from tolman.protocols.captions_and_examples import with_way_out
from tolman.runs.run_items import load
from tolman.scoring.answer_values import mra_vsi_bench

STILL = Noise(positions=(0.0,), sizes=(0.0,), misses=(0.0,))
Rooms = dict[str, SceneGeometry]


@pytest.fixture(scope="module")
def rooms() -> Rooms:
    return {one.scene.id: one for one in open_collection(ROOMS) if isinstance(one, SceneGeometry)}


@pytest.fixture(scope="module")
def items(rooms: Rooms) -> list[Item]:
    """Up to eight questions of each type about each room."""
    found: list[Item] = []
    for geometry in rooms.values():
        counts: Counter[str] = Counter()
        for draft in drafts(geometry, preset("vsi-paper")):
            if isinstance(draft, Draft) and counts[draft.task] < 8:
                counts[draft.task] += 1
                own = item_of(draft.finished(), counts[draft.task] % 2, (), 0)
                found.append(own.model_copy(update={"id": f"{len(found)}"}))
    return found


def simulate(
    items: list[Item], rooms: Rooms, noise: Noise, frames: Frames | None = None, draws: int = 1
) -> dict[str, AnswerTable]:
    tasks, lost = scene_tasks(items, rooms, frames, noise, draws=draws)
    assert not lost
    found = [one for task in tasks for one in tabulate(task)]
    return {one.id: one for one in found if isinstance(one, AnswerTable)}


def true_outcome(item: Item, geometry: SceneGeometry) -> int:
    """The outcome of the family's own answer."""
    text = answer_text(item, recompute(geometry, item, released=False))
    return (
        item.letters.index(text) if item.kind == "choice" else round(10 * mra_vsi_bench(float(text), item.float_answer))
    )


def test_without_noise_every_family_answers_as_its_own_reasoning(rooms: Rooms, items: list[Item]) -> None:
    tables = simulate(items, rooms, STILL)
    assert len({item.task for item in items}) == 10
    for item in items:
        assert int(tables[item.id].chances[0, 0].argmax()) == true_outcome(item, rooms[item.scene or ""]), item
        right = tables[item.id].scores[tables[item.id].chances[0, 0].argmax()]
        assert tables[item.id].ceiling == pytest.approx(right)
        assert right == 1 if item.kind == "choice" else right > 0.7, item  # the question's own number is rounded


def test_numbers_in_multiple_choice_form_are_the_nearest_option(rooms: Rooms, items: list[Item]) -> None:
    chosen = [as_choice(item) for item in items if item.kind == "number"]
    assert {item.kind for item in chosen} == {"choice"}
    tables = simulate(chosen, rooms, STILL)
    for item in chosen:
        assert int(tables[item.id].chances[0, 0].argmax()) == item.letters.index(item.answer)


def test_the_option_cant_tell_is_never_picked(rooms: Rooms, items: list[Item]) -> None:
    noise = Noise(positions=(0.0, 0.5), sizes=(0.0,), misses=(0.0, 0.3))
    offered = [with_way_out(item) for item in items]
    plain, grounded = (simulate(asked, rooms, noise, draws=50) for asked in (items, offered))
    assert {one.task for one in grounded.values()} >= {"object_rel_distance", "obj_appearance_order"}
    assert plain.keys() == grounded.keys()
    assert all((plain[id].chances == grounded[id].chances).all() for id in plain)
    asked = next(item for item in offered if item.options)
    tasks, _ = scene_tasks([asked.model_copy(update={"answer": asked.letters[-1]})], rooms, None, noise, draws=1)
    assert tabulate(tasks[0]) == [Unanswered(asked.id, asked.task, "its right answer is that it can't be answered")]


@pytest.mark.full
def test_without_noise_the_released_questions_are_answered_as_the_oracle_answers(shared_data: Path) -> None:
    data = shared_data / "vsi-bench"
    found = open_collection(data / "meta_info")
    scenes = {one.scene.id: one for one in found if isinstance(one, SceneGeometry)}
    released = {item.id: item for item in load("vsi-bench", data, None).items}
    tasks, lost = scene_tasks(list(released.values()), scenes, None, STILL, draws=1)
    assert not lost
    unanswered: Counter[str] = Counter()
    different = []
    for one in (one for task in tasks for one in tabulate(task)):
        item = released[one.id]
        if isinstance(one, Unanswered):
            unanswered[one.task] += 1
            with pytest.raises((KeyError, ValueError)):
                recompute(scenes[item.scene or ""], item, released=False)
        elif int(one.chances[0, 0].argmax()) != true_outcome(item, scenes[item.scene or ""]):
            different.append(one.id)
    assert unanswered == {"route_planning": 194, "obj_appearance_order": 618}
    assert different == ["4498", "4509"]  # counts that are not those of the boxes


def test_a_count_is_binomial_in_the_miss_rate(rooms: Rooms, items: list[Item]) -> None:
    noise = replace(STILL, misses=(0.0, 0.3))
    counted = [item for item in items if item.task == "object_counting"]
    tables = simulate(counted, rooms, noise, draws=4000)
    for item in counted:
        n = int(item.answer)
        chances = tables[item.id].chances[0, 1] * (4000 + 5.5) / 4000
        levels = relative_accuracy_level(np.arange(1, n + 1).astype(float), n)
        guessed = 0.3**n * tables[item.id].guess
        expected = guessed + np.bincount(levels, binom.pmf(np.arange(1, n + 1), n, 0.7), minlength=11)
        np.testing.assert_allclose(chances, expected, atol=0.03)


def test_a_question_about_three_things_needs_all_of_them(rooms: Rooms, items: list[Item]) -> None:
    noise = replace(STILL, misses=(0.2,))
    asked = [item for item in items if item.task == "object_rel_direction_hard"]
    for item in asked:
        table = simulate([item], rooms, noise, draws=4000)[item.id]
        right = item.letters.index(item.answer)
        assert table.chances[0, 0, right] == pytest.approx(0.8**3 + (1 - 0.8**3) / 4, abs=0.03)


def test_sizes_err_by_the_log_normal_law(rooms: Rooms, items: list[Item]) -> None:
    noise = replace(STILL, sizes=(0.0, 0.2))
    item = next(item for item in items if item.task == "object_size_estimation")
    table = simulate([item], rooms, noise, draws=20_000)[item.id]
    within_5_percent = norm.cdf(np.log(1.05) / 0.2) - norm.cdf(np.log(0.95) / 0.2)
    assert table.chances[1, 0, 10] == pytest.approx(within_5_percent, abs=0.02)


def test_great_noise_leaves_directions_to_chance_and_little_noise_doesnt(rooms: Rooms, items: list[Item]) -> None:
    noise = replace(STILL, positions=(0.05, 0.5, 50.0))
    asked = [item for item in items if item.task == "object_rel_direction_easy"]
    tables = simulate(asked, rooms, noise, draws=2000)
    right = np.mean([tables[i.id].chances[:, 0, i.letters.index(i.answer)] for i in asked], axis=0)
    assert right[0] > 0.97
    assert right[0] > right[1] > right[2]
    assert right[2] == pytest.approx(0.5, abs=0.05)


def test_errors_that_are_set_do_not_lower_the_ceiling(rooms: Rooms, items: list[Item]) -> None:
    asked = [item for item in items if item.task == "object_rel_direction_hard"]
    for table in simulate(asked, rooms, replace(STILL, confusion=0.5, drift=1.0), draws=200).values():
        assert table.ceiling == 1
        assert table.chances[0, 0] @ table.scores < 0.9


def test_what_the_frames_do_not_show_is_guessed(rooms: Rooms, items: list[Item]) -> None:
    asked = [item for item in items if item.task == "object_rel_direction_hard"]
    shown = simulate(asked, rooms, STILL, Frames(count=1), draws=10)
    unseen = [table for table in shown.values() if table.chances[0, 0].max() < 0.5]
    assert unseen
    for table in unseen:
        np.testing.assert_allclose(table.chances[0, 0], 0.25, atol=1e-9)


def test_an_overlooked_category_comes_later_or_never(rooms: Rooms, items: list[Item]) -> None:
    noise = replace(STILL, misses=(0.0, 0.5, 0.97))
    asked = [item for item in items if item.task == "obj_appearance_order"]
    tables = simulate(asked, rooms, noise, Frames(count=16), draws=2000)
    right = np.mean([t.chances[0, :, t.scores.argmax()] for t in tables.values()], axis=0)
    assert right[0] > right[1] > right[2]
    assert right[2] == pytest.approx(0.25, abs=0.1)


def test_chances_and_guesses_add_up_to_1(rooms: Rooms, items: list[Item]) -> None:
    tables = simulate(items, rooms, Noise(positions=(0.0, 0.3), sizes=(0.0, 0.3), misses=(0.0, 0.3)), draws=100)
    for table in tables.values():
        np.testing.assert_allclose(table.chances.sum(-1), 1)
        assert table.guess.sum() == pytest.approx(1)
        assert table.chances.shape == (1 if table.axis == "miss" else 2, 2, len(table.scores))


def test_levels_are_those_of_the_released_metric() -> None:
    for truth in (1.0, 2.0, 3.0, 2.7, 40.0):
        values = np.array([truth * k / 40 for k in range(100)])
        expected = [round(10 * mra_vsi_bench(float(value), truth)) for value in values]
        assert relative_accuracy_level(values, truth).tolist() == expected


def test_questions_of_no_family_say_so(rooms: Rooms, items: list[Item]) -> None:
    strange = items[0].model_copy(update={"task": "colour", "labels": {}})
    lost = items[1].model_copy(update={"scene": "elsewhere"})
    tasks, missing = scene_tasks([strange, lost], rooms, None, STILL, draws=1)
    assert [one.reason for one in missing] == ["its scene is not there"]
    (found,) = tabulate(tasks[0])
    assert isinstance(found, Unanswered)
    assert "question type" in found.reason
    assert len(ANSWERS) == 8
