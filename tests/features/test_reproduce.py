"""Reproducing published results: everything up to the weights, with a server that answers as it is told."""

import json
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

pytest.importorskip("av", reason="reading videos needs the extra 'media'")

from asked_videos import write_asked_videos
from loopback import serving
from tolman import benchmarks
from tolman.errors import InputError, TolmanError
from tolman.features.reproduce.compute import names, open_target
from tolman.items import Item
from tolman.models.recipes import open_recipe
from tolman.runs.run_folder import RunFolder
from video_server import VideoServer
from videos import write_video

Command = Callable[..., Result]
EXTRACT = Path(__file__).resolve().parents[1] / "extracts" / "vsi_bench_extract.jsonl"
PUBLISHED = {
    "cambrian-s-7b": [("video", 32, 63.6)],
    "internvl3.5-8b": [("video", 128, 56.3)],
    "qwen2.5-vl-7b": [("video", 128, 33.5)],
    "sensenova-si-1.1-qwen3-vl-8b": [("images", 32, 62.9), ("video", 32, 55.5)],
    "sensenova-si-1.2-internvl3-8b": [("video", 32, 68.7)],
}

MINE = """\
title = "Mine on mine"
benchmark = "./bench"
weights = "me/Qwen2.5-VL-mine"
recipe = "qwen2.5-vl"
serving = "by hand"

[[runs]]
form = "images"
frames = 4
preset = "plain"
published = 50.0
tolerance = 2.5
source = "a table"

[[runs]]
form = "video"
frames = 4
preset = "plain"
published = 98.0
tolerance = 2.5
source = "another table"
others = [{ value = 97.0, source = "a third" }]
"""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("written")
    return write_asked_videos(place / "bench", 40, "Which", "AB", kind="choice", options=("x", "y"))


@pytest.fixture
def bench(written: Path, tmp_path: Path) -> Path:
    """Two questions with letters, and a target that is about them."""
    shutil.copytree(written, tmp_path / "bench")
    (tmp_path / "mine.toml").write_text(MINE)
    return tmp_path


def right(body: dict[str, Any]) -> str:
    """The right letter as a video; always the first as pictures."""
    parts = body["messages"][0]["content"]
    as_video = any(part["type"] == "video_url" for part in parts)
    return "B" if as_video and "Which, 2" in json.dumps(parts[-1]) else "A"


def test_the_first_five_are_there_with_their_sources() -> None:
    found = {name: [(run.form, run.frames, run.published) for run in open_target(name).runs] for name in names()}
    assert found == PUBLISHED
    for name in names():
        target = open_target(name)
        spec = benchmarks.get(target.benchmark)
        open_recipe(target.recipe)
        assert all(len(run.source) > 15 for run in target.runs)
        assert {run.preset for run in target.runs} <= {preset.name for preset in spec.presets}


def test_vlmevalkits_sentence_is_a_preset() -> None:
    spec = benchmarks.get("vsi-bench")
    (preset,) = (one for one in spec.presets if one.name == "vlmevalkit")
    item = Item(id="1", question="How far?", kind="number", answer="2", unit="m", task="object_abs_distance")
    text = spec.prompt(item, preset).text
    assert text == "These are frames of a video.\nHow far?\nAnswer briefly and directly in one float number."


def test_targets_are_listed(command: Command) -> None:
    text = command("reproduce").stdout
    for name, runs in PUBLISHED.items():
        assert name in text
        assert all(f"{published:.1f}" in text for _, _, published in runs)
    assert len(json.loads(command("reproduce", "--json").stdout)) == len(PUBLISHED)


def test_a_dry_run_says_what_it_would_ask(command: Command) -> None:
    text = command(
        "reproduce", "sensenova-si-1.1-qwen3-vl-8b", "--dry-run", "--base-url", "http://localhost:8000/v1"
    ).stdout
    assert "Weights: sensenova/SenseNova-SI-1.1-Qwen3-VL-8B" in text
    assert "nyu-visionx/VSI-Bench" in text
    assert "32 frames as images: 5,130 calls, prompts 'vlmevalkit', recipe sensenova-si-qwen3-vl" in text
    assert "published: 55.5 ± 2.5 points" in text
    assert text.rstrip().endswith("Nothing was asked (--dry-run).")
    lines = [line.strip() for line in text.splitlines() if line.strip().startswith("tolman run ")]
    assert len(lines) == 2
    words = shlex.split(lines[1])
    assert words[words.index("--as") + 1] == "video"
    assert words[words.index("--preset") + 1] == "vlmevalkit"


