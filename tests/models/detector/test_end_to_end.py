"""The detector with its own network, on rooms that it hasn't learned from."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from three_rooms import ROOMS
from tolman.cli import app
from tolman.media.video import VideoWriter
from tolman.models.detector.detector_model import BLIND
from tolman.models.detector.network import DetectorNetwork
from tolman.responses import Response
from tolman.runs.run_folder import RunFolder

pytest.importorskip("onnxruntime", reason="needs the extra 'build'")
SIZE, RATE, SECONDS = (640, 480), 15, 8


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A benchmark of three rooms, and the folder of runs beside it."""
    folder = tmp_path_factory.mktemp("detected")
    command("generate", ROOMS, "--preset", "vsi-paper", "--out", folder / "bench")
    return folder


def command(*arguments: object) -> str:
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert done.exit_code == 0, done.output
    return done.output


def answers(run: Path) -> dict[str, Response]:
    return {one.id: one for one in RunFolder(run).outcomes() if isinstance(one, Response)}


def evaluated(place: Path, name: str, bench: str = "bench") -> dict[str, Response]:
    out = place / f"{bench}-{name}"
    command("run", place / bench, "--model", f"baseline/{name}", "--out", out, "--frame-store", place / "frames")
    return answers(out)


@pytest.mark.full
def test_it_sees_more_than_the_blind_and_gives_the_same_answers_again(place: Path) -> None:
    found = evaluated(place, "detector")
    command("run", place / "bench", "--model", "baseline/detector", "--out", place / "again")
    assert {key: one.response for key, one in found.items()} == {
        key: one.response for key, one in answers(place / "again").items()
    }
    evaluated(place, "best-constant")
    items = {item.id: item for item in RunFolder(place / "bench-detector").items()}
    blind = answers(place / "bench-best-constant")
    asked = [
        key for key, item in items.items() if item.task.startswith(("object_rel_direction", "object_rel_distance"))
    ]
    right = [sum(given[key].response == items[key].answer for key in asked) for given in (found, blind)]
    assert right[0] >= right[1] + len(asked) / 10
    sized = [key for key, item in items.items() if item.task == "object_size_estimation"]
    error = [
        sum(abs(float(given[key].response) - float(items[key].answer)) for key in sized) for given in (found, blind)
    ]
    assert error[0] < error[1]
    assert sum(BLIND in one.notes for one in found.values()) < 0.4 * len(found)


@pytest.mark.full
def test_with_blank_frames_it_answers_as_the_blind_one_does(place: Path) -> None:
    shutil.copytree(place / "bench", place / "blank")
    for video in (place / "blank").rglob("*.mp4"):
        video.unlink()
        with VideoWriter(video, SIZE, RATE, "worlds") as writer:
            for _ in range(RATE * SECONDS):
                writer.add(np.full((SIZE[1], SIZE[0], 3), 128, dtype=np.uint8))
    found, blind = evaluated(place, "detector", "blank"), evaluated(place, "best-constant", "blank")
    assert len(found) > 200
    assert {key: one.response for key, one in found.items()} == {key: one.response for key, one in blind.items()}
    assert all(one.notes == {BLIND: 1} for one in found.values())


@pytest.mark.parametrize("colour", ["black", "white", "grey"])
def test_a_blank_picture_shows_nothing(colour: str, tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image", reason="images need the extra 'build'")
    image.new("RGB", SIZE, colour).save(tmp_path / "blank.jpg")
    assert DetectorNetwork().detect(str(tmp_path / "blank.jpg")) == []
