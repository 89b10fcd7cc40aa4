"""Whole runs: real SpatialBench questions on generated clips, scripted models, published folders, the hub's cache."""

import base64
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("av", reason="reading videos needs the extra 'media'")

from PIL import Image

from loopback import Server, serving
from terminal import refused, tolman
from tolman import benchmarks
from tolman.item_table import write_items
from tolman.items import Item, Media
from videos import read_code, write_video

SPATIALBENCH = benchmarks.get("spatialbench")


def test_spatialbench_questions_go_out_exactly_as_released(
    shared_data: Path, released: Callable[[str, str], list[Item]], tmp_path: Path
) -> None:
    items = released("spatialbench", "v1")
    videos = sorted({item.media[0].path for item in items})[:6]
    lengths = dict(zip(videos, (1, 2, 7, 12, 65, 80), strict=True))  # seconds; the released cap is 64 frames
    for path, seconds in lengths.items():
        write_video(tmp_path / path, 10 * seconds + 5, rate=10, size=(176, 120))
    asked = [item for item in items if item.media[0].path in lengths][:40]
    asked += [item for item in items if item.media[0].path in videos[3:]][:20]
    by_id = {item.id: item for item in asked}
    (tmp_path / "ids.txt").write_text("\n".join(by_id))
    server = Server(answer="B")
    with serving(server) as url:
        tolman(
            tmp_path, "run", "spatialbench", "--data", str(shared_data / "spatialbench"), "--media", ".",
            "--ids", "ids.txt", "--model", "openai/some-model", "--base-url", url, "--out", "run", code=0,
        )  # fmt: skip
    assert len(server.bodies) == len(by_id)
    by_text = {str(SPATIALBENCH.prompt(item, SPATIALBENCH.presets[0]).parts[0]): item for item in by_id.values()}
    for body in server.bodies:
        assert (body["temperature"], body["top_p"], body["max_tokens"]) == (0.1, 0.9, 1024)
        (turn,) = body["messages"]
        text, *pictures = turn["content"]
        assert text["type"] == "text"  # the text first, then the frames
        item = by_text[text["text"]]
        total = 10 * lengths[item.media[0].path] + 5
        wanted = min(int(total / 10), 64)
        step = (total - 1) / (wanted - 1) if wanted > 1 else 0
        expected = [round(i * step) for i in range(wanted)]
        assert len(pictures) == wanted <= 64
        shown = [base64.b64decode(p["image_url"]["url"].split(",", 1)[1]) for p in pictures]
        assert [read_code(Image.open(io.BytesIO(s))) for s in shown] == expected
    scores = json.loads((tmp_path / "run" / "scores.json").read_text())
    assert scores["unanswered"] == {"failed": 0, "missing": 0}


def test_a_missing_video_is_a_failure_that_names_file_and_item(
    shared_data: Path, released: Callable[[str, str], list[Item]], tmp_path: Path
) -> None:
    items = released("spatialbench", "v1")
    there, *gone = list({item.media[0].path: item for item in items}.values())[:4]
    write_video(tmp_path / there.media[0].path, 20, rate=10, size=(176, 120))
    with serving(Server()) as url:
        done = tolman(
            tmp_path, "run", "spatialbench", "--data", str(shared_data / "spatialbench"), "--media", ".",
            "--ids", ",".join(item.id for item in (there, *gone)), "--model", "openai/m", "--base-url", url, "--out", "run",
        )  # fmt: skip
    assert done.returncode == 1
    assert "INCOMPLETE: openai/m: 3 failed of 4 items, not in the figures. 3 × media: item " in done.stdout
    lines = [json.loads(line) for line in (tmp_path / "run" / "responses.jsonl").read_text().splitlines()]
    lost = [line for line in lines if "failure" in line]
    assert {line["id"] for line in lost} == {item.id for item in gone}
    for line in lost:
        assert line["failure"]["kind"] == "media"
        assert f"item {line['id']}: dataset/rgb_video" in line["failure"]["message"]
        assert ".mp4: the file is missing" in line["failure"]["message"]


def test_a_missing_media_folder_is_one_sentence_before_anything_is_asked(shared_data: Path, tmp_path: Path) -> None:
    server = Server()
    with serving(server) as url:
        done = tolman(
            tmp_path, "run", "spatialbench", "--data", str(shared_data / "spatialbench"), "--media", "./nowhere",
            "--model", "openai/m", "--base-url", url, "--out", "run",
        )  # fmt: skip
        blind = tolman(
            tmp_path, "run", "spatialbench", "--data", str(shared_data / "spatialbench"), "--media", "./nowhere",
            "--model", "openai/m", "--base-url", url, "--out", "blind", "--protocol", "blind", "--limit", "2",
        )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith("tolman: nowhere: none of the questions' media is there (")
    assert "files, the first: dataset/rgb_video" in done.stderr
    assert done.stderr.endswith("; name the folder that holds them with --media.\n")
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "run").exists()
    assert blind.returncode == 0  # a model that is shown no media needs none
    assert server.requests == 2


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "bench"
    write_video(place / "clip.mp4", 60)
    Image.new("RGB", (32, 32), "red").save(place / "photo.jpg")
    (place / "benchmark.json").write_text(json.dumps({"title": "Mine", "licence": "CC0"}))
    photo, clip = Media(kind="image", path="photo.jpg"), Media(kind="video", path="clip.mp4")
    write_items(
        place / "items.parquet",
        [
            Item(
                id="1",
                question="Which <image>?",
                kind="choice",
                answer="A",
                options=("red", "blue"),
                task="colour",
                media=(photo,),
            ),
            Item(id="2", question="How long?", kind="number", answer="2", unit="m", task="length", media=(clip,)),
        ],
    )
    return tmp_path


