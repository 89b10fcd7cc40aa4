"""Copies and nonsense, which a writer is told of."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from making import make_rooms
from reviewing import Served, begin_writing, choose_media, serving, settings_of
from tolman.ingest.media_pool import bring_in
from tolman.review.forms.question_checks import is_mashed


@pytest.mark.full
def test_a_turned_copy_and_nonsense_are_noticed(tmp_path: Path) -> None:
    colours = np.random.default_rng(1).integers(0, 250, (6, 8, 3)).astype(np.uint8)
    picture = Image.fromarray(colours).resize((320, 240), Image.Resampling.BICUBIC)
    (tmp_path / "raw").mkdir()
    picture.save(tmp_path / "raw" / "a.png")
    picture.rotate(3).save(tmp_path / "raw" / "b.png")
    bring_in([tmp_path / "raw"], tmp_path / "pool", source="Rooms", licence="CC BY 4.0")
    with serving(*settings_of(tmp_path / "fresh", tmp_path / "store", None, pool=tmp_path / "pool")) as served:
        told = _told(served)
    assert "Picture 2 looks like a copy of picture 1 that is turned by about 3°." in told
    assert "what looks like no words: “qwrtzxc”" in told
    assert "The reasoning names nothing that the question or its answers name." in told


def _told(served: Served) -> str:
    ann, path, _ = begin_writing(served)
    choose_media(ann, path, served.site.pool.media())
    return ann.post(f"{path}/edit", tab="one", seen=0, question="Qwrtzxc lamp?".lower(), step="Because I say so.").text


def test_words_are_told_from_mashed_keys() -> None:
    for word in ("qwrtzxc", "asdfghjklmnb", "aaaaah", "xxxx"):
        assert is_mashed(word), word
    for word in ("lamp", "strengths", "TV", "cm", "LED", "rhythm", "Angstschweiß", "左", "B2", "sphinx", "HDMI"):
        assert not is_mashed(word), word


@pytest.mark.full
def test_wrong_options_are_proposed_from_the_scene_and_picked(tmp_path: Path) -> None:
    (tmp_path / "raw" / "one").mkdir(parents=True)
    Image.new("RGB", (64, 48), "red").save(tmp_path / "raw" / "one" / "a.png")
    bring_in([tmp_path / "raw"], tmp_path / "pool", source="Rooms", licence="CC BY 4.0")
    with serving(
        *settings_of(
            tmp_path / "fresh", tmp_path / "store", None, pool=tmp_path / "pool", scenes=make_rooms(tmp_path / "rooms")
        )
    ) as served:
        ann, path, _ = begin_writing(served)
        choose_media(ann, path, served.site.pool.media())
        fields = {"tab": "one", "seen": 0, "option": "the lamp", "answer": "A"}
        proposed = ann.post(f"{path}/edit", do="propose", **fields).text
        assert 'value="take:the sofa"' in proposed
        assert 'value="take:the lamp"' not in proposed
        picked = ann.post(f"{path}/edit", do="take:the sofa", **fields).text
        assert ">the sofa</textarea>" in picked
        assert 'value="take:the sofa"' not in picked
        assert "Nothing to propose" in ann.post(f"{path}/edit", do="propose", tab="one", seen=0, option="x").text
