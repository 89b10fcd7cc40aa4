"""Copies of pictures that are turned, mirrored or cut."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image, ImageOps

from tolman.review.store.pool import copy_of


def _picture(seed: int) -> Image.Image:
    """A picture with things of several sizes."""
    colours = np.random.default_rng(seed).integers(0, 255, (9, 12, 3)).astype(np.uint8)
    return Image.fromarray(colours).resize((320, 240), Image.Resampling.BICUBIC)


def _file(image: Image.Image) -> bytes:
    made = io.BytesIO()
    image.save(made, "JPEG", quality=80)
    return made.getvalue()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda image: image.rotate(3), "turned by about 3°"),
        (lambda image: image.rotate(-8, expand=True), "turned by about 8°"),
        (ImageOps.mirror, "mirrored"),
        (lambda image: ImageOps.mirror(image).rotate(2), "turned by about 2° and mirrored"),
        (lambda image: image.crop((10, 8, 310, 232)), ""),
    ],
)
def test_a_changed_copy_is_found(change: object, told: str) -> None:
    assert callable(change)
    picture = _picture(1)
    copy = copy_of(_file(picture), _file(change(picture)))
    assert copy is not None
    assert copy.text == told


def test_another_picture_is_no_copy() -> None:
    assert copy_of(_file(_picture(1)), _file(_picture(2))) is None
    plain = _file(Image.new("RGB", (320, 240), "white"))
    assert copy_of(plain, plain) is None  # of one colour there is nothing to compare