def test_a_published_folder_is_a_benchmark(folder: Path) -> None:
    server = Server(answer="A")
    with serving(server) as url:
        done = tolman(
            folder, "run", "./bench", "--model", "openai/m", "--base-url", url, "--frames", "3", "--out", "run", code=0
        )
    assert "Mine · all" in done.stdout
    contents = sorted((body["messages"][0]["content"] for body in server.bodies), key=len)
    assert [part["type"] for part in contents[0]] == ["text", "image_url", "text"]
    assert [part["type"] for part in contents[1]] == ["image_url"] * 3 + ["text"]
    assert tolman(folder, "report", "run", "--format", "json").returncode == 0


def test_a_folder_like_a_benchmark_uses_its_prompts_and_rules(folder: Path) -> None:
    card = folder / "bench" / "benchmark.json"
    card.write_text(json.dumps({"title": "Mine", "like": "vsi-bench"}))
    items = [Item(id="1", question="How many?", kind="number", answer="2", unit="count", task="object_counting")]
    write_items(folder / "bench" / "items.parquet", items)
    (folder / "script.jsonl").write_text('{"id": "1", "response": "2"}')
    done = tolman(folder, "run", "./bench", "--model", "scripted/script.jsonl", "--out", "run", code=0)
    assert "official" in done.stdout
    assert " Count" in done.stdout  # "Obj. Count" in two lines


def test_a_place_that_cannot_be_written_is_one_sentence(folder: Path) -> None:
    done = tolman(folder, "run", "./bench", "--model", "baseline/random", "--out", "/etc/passwd/x", code=2)
    assert "/etc/passwd/x: Not a directory." in done.stderr
    assert "Traceback" not in done.stderr


def test_a_script_answers_what_it_has_and_fails_the_rest(folder: Path) -> None:
    (folder / "script.jsonl").write_text('{"id": "1", "response": "(A)"}')
    done = tolman(folder, "run", "./bench", "--model", "scripted/script.jsonl", "--protocol", "blind", "--out", "run")
    assert done.returncode == 1
    assert "1 failed of 2 items" in done.stdout
    assert "the script has no answer for this item" in (folder / "run" / "responses.jsonl").read_text()


@pytest.mark.parametrize(
    ("card", "sentence"),
    [
        (None, "benchmark.json: is missing"),
        ("{", "is no JSON"),
        ("{}", "field 'title': is missing"),
        ('{"title": "x", "colour": 1}', "field 'colour': is not a known field"),
    ],
)
def test_a_folder_that_is_no_benchmark_is_named(folder: Path, card: str | None, sentence: str) -> None:
    path = folder / "bench" / "benchmark.json"
    path.unlink() if card is None else path.write_text(card)
    assert sentence in refused(folder, "run", "./bench", "--model", "baseline/random")


def test_whole_videos_are_refused_before_the_first_call(folder: Path) -> None:
    (folder / "bench" / "benchmark.json").write_text(json.dumps({"title": "Mine", "like": "vsi-bench"}))
    media = (Media(kind="video", path="clip.mp4"),)
    items = [Item(id="1", question="?", kind="number", answer="2", unit="count", task="object_counting", media=media)]
    write_items(folder / "bench" / "items.parquet", items)
    asked = ("run", "./bench", "--model", "openai/m", "--base-url", "http://127.0.0.1:9/v1", "--preset", "gemini")
    assert "shows whole videos, which openai/m doesn't take" in refused(folder, *asked)


def test_questions_and_archives_of_videos_come_from_the_hubs_cache(tmp_path: Path) -> None:
    """The hub is faked on the disk: its cache's own layout, and the client told that it is offline."""
    hub = benchmarks.get("vsi-bench").hub
    assert hub is not None
    snapshot = tmp_path / "hf" / "hub" / "datasets--nyu-visionx--VSI-Bench" / "snapshots" / hub.revision
    snapshot.mkdir(parents=True)
    import polars as pl

    row = {
        "id": 5, "dataset": "scannet", "scene_name": "scene0000_00", "question_type": "object_counting",
        "question": "How many chair(s) are in this room?", "ground_truth": "3", "options": None,
    }  # fmt: skip
    pl.DataFrame([row], schema_overrides={"options": pl.List(pl.String)}).write_parquet(
        snapshot / "test-00000-of-00001.parquet"
    )
    video = write_video(tmp_path / "v.mp4", 40).read_bytes()
    with zipfile.ZipFile(snapshot / "scannet.zip", "w") as archive:
        archive.writestr("scannet/scene0000_00.mp4", video)
    server = Server(answer="3")
    with serving(server) as url:
        tolman(
            tmp_path, "run", "vsi-bench", "--model", "openai/m", "--base-url", url, "--out", "run",
            HF_HOME=str(tmp_path / "hf"), HF_HUB_OFFLINE="1", code=0,
        )  # fmt: skip
    assert len(server.pictures) == 32
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    assert record["data"] == f"nyu-visionx/VSI-Bench@{hub.revision}"
