"""Every generated question says which frames of its video carry the answer."""

from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("shapely", reason="the families need the extra 'build'")

from generate.conftest import Asked
from generate.test_captures import capture, scene, thing
from tolman.generate.draft_collection import collect
from tolman.generate.draft_items import again, drafts_of, items_of
from tolman.generate.draft_storage import DraftFile
from tolman.generate.families.spatialbench.support.ground import MIN_SHOWN_SHARE
from tolman.generate.presets import preset
from tolman.generate.publish import publish
from tolman.generate.selection import select
from tolman.ground_truth.question_families import categories_in
from tolman.ground_truth.scene_arrays import SEEN, SceneGeometry, open_collection
from tolman.item_table import read_items
from tolman.items import Item
from tolman.media.needed_frames import KEY, NeededFrames, frames_of, needed_frames
from tolman.media.sampling import Frames

PAPER = preset("vsi-paper")
NOT_KNOWN = {"room_size_estimation", "room_size"}
"""No frame alone shows a room."""


@pytest.fixture(scope="module", params=["vsi-paper", "spatialbench"])
def found(request: pytest.FixtureRequest, asked: Callable[[str], Asked]) -> Asked:
    return asked(request.param)


def with_frames(items: list[Item]) -> list[tuple[Item, NeededFrames]]:
    return [(item, said) for item in items if (said := needed_frames(item)) is not None]


def test_every_question_about_the_video_has_them_but_those_for_a_rooms_size(found: Asked) -> None:
    _, items = found
    assert {item.task for item in items if needed_frames(item) is None} <= NOT_KNOWN
    assert len(with_frames(items)) > 50


def test_what_is_named_is_seen_in_these_frames(found: Asked) -> None:
    """By the recording's sightings, read anew: every object of the frames' names, and nothing that isn't seen."""
    scenes, items = found
    looked = 0
    for item, said in with_frames(items):
        geometry = scenes[str(item.scene)]
        video = next(c for c in geometry.captures if c.media == item.media[0].path)
        assert said.frames == len(video.times)
        assert said.seconds == pytest.approx(video.times[-1] - video.times[0] + 0.5, abs=0.01)  # two frames a second
        width, height = video.size or (0, 0)
        least = max(SEEN, MIN_SHOWN_SHARE * width * height) if item.labels else SEEN
        kinds = {thing.id: thing.category for thing in geometry.scene.objects}
        for one in said.needed:
            shown = {f for first, last in one.frames for f in range(first, last + 1)}
            assert [t for span in one.seconds for t in span] == pytest.approx(
                [video.times[f] - video.times[0] for span in one.frames for f in span], abs=0.001
            )
            if one.name == "the end of the video":
                assert shown == {len(video.times) - 1}
                continue
            category = next(name for name in kinds.values() if one.name.startswith(name))
            seen = {s.frame for s in video.sightings if kinds[s.object] == category and s.pixels >= least}
            if not said.in_order:  # of an order, all of a category count together
                assert shown <= seen
            looked += 1
    assert looked > 100


def test_nothing_that_a_question_names_is_left_out(found: Asked) -> None:
    scenes, items = found
    for item, said in with_frames(items):
        known = scenes[str(item.scene)].members
        named = {name for name in categories_in(item) if name in known}
        assert named <= {next(n for n in known if one.name.startswith(n)) for one in said.needed if "the end" not in one.name}  # fmt: skip


def test_the_least_budget_shows_everything_and_one_less_does_not(found: Asked) -> None:
    _, items = found
    for _, said in with_frames(items):
        for rounding, least in said.least.items():
            assert said.shown_by(Frames(count=least, rounding=rounding))
            assert least == 1 or not said.shown_by(Frames(count=least - 1, rounding=rounding))


