"""Pictures taken out of videos: the right frame, named by its content, once."""

from pathlib import Path

import pytest

pytest.importorskip("av", reason="pictures need the extra 'media'")

from PIL import Image

from tolman.errors import InputError
from tolman.generate.question_media import PictureSource, take_out
from videos import read_code, write_video


def test_each_picture_is_the_frame_of_its_number_and_there_once(tmp_path: Path) -> None:
    (tmp_path / "videos").mkdir()
    write_video(tmp_path / "videos" / "a.mp4", 40)
    sources = [PictureSource("videos/a.mp4", frame) for frame in (31, 4, 31, 17)] + [
        PictureSource("videos/a.mp4", start=0.0, end=1.0)
    ]
    names = take_out(sources, tmp_path, tmp_path / "out")
    assert set(names) == {("videos/a.mp4", frame) for frame in (4, 17, 31)}
    for (_, frame), name in names.items():
        with Image.open(tmp_path / "out" / name) as picture:
            assert read_code(picture) == frame
    assert len(list((tmp_path / "out" / "images").iterdir())) == 3
    assert take_out(sources, tmp_path, tmp_path / "again", workers=2) == names


def test_a_video_that_cannot_be_used_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"gone\.mp4: is missing"):
        take_out([PictureSource("gone.mp4", 0)], tmp_path, tmp_path / "out")
    with pytest.raises(InputError, match="is missing"):
        take_out([PictureSource("../other.mp4", 0)], tmp_path, tmp_path / "out")
    (tmp_path / "broken.mp4").write_bytes(b"no video")
    with pytest.raises(InputError, match=r"broken\.mp4: can't be read"):
        take_out([PictureSource("broken.mp4", 0)], tmp_path, tmp_path / "out")
    whole = write_video(tmp_path / "cut.mp4", 60, faststart=True).read_bytes()
    (tmp_path / "cut.mp4").write_bytes(whole[: int(len(whole) * 0.6)])
    with pytest.raises(InputError, match=r"cut\.mp4: can't be read .*is cut off"):
        take_out([PictureSource("cut.mp4", 3)], tmp_path, tmp_path / "out")
    write_video(tmp_path / "short.mp4", 5)
    with pytest.raises(InputError, match="has 5 frames, and its recording speaks of frame 9"):
        take_out([PictureSource("short.mp4", 9)], tmp_path, tmp_path / "out")
    assert take_out([PictureSource("gone.mp4")], tmp_path, tmp_path / "none") == {}
