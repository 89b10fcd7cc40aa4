"""What a dry run says beside what the run then does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from loopback import Server, serving
from terminal import tolman
from three_rooms import ROOMS
from tolman.item_table import write_items
from tolman.items import Item, Media
from tolman.scene_table import read_scenes


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Three questions about each of two rooms."""
    folder = tmp_path / "bench"
    folder.mkdir()
    (folder / "benchmark.json").write_text(json.dumps({"title": "Counts", "scoring_profile": "vsi-bench"}))
    scenes = [scene.id for scene in read_scenes(ROOMS)][:2]
    videos = sorted(path.relative_to(ROOMS).as_posix() for path in (ROOMS / "videos").rglob("*.mp4"))
    items = [
        Item(
            id=f"{scene}-{number}", question=f"How many chairs are there, asked as number {number}?", kind="number",
            answer="2", task="object_counting", scene=scene, media=(Media(kind="video", path=video),),
        )
        for scene, video in zip(scenes, videos, strict=False)
        for number in range(3)
    ]  # fmt: skip
    write_items(folder / "items.parquet", items)
    return tmp_path


def command(url: str, *more: str) -> tuple[str, ...]:
    return (
        "run", "./bench", "--model", "openai/m", "--base-url", url, "--media", str(ROOMS), "--scenes", str(ROOMS),
        "--protocol", "cognitive-map", "--map-categories", "scene", "--frames", "2", "--store", "s.sqlite", *more,
    )  # fmt: skip


def test_a_map_that_questions_share_is_one_call(place: Path) -> None:
    pytest.importorskip("av", reason="reading videos needs the extra 'media'")
    server = Server(answer='{"chair": [(1, 1)]}', models=("m",))
    with serving(server) as url:
        dry = tolman(place, *command(url, "--dry-run", "--json"))
        assert dry.returncode == 0, dry.stderr
        (found,) = json.loads(dry.stdout)
        assert (found["calls"], found["videos"], found["minutes"]) == (2 + 6, 2 + 6, None)
        assert tolman(place, *command(url)).returncode in (0, 1)
        assert server.requests == found["calls"]
        again = tolman(place, *command(url, "--dry-run"), COLUMNS="250")
        assert "< 0.1" in again.stdout
        # Answers to videos say nothing of how long text takes.
        blind = ("run", "./bench", "--model", "openai/m", "--base-url", url, "--protocol", "blind", "--dry-run")
        (text,) = json.loads(tolman(place, *blind, "--store", "s.sqlite", "--json").stdout)
        assert text["minutes"] is None
        assert " unknown  " in tolman(place, *blind, "--store", "s.sqlite", COLUMNS="250").stdout


@pytest.mark.full
@pytest.mark.parametrize(
    ("models", "name", "said"),
    [
        (("sloppy-7b", "other"), "sloppy", "/v1 doesn't list the model 'sloppy'; did you mean sloppy-7b?"),
        (("a", "b"), "sloppy", "/v1 doesn't list the model 'sloppy'; it lists a, b."),
        (("sloppy:latest",), "sloppy", ""),
        (("sloppy",), "sloppy", ""),
        ((), "sloppy", ""),
    ],
)
def test_a_model_that_the_endpoint_does_not_list_is_one_warning(
    place: Path, models: tuple[str, ...], name: str, said: str
) -> None:
    with serving(Server(models=models)) as url:
        line = ("run", "./bench", "--protocol", "blind", "--model", f"openai/{name}", "--base-url", url)
        done = tolman(place, *line, "--store", "s.sqlite", COLUMNS="250")
    assert done.stderr.count("doesn't list the model") == bool(said)
    assert said in " ".join(done.stderr.split())
