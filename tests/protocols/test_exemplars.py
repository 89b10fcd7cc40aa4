"""Solved examples of a benchmark's own: a generated one asked one-shot, over HTTP, in the released words."""

import base64
import io
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import tolman
from loopback import Server, serving
from making import thing
from tolman import benchmarks
from tolman.benchmarks.benchmark_folder import open_folder
from tolman.benchmarks.solved_example import can_be_shown, examples_of, in_front_of
from tolman.benchmarks.spec import OneShot
from tolman.errors import UsageError
from tolman.generate.answer_evidence import with_reasoning
from tolman.items import Item, Media
from tolman.media.needed_frames import NeededFrames
from tolman.messages import KeyFrames
from tolman.protocols import ProtocolOptions
from tolman.protocols.captions_and_examples import ONE_SHOT
from tolman.scene_table import write_captures, write_scenes
from tolman.scenes import Capture, Scene, Sighting
from videos import read_code, write_video

Make = Callable[..., Item]
FRAMES = 40


def make_scenes(place: Path) -> Path:
    """Three rooms, each with a video whose frames carry their numbers, and in which things come into view in turn."""
    scenes, captures = [], []
    for number in range(3):
        shift = 0.15 * number
        things = [
            thing("door", 1, 1 + shift), thing("bed", 6.5, 1.2, 1.2), thing("sofa", 6.6, 6.4 - shift, 1.0),
            thing("lamp", 1.2 + shift, 6.5), thing("chair", 4, 3 + shift), thing("chair", 4 + shift, 6.6),
            thing("plant", 3.2, 4.8, 0.3),
        ]  # fmt: skip
        id, video = f"rooms/{number}", f"videos/{number}.mp4"
        scenes.append(
            Scene(
                id=id,
                dataset="rooms",
                objects=tuple(things),
                floor=(((0, 0), (8, 0), (8, 8), (0, 8)),),
                video=video,
                room_area=64.0 - number,
            )
        )
        seen = tuple(
            Sighting(frame=frame, object=one.id, pixels=4000)
            for i, one in enumerate(things)
            for frame in range(5 * i, 5 * i + 4)
        )
        captures.append(
            Capture(
                id=f"{id}/camera",
                scene=id,
                sensor="camera",
                role="ego",
                media=video,
                size=(176, 120),
                sightings=seen,
                times=tuple(i / 4 for i in range(FRAMES)),
            )
        )
        write_video(place / video, FRAMES, rate=4, gop=10, size=(176 + 16 * number, 120))
    write_scenes(place, scenes)
    write_captures(place, captures)
    return place


def pictures(body: dict[str, Any]) -> list[int]:
    """The numbers of the frames that a request shows."""
    from PIL import Image

    shown = [part["image_url"]["url"] for part in body["messages"][-1]["content"] if "image_url" in part]
    return [read_code(Image.open(io.BytesIO(base64.b64decode(url.split(",", 1)[1])))) for url in shown]


@pytest.mark.full
def test_a_generated_spatialbench_is_asked_one_shot_in_the_released_words(tmp_path: Path) -> None:
    pytest.importorskip("av", reason="reading videos needs the extra 'media'")
    made = tolman.generate(make_scenes(tmp_path / "scenes"), tmp_path / "bench", preset="spatialbench", per_scene=2)
    items = list(tolman.load(tmp_path / "bench"))
    assert {item.task for item in items} >= {"object_counting", "relative_direction", "room_size"}, made.statistics
    assert all(item.reasoning and can_be_shown(item) for item in items)
    server = Server(reply=lambda body: "A")
    with serving(server) as url:
        run = tolman.evaluate(
            tmp_path / "bench", "openai/m", base_url=url, protocol="one-shot", out=tmp_path / "run",
            store=tmp_path / "store.sqlite", frame_store=tmp_path / "frames",
        )  # fmt: skip
    spec = open_folder(tmp_path / "bench")
    assert spec.one_shot is not None
    examples = spec.one_shot.load(tmp_path / "bench", 0)
    held = {example.scene for example in examples.values()}
    asked = {item.id: item for item in run.items()}
    assert held
    assert asked
    assert sorted(asked) == sorted(item.id for item in items if item.scene not in held)
    assert len(server.bodies) == len(asked)
    by_text = {(item.question, *item.options): item for item in asked.values()}
    for body in server.bodies:
        first, *_, last = [part["text"] for part in body["messages"][-1]["content"] if "text" in part]
        assert first == "### BEGIN EXAMPLE ###"
        found = RELEASED.fullmatch(last)
        assert found, last
        item = by_text[found["question"], *OPTION.findall(found["question_options"])]
        example = examples[item.task]
        assert (found["example"], *OPTION.findall(found["example_options"])) == (example.question, *example.options)
        assert found["reasoning"] == example.reasoning
        assert found["answer"] == example.answer
        keys = example.evidence["keyframes"]
        shown = pictures(body)
        assert shown[: len(keys)] == keys
        assert len(shown) > len(keys)
    assert run.scores.headline.value is not None


