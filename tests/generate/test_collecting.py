"""Drafting: the same questions whether scenes are drafted alone or together, and a share in an order by hash."""

import hashlib
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("shapely", reason="the families need the extra 'build'")

from generate.test_captures import capture, scene
from tolman.generate import draft_collection
from tolman.generate.draft_collection import Collected, collect
from tolman.generate.draft_storage import DraftFile
from tolman.generate.family import Draft
from tolman.generate.presets import drafts, preset
from tolman.ground_truth.scene_arrays import SceneGeometry, measure_together
from tolman.scenes import OrientedBox, Scene, SceneObject

PAPER = preset("vsi-paper").with_share(per_scene=2, max_filter_rounds=0)
NAMES = ("sofa", "table", "chair", "lamp", "bed", "desk", "shelf", "stool")
AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def room(number: int) -> Scene:
    """A room without recordings, in which things stand elsewhere than in any other."""
    objects = [
        SceneObject(
            id=str(i),
            category=name,
            box=OrientedBox(
                center=((i * 1.7 + number * 0.37) % 6, (i * i * 0.9 + number * 0.53) % 5, 0.4),
                axes=AXES,
                extents=(0.4 + 0.1 * i, 0.5, 0.8),
            ),
        )
        for i, name in enumerate(NAMES[: 3 + number % 6])
    ]
    return Scene(id=f"made/{number}", dataset="made", objects=tuple(objects), room_area=30.0)


def drafted(scenes: list[SceneGeometry], place: Path) -> tuple[list[Draft], Collected]:
    with DraftFile(place) as draft_file:
        found = collect(scenes, PAPER, 0, draft_file)
        return [draft_file.get(entry.position)[0] for entry in found.entries], found


def test_scenes_drafted_together_give_what_each_gives_alone(tmp_path: Path) -> None:
    rooms = [room(number) for number in range(70)]  # more than are drafted in one call
    together, counts = drafted([SceneGeometry(one) for one in rooms], tmp_path / "together")
    alone: list[Draft] = []
    rejected: Counter[tuple[str, str]] = Counter()
    for one in rooms:
        own, found = drafted([SceneGeometry(one)], tmp_path / "alone")
        alone += own
        rejected.update(found.rejected)
    assert together == alone
    assert counts.rejected == rejected
    assert counts.scenes == len(rooms)


def test_distances_measured_together_are_those_of_each_scene() -> None:
    scenes = [SceneGeometry(room(number)) for number in range(9)]
    measure_together(scenes)
    for one, number in zip(reversed(scenes), reversed(range(9)), strict=True):
        alone = SceneGeometry(room(number))
        for a in one.categories:
            assert [one.exact_distance(a, b) for b in one.categories] == [
                alone.exact_distance(a, b) for b in alone.categories
            ]


def test_a_scene_with_recordings_is_drafted_alone_and_in_its_turn() -> None:
    recorded = (scene(), (capture(),))
    plain = [(room(number), ()) for number in range(5)]
    parts = list(draft_collection._at_once([*plain[:2], recorded, recorded, *plain[2:]]))
    assert parts == [tuple(plain[:2]), (recorded,), (recorded,), tuple(plain[2:])]


@pytest.mark.parametrize("most", [1, 3, 1000])
def test_a_share_takes_answers_in_turn_each_by_the_hashes_of_its_questions(most: int) -> None:
    offered = [draft for draft in drafts(SceneGeometry(room(5)), PAPER) if isinstance(draft, Draft)]
    made = [draft.finished() for draft in offered]
    by_hash = sorted(made, key=lambda d: hashlib.sha256(f"seed:{d.question}:{d.options}".encode()).digest())
    expected = []
    for task in sorted({draft.task for draft in made}):
        queues: dict[tuple[str, str], list[Draft]] = {}
        for draft in by_hash:
            if draft.task == task:
                queues.setdefault((draft.kind, draft.balance or draft.answer), []).append(draft)
        turns = sorted(queues, key=lambda one: hashlib.sha256(f"seed:{task}:{one}".encode()).digest())
        taken: list[Draft] = []
        while len(taken) < most and any(queues.values()):
            taken += [queues[answer].pop() for answer in turns if queues[answer]][: most - len(taken)]
        expected += taken
    assert [draft.finished() for draft in draft_collection._share(offered, most, "seed")] == expected
    assert len({draft.task for draft in made}) > 2


def test_a_share_of_many_distances_has_long_ones_as_often_as_there_are() -> None:
    """In the order of their texts the shortest were taken alone."""
    longer = []
    for number in range(12):
        made = [one for one in drafts(SceneGeometry(room(number)), PAPER) if isinstance(one, Draft)]
        distances = [one for one in made if one.task == "object_abs_distance"]
        middle = float(np.median([float(one.answer) for one in distances]))
        longer += [float(one.answer) > middle for one in draft_collection._share(distances, 5, f"seed:{number}")]
    assert 0.3 < np.mean(longer) < 0.7
