"""A benchmark that was stopped while it was written is none, and is made again by the same command."""

import shutil
from pathlib import Path

import pytest

pytest.importorskip("shapely", reason="the families need the extra 'build'")

from folders import contents
from three_rooms import ROOMS
from tolman.errors import InputError
from tolman.features.generate.compute import generate
from tolman.features.generate.config import GenerateConfig
from tolman.generate import publish
from tolman.generate.publish import card
from videos import write_video


def stop(*arguments: object) -> str:
    raise KeyboardInterrupt


@pytest.mark.parametrize("before", [False, True])
def test_a_stopped_benchmark_is_none_and_is_made_again(
    before: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = GenerateConfig(scenes=ROOMS, out=tmp_path / "made" / "bench", families=("size",), per_scene=2)
    whole = GenerateConfig(scenes=ROOMS, out=tmp_path / "whole" / "bench", families=("size",), per_scene=2)
    generate(whole)
    if before:
        generate(config)
    monkeypatch.setattr(publish, "card", stop)  # when all questions are written
    with pytest.raises(KeyboardInterrupt):
        generate(config)
    assert not (config.out / "benchmark.json").exists()
    monkeypatch.setattr(publish, "card", card)
    generate(config)
    assert contents(config.out) == contents(whole.out)


def test_a_folder_of_something_else_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("dear")
    with pytest.raises(InputError, match="holds other files"):
        generate(GenerateConfig(scenes=ROOMS, out=tmp_path, families=("size",)))
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_video_that_is_cut_off_is_not_put_beside_questions(tmp_path: Path) -> None:
    scenes = tmp_path / "scenes"
    shutil.copytree(ROOMS, scenes)
    videos = sorted(scenes.rglob("*.mp4"))
    assert videos
    for video in videos:
        video.chmod(0o644)
        write_video(video, 60, faststart=True)
        video.write_bytes(video.read_bytes()[:-2000])
    with pytest.raises(InputError, match=r"\.mp4: is cut off \(its 'mdat' box ends at byte"):
        generate(GenerateConfig(scenes=scenes, out=tmp_path / "bench", families=("size",), per_scene=2))