RELEASED = re.compile(
    r"This is an example of how to solve a '(?:multiple_choice|regression)' problem\.\n\n"
    r"Exemplar Question: (?P<example>[^\n]+)\n(?P<example_options>(?:Exemplar Options:(?:\n[A-D]\. [^\n]+){4})?)\n\n"
    r"Correct Reasoning Process: (?P<reasoning>[^\n]+)\nFinal Correct Answer: (?P<answer>[^\n]+)\n\n"
    r"### END EXAMPLE ###\n\nNow, based on the new set of images provided, solve the following new problem\.\n\n---\n\n"
    r"Question: (?P<question>[^\n]+)\n(?P<question_options>(?:Options:(?:\n[A-D]\. [^\n]+){4})?)\n\n"
    r"YOUR TASK IS TO PROVIDE ONLY THE FINAL ANSWER\.\n(?:.*\n)*Provide the final answer ONLY\."
)
"""The released template with an exemplar, from XPR2004/SpatialBench."""
OPTION = re.compile(r"^[A-D]\. (.*)$", re.MULTILINE)


def solved(make: Make, id: str, task: str, scene: str, **rest: Any) -> Item:
    """A question that can be an example."""
    video = (Media(kind="video", path=f"{scene}.mp4"),)
    known = {"reasoning": "It is seen.", "media": video, "evidence": {"keyframes": [3, 7]}} | rest
    return make(id=id, task=task, scene=scene, **known)


def test_as_few_scenes_as_needed_are_held_out_and_never_all_of_a_question_type(choice: Make) -> None:
    items = [solved(choice, f"{task}{scene}", task, scene) for task in "abc" for scene in ("s", "t", "u")]
    items += [solved(choice, "d", "d", "v")]
    drawn = [examples_of(items, lambda item: item.task, seed) for seed in range(12)]
    for found in drawn:
        assert sorted(found) == ["a", "b", "c"]  # d is of a single scene, which would have nothing left to ask
        assert len({example.scene for example in found.values()}) == 1
    assert {found["a"].scene for found in drawn} == {"s", "t", "u"}  # by seed
    assert drawn[0] == examples_of(items[::-1], lambda item: item.task, 0)


def test_a_twin_is_not_asked_behind_the_solution_of_its_twin(choice: Make, tmp_path: Path) -> None:
    ring = {"keyframes": [3, 7], "twins": "ring"}
    example, twin = (solved(choice, one, "a", one, evidence=ring) for one in ("s", "t"))
    other = solved(choice, "u", "a", "u")
    vsi = benchmarks.get("vsi-bench")
    how = OneShot(lambda data, seed: {"a": example}, lambda item: item.task, in_front_of(vsi.prompt), True)
    options = ProtocolOptions(data=tmp_path)
    assert ONE_SHOT.present is not None
    assert ONE_SHOT.present(replace(vsi, one_shot=how), [example, twin, other], options) == [other]


