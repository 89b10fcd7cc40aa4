"""

Lists of records, read row by row through a small window.

PLY files: by the names of properties, in every form; nothing is believed that the file can't hold.
"""

import json
from pathlib import Path

import numpy as np
import plyfile
import pytest
from hypothesis import given, settings, strategies as st
from scipy.spatial.transform import Rotation

from tolman.errors import InputError
from tolman.ingest import readers
from tolman.ingest.readers import json_rows, read_ply, rigid, rotations


def test_rotations_are_those_of_scipy() -> None:
    turns = Rotation.random(20, random_state=0)
    x, y, z, w = turns.as_quat().T
    np.testing.assert_allclose(rotations(w, x, y, z), turns.as_matrix(), atol=1e-12)
    # Few digits make no other rotation, nor one that is stretched.
    found = rotations(*(np.round(part, 4) for part in (w, x, y, z)))
    np.testing.assert_allclose(found @ found.transpose(0, 2, 1), np.broadcast_to(np.eye(3), (20, 3, 3)), atol=1e-12)
    matrix = rigid(turns.as_matrix(), np.arange(60.0).reshape(20, 3))
    np.testing.assert_allclose(matrix[3] @ [0, 0, 0, 1], [9, 10, 11, 1])


@pytest.mark.parametrize("bad", [0.0, 2.0, float("nan"), float("inf")])
def test_what_is_no_rotation_is_refused(bad: float) -> None:
    zero = np.zeros(3)
    with pytest.raises(ValueError, match="a quaternion has the length"):
        rotations(np.array([1.0, bad, 1.0]), zero, zero, zero)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
RECORDS = st.lists(st.dictionaries(st.text(max_size=5), VALUES, max_size=4), max_size=6)


@pytest.fixture(autouse=True)
def small_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers, "_CHUNK", 7)


@settings(deadline=None, max_examples=60)
@given(RECORDS, st.sampled_from([None, 0, 2]), st.booleans(), st.data())
def test_every_record_comes_back_and_no_cut_goes_unnoticed(
    tmp_path_factory: pytest.TempPathFactory,
    records: list[dict[str, object]],
    indent: int | None,
    escaped: bool,
    data: st.DataObject,
) -> None:
    path = tmp_path_factory.mktemp("r") / "table.json"
    encoded = json.dumps(records, indent=indent, ensure_ascii=escaped).encode()
    path.write_bytes(encoded)
    found = list(json_rows(path))
    assert [row.fields for row in found] == records
    assert [row.number for row in found] == list(range(1, len(records) + 1))
    assert [json.loads(row.text) for row in found] == records
    path.write_bytes(encoded[: data.draw(st.integers(0, len(encoded) - 1))])
    with pytest.raises(InputError, match=r"table\.json"):
        list(json_rows(path))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "is no list of records"),
        ('{"a": 1}', "is no list of records"),
        ("[1]", "row 1: is no record"),
        ('[{"a": 1} {"b": 2}]', "row 1: is followed by something other"),
        ('[{"a": 1},]', "row 2: is no record"),
        ('[{"a": 1}] x', "continues after the end"),
        ('[{"a": 1}, {"b": NaN}]', "row 2: is no JSON .NaN is no number of JSON"),
        ('[{"a": 1}, {"b" 2}]', "row 2: is no JSON"),
        ('[{"a": 1}, {"b": 2', "row 2: is cut off"),
        ('[{"a": 1}', "row 1: is the last, and no ']' follows"),
        ('[{"a": ' + "[" * 100_000, "row 1: is no JSON"),
        ('[{"a": ' + "9" * 5000 + "}]", "row 1: is no JSON"),
    ],
)
def test_what_is_wrong_is_said_with_the_row(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "table.json"
    path.write_text(text)
    with pytest.raises(InputError, match=sentence):
        list(json_rows(path))


def test_a_row_that_never_ends_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers, "_LONGEST", 1000)
    monkeypatch.setattr(readers, "_CHUNK", 400)
    path = tmp_path / "table.json"
    path.write_text('[{"a": "' + "x" * 100_000)
    with pytest.raises(InputError, match="row 1: is no JSON"):
        list(json_rows(path))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is missing"):
        list(json_rows(tmp_path / "gone.json"))
    with pytest.raises(InputError, match="can't be read"):
        list(json_rows(tmp_path))
    (tmp_path / "latin.json").write_bytes('[{"a": "é"}]'.encode("latin-1"))
    with pytest.raises(InputError, match="no text in UTF-8"):
        list(json_rows(tmp_path / "latin.json"))


pytest.importorskip("plyfile", reason="scans need the extra 'build'")

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
