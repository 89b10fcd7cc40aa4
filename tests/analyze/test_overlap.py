"""Overlap: the same scenes, questions and frames are found, and those of other simulated homes aren't."""

import io
import json
from pathlib import Path

import pytest
from PIL import Image

import terminal
from tolman.analyze.overlap import BITS, AskedQuestion, overlap
from tolman.items import Media
from tolman.media.frame_store import FrameStore
from tolman.media.sampling import Frames

ROOMS = Path(__file__).resolve().parents[1] / "rooms" / "videos"
DEMO = Path(__file__).resolve().parents[2] / "src" / "tolman" / "demo" / "rooms" / "videos"


def ask(
    prompt: str, *paths: Path, scene: str | None = None, options: tuple[str, ...] = (), id: str = "q"
) -> AskedQuestion:
    media = tuple(Media(kind="video" if path.suffix == ".mp4" else "image", path=str(path)) for path in paths)
    return AskedQuestion(id, "\n".join([prompt, *options]), prompt, options, scene, media)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> FrameStore:
    return FrameStore(tmp_path_factory.mktemp("frames"))


def test_homes_that_were_simulated_apart_share_nothing(store: FrameStore) -> None:
    first = [ask("How many chairs are in this room?", path, scene=path.stem) for path in sorted(ROOMS.glob("*.mp4"))]
    second = [ask("How many chairs are in this room?", path, scene=path.stem) for path in sorted(DEMO.glob("*.mp4"))]
    assert len(first) == len(second) == 3
    found = overlap(first, second, store)
    assert found.is_empty
    assert found.unread == 0


def test_a_small_copy_of_one_frame_under_another_name_is_found(store: FrameStore, tmp_path: Path) -> None:
    video = ROOMS / "6-0000.mp4"
    frame = store.pictures(ROOMS, Media(kind="video", path=video.name), Frames(count=64))[20]
    with Image.open(frame.path) as image:
        image.resize((200, 150)).save(tmp_path / "other.jpg", quality=60)
    training = [ask("Look. How many chairs are in this room? Answer briefly.", tmp_path / "other.jpg")]
    found = overlap(training, [ask("How many chairs are in the room?", video, id="b")], store)
    assert found.frames[0][:2] == (str(tmp_path / "other.jpg"), str(video))
    assert found.frames[0][2] <= BITS
    assert found.questions == (("q", "b"),)
    assert found.scenes == ()


@pytest.mark.parametrize(
    ("prompt", "same"),
    [
        ("<x>\nHOW many chairs are there?\nAnswer with a number.", True),
        ("How many tables are there?", False),
        ("How many chairs?", True),
    ],
)
def test_questions_are_the_same_by_their_words_about_the_same_media(store: FrameStore, prompt: str, same: bool) -> None:
    video = ROOMS / "6-0001.mp4"
    found = overlap([ask(prompt, video)], [ask("How many chairs are there?", video, id="b")], store)
    assert bool(found.questions) == same
    elsewhere = overlap([ask(prompt, DEMO / "1000-0074.mp4")], [ask("How many chairs are there?", video)], store)
    assert not elsewhere.questions


def test_options_have_to_be_asked_too(store: FrameStore) -> None:
    video, text = ROOMS / "6-0001.mp4", "Where is the lamp?"
    benchmark = [ask(text, video, options=("left", "right"))]
    assert overlap([ask(text, video, options=("right", "left"))], benchmark, store).questions == (("q", "q"),)
    assert not overlap([ask(text, video, options=("left", "behind"))], benchmark, store).questions


def test_missing_files_are_compared_by_name_and_blank_pictures_not_at_all(store: FrameStore, tmp_path: Path) -> None:
    gone = overlap(
        [ask("Why?", Path("/a/s7/x.mp4"))], [ask("Why?", Path("/b/x.mp4"), scene="simulated/room-s7")], store
    )
    assert (gone.unread, len(gone.frames), gone.questions, gone.scenes) == (2, 1, (("q", "q"),), ())
    named = overlap([ask("Why?", Path("/a/scene0011_00/1.png"))], [ask("How?", scene="scannet/scene0011_00")], store)
    assert named.scenes == ("scannet/scene0011_00",)
    for name, shade in (("a", 80), ("b", 90)):
        blank = io.BytesIO()
        Image.new("RGB", (64, 48), (shade, shade, shade)).save(blank, "JPEG")
        (tmp_path / f"{name}.jpg").write_bytes(blank.getvalue())
    assert not overlap([ask("Why?", tmp_path / "a.jpg")], [ask("Why?", tmp_path / "b.jpg")], store).frames


def test_the_command_finds_a_training_file_and_ends_with_1(tmp_path: Path) -> None:
    row = {
        "id": "t",
        "video": str(ROOMS / "6-0000.mp4"),
        "conversations": [{"from": "human", "value": "<video>How many?"}],
    }
    (tmp_path / "train.json").write_text(json.dumps([row]))
    other = row | {"id": "o", "video": str(DEMO / "1000-0074.mp4")}
    (tmp_path / "other.json").write_text(json.dumps([other]))
    same = terminal.tolman(tmp_path, "audit", "train.json", "--against", "other.json", code=0).stdout
    assert "No scene, question or frame of train.json is in other.json." in same
    (tmp_path / "copy.json").write_text(json.dumps([row]))
    found = terminal.tolman(tmp_path, "audit", "train.json", "--against", "copy.json", code=1).stdout
    assert "train.json and copy.json share 0 scenes, 1 question, 1 video or image." in found
    written = json.loads((tmp_path / "audit" / "overlap.json").read_text())
    assert written["against"]["copy.json"]["questions"] == [["t", "t"]]
    said = terminal.tolman(tmp_path, "audit", "train.json", "--against", "copy.json", "--shortcuts", code=2)
    assert "give one of them at a time" in said.stderr
