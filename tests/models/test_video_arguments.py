"""What processors of local networks are told of a clip, without any of them: frames, times, and that nothing is sampled
again."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tolman.messages import Clip, Picture
from tolman.models.hf_inputs import FAMILIES, video_arguments

Make = Callable[..., Clip]


@pytest.fixture
def clip(tmp_path: Path) -> Make:
    """Make a clip of eight frames of a minute, from the first to the last."""
    frames = []
    for number in range(8):
        path = tmp_path / f"{number}.png"
        Image.new("RGB", (8, 6), (number, 0, 0)).save(path)
        frames.append(Picture(path=str(path), sha256=str(number)))

    def make(fps: float = 30.0, total: int = 1800) -> Clip:
        ticks = tuple(int(place) for place in np.linspace(0, total - 1, 8))
        return Clip(frames=tuple(frames), fps=fps, ticks=ticks, total=total)

    return make


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_is_told_times_and_to_take_the_frames_as_they_are(clip: Make, family: str) -> None:
    shown = clip()
    found = video_arguments([shown], FAMILIES[family], {"size": {"longest_edge": 9}})
    (frames,), told = found["videos"], found["videos_kwargs"]
    assert frames.shape == (8, 6, 8, 3)
    assert frames[:, 0, 0, 0].tolist() == list(range(8))
    assert told["do_sample_frames"] is False
    (metadata,) = told["video_metadata"]
    assert metadata == {
        "total_num_frames": 1800,
        "fps": 30.0,
        "frames_indices": [0, 257, 514, 771, 1028, 1285, 1542, 1799],
        "duration": 60.0,
    }
    assert told["size"] == {"longest_edge": 9}


@pytest.mark.parametrize("family", ["qwen2_vl", "qwen2_5_vl"])
def test_seconds_between_patches_are_told_in_both_ways(clip: Make, family: str) -> None:
    """transformers before 5.0 reads frames a second alone, and later ones the metadata alone: 2 / (8/60) are 15."""
    told = video_arguments([clip()], FAMILIES[family], {})["videos_kwargs"]
    assert 2 / told["fps"] == pytest.approx(15.0)
    differ = video_arguments([clip(), clip(total=900)], FAMILIES[family], {})["videos_kwargs"]
    assert "fps" not in differ  # one number is for all videos of a batch
    assert [one["duration"] for one in differ["video_metadata"]] == [60.0, 30.0]


@pytest.mark.parametrize("family", ["qwen3_vl", "qwen3_vl_moe", "qwen3_5", "qwen3_5_moe"])
def test_marks_around_a_video_are_taken_out_and_those_of_pictures_stay(family: str) -> None:
    """The processor writes them around each part of a video; before transformers 5.10 it took out the outer ones."""
    picture, pad = "<|vision_start|><|image_pad|><|vision_end|>", "<|video_pad|>"
    text = f"{picture}a<|vision_start|>{pad}<|vision_end|>b<|vision_start|>{pad}<|vision_end|>"
    assert FAMILIES[family].prompt(text, pad) == f"{picture}a{pad}b{pad}"


def test_families_that_keep_the_marks_are_shown_them() -> None:
    text = "<|vision_start|><|video_pad|><|vision_end|>"
    others = [name for name in FAMILIES if not name.startswith("qwen3")]
    assert [FAMILIES[name].prompt(text, "<|video_pad|>") for name in others] == [text] * len(others)
