"""PLY files: by the names of properties, in every form; nothing is believed that the file can't hold."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("plyfile", reason="scans need the extra 'build'")

import plyfile

from tolman.errors import InputError
from tolman.ingest.readers import read_ply

HEAD = "ply\nformat ascii 1.0\nelement vertex 5\nproperty uchar red\nproperty double z\nproperty float x\nproperty float y\n"
VERTICES = "1 0.5 0 0\n2 0.5 1 0\n3 0.5 1 1\n4 0.5 0 1\n5 0.5 2 2\n"


def written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


@pytest.mark.parametrize("name", ["vertex_indices", "vertex_index"])
def test_polygons_become_fans_and_keep_what_their_face_has(tmp_path: Path, name: str) -> None:
    faces = f"element face 2\nproperty list uchar int {name}\nproperty int objectId\nend_header\n"
    found = read_ply(written(tmp_path / "a.ply", HEAD + faces + VERTICES + "4 0 1 2 3 7\n3 1 4 2 9\n"))
    assert found.points.tolist()[4] == [2.0, 2.0, 0.5]
    assert found.faces.tolist() == [[0, 1, 2], [0, 2, 3], [1, 4, 2]]
    assert found.of_faces("objectId").tolist() == [7, 7, 9]
    assert found.of_vertices("red").tolist() == [1, 2, 3, 4, 5]
    with pytest.raises(InputError, match="vertices have no property 'label'"):
        found.of_vertices("label")


def test_a_cloud_has_no_faces(tmp_path: Path) -> None:
    assert read_ply(written(tmp_path / "a.ply", HEAD + "end_header\n" + VERTICES)).faces.shape == (0, 3)


@pytest.mark.parametrize("order", ["<", ">"])
def test_both_orders_of_bytes(tmp_path: Path, order: str) -> None:
    rows = np.zeros(4, dtype=[("x", "f4"), ("y", "f8"), ("z", "i2")])
    rows["x"] = [0, 1, 2, 3]
    cells = np.zeros(1, dtype=[("vertex_indices", "i4", (3,))])
    cells["vertex_indices"] = [[0, 2, 3]]
    elements = [plyfile.PlyElement.describe(rows, "vertex"), plyfile.PlyElement.describe(cells, "face")]
    plyfile.PlyData(elements, byte_order=order).write(str(tmp_path / "a.ply"))
    found = read_ply(tmp_path / "a.ply")
    assert (found.points[:, 0] == [0, 1, 2, 3]).all()
    assert found.faces.tolist() == [[0, 2, 3]]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "has no header"),
        (HEAD.replace("vertex 5", "vertex 5000000000") + "end_header\n" + VERTICES, "is cut off"),
        (HEAD.replace("vertex 5", "vertex -5") + "end_header\n" + VERTICES, "no count"),
        (HEAD.replace("float x", "float w") + "end_header\n" + VERTICES, "lack x, y or z"),
        (HEAD + "end_header\n" + VERTICES.replace("2 0.5", "2 nan"), "vertex 1 has a coordinate that isn't finite"),
        (HEAD + "end_header\n" + VERTICES.replace("2 0.5", "2 1e300"), "vertex 1 has a coordinate of"),
        (HEAD + "element face 1\nproperty list uchar int vertex_indices\nend_header\n" + VERTICES + "3 0 1 5\n", "face 0 names a vertex"),
        (HEAD + "element face 1\nproperty list uchar int vertex_indices\nend_header\n" + VERTICES + "2 0 1\n", "face 0 has 2 corners"),
        (HEAD + "element face 1\nproperty list uchar int corners\nend_header\n" + VERTICES + "3 0 1 2\n", "no vertex_indices"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_sentence(tmp_path: Path, text: str, said: str) -> None:
    path = written(tmp_path / "a.ply", text)
    with pytest.raises(InputError, match=said) as raised:
        read_ply(path)
    assert str(path) in str(raised.value)


@pytest.mark.parametrize(
    ("name", "begin", "said"),
    [
        ("export.obj", b"# object\nv 0 0 0\n", "is an OBJ file, not a PLY file"),
        ("a.las", b"LASF\0\0\0\0", "is a LAS or LAZ file, not a PLY file"),
        ("pump.e57", b"ASTM-E57\x01\0\0\0", "is an E57 file, not a PLY file"),
    ],
)
def test_a_sound_file_of_another_format_is_named(tmp_path: Path, name: str, begin: bytes, said: str) -> None:
    """Getting such a file again would not help."""
    (tmp_path / name).write_bytes(begin)
    with pytest.raises(InputError, match=said) as caught:
        read_ply(tmp_path / name)
    assert "get it again" not in str(caught.value)