def test_only_the_standard_video_counts() -> None:
    geometry = SceneGeometry(scene(), [capture()])
    drafts = drafts_of(geometry, PAPER.choosing(["size"]))
    spans = {d.question: d.needs.things for d in drafts if d.needs}
    assert len(spans) == len(drafts) > 0
    lost = capture().model_copy(update={"media": "other.mp4"})
    assert all(d.needs is None for d in drafts_of(SceneGeometry(scene(), [lost]), PAPER))


def test_frames_between_two_that_were_looked_at_count_as_shown() -> None:
    """Rays look at some frames alone: a question is answered by the others as well."""

    def spans(looked: set[int]) -> dict[str, list[tuple[tuple[int, int], ...]]]:
        whole = capture()
        some = tuple(one for one in whole.sightings if one.frame in looked)
        geometry = SceneGeometry(scene(), [whole.model_copy(update={"sightings": some})])
        drafts = drafts_of(geometry, PAPER.choosing(["size", "absolute-distance"]))
        said = [frames_of(draft.needs) for draft in drafts if draft.needs]
        return {d.question: [one.frames for one in s.needed] for d, s in zip(drafts, said, strict=True) if s}

    every = spans(set(range(120)))
    assert len(every) > 10
    for step in (2, 3, 5):
        some = spans(set(range(0, 120, step)))
        assert some.keys() == every.keys()
        for question, things in some.items():
            for (first, last), ((all_first, all_last),) in zip(
                (one[0] for one in things), every[question], strict=True
            ):
                assert 0 <= first - all_first < step
                assert 0 <= all_last - last < step
                assert last == 119 or all_last < 119  # the frames after the last look are as that
        assert all(len(one) == 1 for things in some.values() for one in things)
    # A gap that is no rule parts them.
    parted = spans(set(range(60)) | set(range(70, 120)))
    assert any(len(one) == 2 for things in parted.values() for one in things)
    # Things that show up now and then tell of no rule: nothing is filled in.
    for rare in ({20, 119}, {100, 105}, set(range(99, 120, 20)), {95, 98, 104, 111, 119}):
        assert all(last == first for things in spans(rare).values() for one in things for first, last in one)


def test_a_question_made_again_keeps_them(rigs: Path, tmp_path: Path) -> None:
    rules = PAPER.choosing(["size"])
    with DraftFile(tmp_path / "drafts") as draft_file:
        collected = collect(open_collection(rigs), rules, 0, draft_file)
        item = next(iter(items_of(select(collected, rules, 0), collected, 0)))
    (geometry,) = (g for g in open_collection(rigs) if isinstance(g, SceneGeometry))
    fresh = again(item, drafts_of(geometry, rules), 0)
    assert fresh is not None
    assert fresh.evidence[KEY] == item.evidence[KEY]


def test_the_card_says_how_many_frames_answer_how_many_questions(rigs: Path, tmp_path: Path) -> None:
    rules = PAPER.choosing(["size", "distance", "room"])
    with DraftFile(tmp_path / "drafts") as draft_file:
        collected = collect(open_collection(rigs), rules, 0, draft_file)
        statistics = publish(tmp_path / "bench", select(collected, rules, 0), collected, rules, 0, rigs)
    (shard,) = (tmp_path / "bench" / "data").glob("*.parquet")
    items = read_items(shard)
    said = statistics["frames"]
    assert said["known"] == len(with_frames(items)) > 10
    assert said["unknown"] == len(items) - said["known"]
    for budget, count in said["answerable"].items():
        assert count == sum(one.shown_by(Frames(count=int(budget))) for _, one in with_frames(items))
    card = " ".join((tmp_path / "bench" / "README.md").read_text().split())
    assert f"Of the {said['known']} rows with it, 8 frames are enough for {said['answerable']['8']}" in card


def test_without_captures_nothing_is_claimed() -> None:
    drafts = drafts_of(SceneGeometry(scene(thing("chair-1", 3, 3))), PAPER)
    assert drafts
    assert all(draft.needs is None for draft in drafts)