def test_figures_stand_beside_the_published_ones(command: Command, bench: Path) -> None:
    server = VideoServer(reply=right)
    with serving(server) as url:
        found = command("reproduce", "mine.toml", "--base-url", url, "--json")
        assert sorted(seen.kind for seen in server.seen) == ["images", "images", "video", "video"]
        assert {body["model"] for body in server.bodies} == {"me/Qwen2.5-VL-mine"}
        shown, video = json.loads(found.stdout)
        assert (shown["value"], shown["verdict"], shown["difference"]) == (50.0, "reproduced", 0.0)
        assert (video["value"], video["verdict"], video["difference"]) == (100.0, "reproduced", 2.0)
        kept = RunFolder(bench / "runs" / "reproduce" / "mine" / "as-video").record()
        assert kept.settings.frames.describe() == "4 frames as video"
        assert kept.recipe is not None
        assert kept.recipe["name"] == "qwen2.5-vl"
        (bench / "mine.toml").write_text(MINE.replace("98.0", "90.0"))
        text = " ".join(command("reproduce", "mine.toml", "--base-url", url, code=1).stdout.split())
        assert "4 frames as video 100.00" in text
        assert "90.0 +10.00 ±2.5 not reproduced" in text
        assert len(server.bodies) == 4  # all from the store


def test_a_part_of_the_questions_is_no_verdict(command: Command, bench: Path) -> None:
    with serving(VideoServer(reply=right)) as url:
        found = json.loads(
            command("reproduce", "mine.toml", "--base-url", url, "--limit", "1", "--json", code=1).stdout
        )
    assert {one["verdict"] for one in found} == {"no verdict"}
    assert found[0]["reason"] == "1 question was asked, and the published figure is of more"


def test_a_run_without_all_its_answers_is_no_verdict(command: Command, bench: Path) -> None:
    (bench / "bench" / "2.mp4").write_bytes(b"broken")
    with serving(VideoServer(reply=right)) as url:
        text = command("reproduce", "mine.toml", "--base-url", url, code=1).stdout
    assert "No verdict: no answer to 1 of 2 questions; the same command asks again." in text


def test_a_released_target_is_asked_with_its_settings(command: Command, tmp_path: Path) -> None:
    """Qwen2.5-VL on some of VSI-Bench's released questions: frames, times, prompts and bounds of pixels at the wire."""
    rows = [json.loads(line) for line in EXTRACT.read_text(encoding="utf-8").splitlines()][:3]
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "test.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for row in rows:
        write_video(tmp_path / "data" / row["dataset"] / f"{row['scene_name']}.mp4", 200, size=(280, 196))
    server = VideoServer(answer="A")
    with serving(server) as url:
        text = command("reproduce", "qwen2.5-vl-7b", "--data", "data", "--base-url", url, code=1).stdout
    assert len(server.seen) == 3
    for seen in server.seen:
        assert (seen.kind, len(seen.numbers), seen.numbers[0], seen.numbers[-1]) == ("video", 128, 0, 199)
        assert seen.times[-1] == pytest.approx(199 / 30)
        limit = seen.body.get("max_completion_tokens", seen.body.get("max_tokens"))
        assert (seen.body["temperature"], limit) == (0.0, 16)
        assert seen.body["mm_processor_kwargs"]["size"] == {"shortest_edge": 100352, "longest_edge": 602112}
        assert seen.body["messages"][0]["content"][1]["text"].startswith("These are frames of a video.\n")
    assert "No verdict: 3 questions were asked, and the published figure is of more." in text


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("qwen2.5-vl-7b",), "what answers for Qwen/Qwen2.5-VL-7B-Instruct? Name its endpoint with --base-url"),
        (("qwen2.5-vl",), "there is no target 'qwen2.5-vl'; did you mean 'qwen2.5-vl-7b'?"),
        (("none.toml",), "none.toml: can't be read"),
    ],
)
def test_what_is_missing_is_one_sentence(command: Command, options: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(TolmanError) as error:
        command("reproduce", *options)
    assert sentence in str(error.value)


def test_a_wrong_target_names_the_line(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(MINE.replace("published = 98.0", "publisht = 98.0"))
    with pytest.raises(
        InputError, match=r"line 19, field 'runs\.1\.publisht': is not a known key; did you mean 'published'\?"
    ):
        open_target(str(tmp_path / "mine.toml"))