def test_what_lacks_reasoning_or_key_frames_is_no_example(choice: Make) -> None:
    assert can_be_shown(solved(choice, "a", "a", "s"))
    assert not can_be_shown(solved(choice, "a", "a", "s", reasoning=None))
    assert not can_be_shown(solved(choice, "a", "a", "s", media=()))
    for broken in ([], None, [-1], ["3"], "3", [True]):
        assert not can_be_shown(solved(choice, "a", "a", "s", evidence={"keyframes": broken})), broken
    pictures = (Media(kind="image", path="a.jpg"),)
    assert can_be_shown(solved(choice, "a", "a", "s", media=pictures, evidence={}))


def test_prompts_without_a_released_one_shot_form_stand_behind_the_example(choice: Make) -> None:
    vsi = benchmarks.get("vsi-bench")
    write = in_front_of(vsi.prompt)
    example, item = solved(choice, "a", "a", "s"), solved(choice, "b", "a", "t")
    parts = write(example, item, vsi.presets[0]).parts
    assert parts[0] == "### BEGIN EXAMPLE ###"
    assert parts[1] == KeyFrames(kind="video", path="s.mp4", numbers=(3, 7), quality=30)
    assert str(parts[2]).endswith("solve the following new problem.\n\n---")
    assert parts[3:] == vsi.prompt(item, vsi.presets[0]).parts
    images = (Media(kind="image", path="1.jpg"), Media(kind="image", path="2.jpg"))
    inside = solved(choice, "c", "a", "u", question="From <image> to <image>?", media=images, evidence={})
    parts = write(inside, item, vsi.presets[0]).parts
    assert (parts[2], parts[4]) == images
    assert str(parts[1]).endswith("Exemplar Question: From ")


def test_key_frames_are_few_and_show_everything() -> None:
    def needed(*frames: tuple[tuple[int, int], ...], in_order: bool = False) -> list[int]:
        things = [{"name": str(i), "frames": own} for i, own in enumerate(frames)]
        return NeededFrames.model_validate(
            {"frames": 100, "seconds": 10.0, "needed": things, "in_order": in_order}
        ).key_frames()

    assert needed(((10, 20),)) == [15]
    assert needed(((0, 40),), ((30, 50),), ((34, 36), (90, 99))) == [35]
    assert needed(((0, 4),), ((50, 60),), ((54, 56),)) == [2, 55]
    assert needed(((0, 40),), ((10, 50),), in_order=True) == [0, 10]


def test_reasoning_says_when_what_is_seen_and_what_was_measured(number: Make, choice: Make) -> None:
    needed = {"name": "chair", "frames": [[20, 24]]}, {"name": "chair", "frames": [[70, 70]]}
    account = {"frames": 100, "seconds": 100.0, "needed": needed}
    evidence = {"count": 2, "needed_frames": account, "keyframes": [22, 70]}
    counted = number(answer="2", unit="count").model_copy(update={"evidence": evidence})
    assert with_reasoning(counted).reasoning == (
        "What the answer rests on is seen here: the chair around 0:22 and 1:10. Counted over the whole video there are "
        "2, each counted once. So the answer is 2."
    )
    turned = with_reasoning(choice(answer="A", options=("left", "right"), evidence={"angle": 271.6})).reasoning
    assert turned is not None
    assert "lies 88° to the right. So the answer is left." in turned  # it says what the evidence says
    assert with_reasoning(choice(evidence={})).reasoning is None
    own = choice(reasoning="Mine.", evidence={"angle": 3.0})
    assert with_reasoning(own) is own


def test_a_benchmark_without_examples_is_refused_in_one_sentence(tmp_path: Path, choice: Make) -> None:
    tolman.load([choice(id="a", task="a")], name="mine").save(tmp_path / "mine")
    with pytest.raises(UsageError, match="needs solved examples, and mine has none; SpatialBench does, and so does"):
        tolman.evaluate(tmp_path / "mine", "openai/m", base_url="http://127.0.0.1:9/v1", protocol="one-shot")
    items = [solved(choice, f"{task}{i}", task, f"s{i}") for task, i in (("a", 1), ("a", 2), ("b", 2))]
    tolman.load(items, name="both").save(tmp_path / "both")
    with pytest.raises(UsageError, match="no solved example for the question types b, as an example is of a scene"):
        tolman.evaluate(tmp_path / "both", "openai/m", base_url="http://127.0.0.1:9/v1", protocol="one-shot")
