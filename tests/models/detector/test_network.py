"""Networks: the maps of Tolman's own, and the boxes of a detector that the user names."""

from pathlib import Path

import numpy as np
import pytest

from tolman.errors import InputError
from tolman.models.detector.network import DetectorNetwork

pytest.importorskip("onnxruntime", reason="needs the extra 'build'")
BOXES = Path(__file__).parent / "data" / "boxes.onnx"
"""A network that finds the same in every picture: label 1 on the left half (0.6), label 0 from 320, 160 to 480, 480 of
640×640 (0.9), label 9 (0.8), and label 0 everywhere (0.05)."""


@pytest.fixture(scope="module")
def own() -> DetectorNetwork:
    return DetectorNetwork()


@pytest.fixture
def picture(tmp_path: Path) -> str:
    """A picture of noise, 320×240."""
    image = pytest.importorskip("PIL.Image", reason="images need the extra 'build'")
    pixels = np.random.default_rng(0).integers(0, 256, (240, 320, 3), dtype=np.uint8)
    image.fromarray(pixels).save(tmp_path / "noise.jpg")
    return str(tmp_path / "noise.jpg")


def test_a_peak_is_an_object_at_its_place_and_size(own: DetectorNetwork) -> None:
    heat = np.zeros((len(own.names), 30, 40), dtype=np.float32)
    values = np.zeros((8, 30, 40), dtype=np.float32)
    chair = own.names.index("chair")
    heat[chair, 10, 20], heat[chair, 10, 21], heat[0, 3, 3] = 0.8, 0.7, 0.05
    values[:, 10, 20] = (0.5, 0.5, np.log(4), np.log(6), np.log(2.0), 0.0, 5 / 4, np.log(0.9))
    (found,) = own.decode(heat, values)
    assert (found.category, round(found.score, 3)) == ("chair", 0.8)
    assert found.box == pytest.approx((18.5 / 40, 7.5 / 30, 22.5 / 40, 13.5 / 30))
    assert found.middle == pytest.approx((0.0, 0.0, 2.0), abs=1e-6)
    assert max(found.size) == pytest.approx(0.9)


def test_the_shipped_network_names_what_rooms_hold(own: DetectorNetwork) -> None:
    assert len(own.names) == 57
    assert {"door", "rug", "window", "sofa", "refrigerator", "bathtub"} <= set(own.names)


def test_a_detector_of_another_make_tells_distance_by_height(picture: str) -> None:
    found = DetectorNetwork(BOXES, ["lamp", "door"]).detect(picture)
    assert [(one.category, round(one.score, 2)) for one in found] == [("lamp", 0.9), ("door", 0.6)]
    lamp, door = found
    assert lamp.box == pytest.approx((0.5, 0.25, 0.75, 0.75))
    assert door.middle[0] < 0 < lamp.middle[0]
    # 0.8 m are half of the picture's height, 36° each way across and three quarters of that upright.
    assert lamp.middle[2] == pytest.approx(0.8 / (2 * np.tan(np.radians(36)) * 0.75 * 0.5))


def test_labels_without_a_meaning_are_told() -> None:
    with pytest.raises(InputError, match="doesn't say what its labels mean"):
        DetectorNetwork(BOXES)
