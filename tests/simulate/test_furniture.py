"""Reading furniture: the shipped selection, the whole catalogue, and files that are broken on purpose."""

import json
import tomllib
import zipfile
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("trimesh", reason="furniture needs the extra 'worlds'")

from simulate.worlds import FURNITURE
from tolman.errors import InputError
from tolman.simulate.furniture import CATALOGUE, Library
from tolman.simulate.made.kind import REGISTRY
from tolman.simulate.room_contents import FLAT_TOPS

NAMING = Path(__file__).parents[2] / "benchmarks" / "naming.json"
CUBE = (
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
    "f 1 2 3 4\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n"
)


def catalogue(*pieces: tuple[str, str], size: str = "50", **more: str) -> str:
    lines = []
    for number, (name, model) in enumerate(pieces, start=1):
        lines += [f"name#{number}={name}", f"category#{number}=Office", f"model#{number}=/{model}"]
        lines += [f"{key}#{number}={size}" for key in ("width", "depth", "height")]
        lines += [f"{key}#{number}={value}" for key, value in more.items()]
    return "\n".join(lines)


def library(path: Path, text: str, files: dict[str, bytes | str]) -> Library:
    with zipfile.ZipFile(path, "w") as out:
        out.writestr(CATALOGUE, text)
        for name, content in files.items():
            out.writestr(name, content)
    return Library(path)


def test_the_selection_is_what_the_documentation_says(library: Library) -> None:
    pieces = library.usable()
    assert library.broken == []
    assert len(pieces) == 54
    assert len({piece.category for piece in pieces}) >= 20
    made = {kind.category for kind in REGISTRY.all().values()}
    assert {piece.category for piece in pieces} | made >= FLAT_TOPS


def test_categories_are_what_people_call_the_models(library: Library) -> None:
    """Names of the catalogue that pictures contradict, and one name for what looks alike."""
    called = {piece.name: piece.category for piece in library.usable()}
    assert called["Bookcase"] == "cabinet"  # with closed doors
    assert called["Cupboard"] == "wardrobe"  # higher than wide
    assert called["Drawers cabinet"] == called["Lower cabinet"] == "cabinet"
    assert called["Television cabinet"] == "shelf"  # open shelves, 1.6 m high
    assert called["Little plant"] == called["Plant"] == "plant"  # all are in pots
    assert {piece.category for piece in library.usable()}.isdisjoint({"bookcase", "box", "cupboard", "tv cabinet"})


def test_most_namers_give_each_model_that_is_put_into_rooms_its_category(library: Library) -> None:
    """By the record of those who saw pictures alone."""
    record = {entry["model"]: entry for entry in json.loads(NAMING.read_text(encoding="utf-8"))}
    same = {
        word: category
        for category, words in tomllib.loads(NAMING.with_name("synonyms.toml").read_text(encoding="utf-8")).items()
        for word in (category, *words)
    }
    for piece in library.usable():
        if piece.habit == "never":
            continue
        names = record[piece.id]["names"]
        right = sum(n for name, n in names.items() if same.get(name, name) == piece.category)
        assert right > sum(names.values()) / 2, (piece.id, piece.category, names)


def test_what_hangs_hangs_and_what_is_built_in_is_left_out(library: Library) -> None:
    habits = {piece.name: piece.habit for piece in library.usable()}
    assert habits["Radiator"] == habits["Cuckoo clock"] == "hung"
    assert habits["Double oven"] == "never"


def test_every_model_fills_its_box_and_stands_on_the_floor(library: Library) -> None:
    for piece in library.usable():
        mesh = library.mesh(piece)
        assert mesh is not None
        low, high = mesh.bounds
        np.testing.assert_allclose(high - low, piece.size, atol=1e-6)
        np.testing.assert_allclose(low, (-piece.size[0] / 2, -piece.size[1] / 2, 0), atol=1e-6)
        assert np.abs(np.linalg.norm(mesh.normals, axis=1) - 1).max() < 1e-3 or (mesh.normals == 0).all(1).any()


@pytest.mark.full
def test_the_whole_catalogue_is_read(shared_data: Path) -> None:
    whole = Library(shared_data / "furniture" / "BlendSwap-CC-0.sh3f")
    assert len(whole.usable()) == 175
    assert whole.broken == []


def test_a_front_along_plus_y(tmp_path: Path) -> None:
    # A slab whose front face (+z in OBJ) has a nose: it must come out on the +y side.
    nose = CUBE + "v 0.4 0.4 1\nv 0.6 0.4 1\nv 0.5 0.6 3\nf 9 10 11\n"
    made = library(tmp_path / "a.sh3f", catalogue(("Thing", "a.obj")), {"a.obj": nose})
    (piece,) = made.usable()
    mesh = made.mesh(piece)
    assert mesh is not None
    tip = mesh.points[mesh.points[:, 1].argmax()]
    assert tip == pytest.approx((0.0, 0.25, 0.3), abs=1e-6)


BAD: dict[str, tuple[str, dict[str, bytes | str]]] = {
    "no such file": ("gone.obj", {}), "nothing in it": ("a.obj", {"a.obj": ""}), "a way out": ("../../etc/passwd", {}),
    "no number": ("a.obj", {"a.obj": "v 0 0 x\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"}),
    "an index beyond": ("a.obj", {"a.obj": "v 0 0 0\nv 1 0 0\nf 1 2 9\n"}),
    "nan": ("a.obj", {"a.obj": CUBE.replace("v 1 1 1", "v nan 1 1")}),
    "flat": ("a.obj", {"a.obj": "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"}),
    "bytes": ("a.obj", {"a.obj": bytes(range(256)) * 20}),
}  # fmt: skip


@pytest.mark.parametrize(("model", "files"), BAD.values(), ids=BAD.keys())
def test_a_broken_model_is_named_and_left_out(tmp_path: Path, model: str, files: dict[str, bytes | str]) -> None:
    text = catalogue(("Broken thing", model), ("Cube", "good/cube.obj"))
    made = library(tmp_path / "a.sh3f", text, {**files, "good/cube.obj": CUBE})
    assert [piece.name for piece in made.usable()] == ["Cube"]
    (broken,) = made.broken
    assert broken.name == "Broken thing"
    assert model.rsplit("/", maxsplit=1)[-1] in broken.reason


@pytest.mark.parametrize("size", ["", "0", "-5", "inf", "nan", "1e9", "wide"])
def test_a_broken_entry_is_named_and_left_out(tmp_path: Path, size: str) -> None:
    made = library(tmp_path / "a.sh3f", catalogue(("Cube", "a.obj"), size=size), {"a.obj": CUBE})
    assert made.broken[0].name == "Cube"
    with pytest.raises(InputError, match="holds no usable model"):
        made.usable()


@pytest.mark.parametrize("content", [b"", b"no zip at all", b"PK\x03\x04" + bytes(50)])
def test_a_file_that_is_no_library_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.sh3f"
    path.write_bytes(content)
    with pytest.raises(InputError, match="is no furniture library"):
        Library(path)
    with pytest.raises(InputError, match="is no furniture library"):
        Library(tmp_path / "absent.sh3f")


@pytest.mark.full
def test_a_model_is_read_once_and_again_where_what_was_kept_is_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOLMAN_CACHE", str(tmp_path / "cache"))
    shipped = Library(FURNITURE)
    textured = next(piece for piece in shipped.usable() if (mesh := shipped.mesh(piece)) and len(mesh.textures) > 1)

    def read() -> list[np.ndarray]:
        mesh = Library(FURNITURE).mesh(textured)
        assert mesh is not None
        return [mesh.points, mesh.normals, mesh.uvs, mesh.tints, mesh.textures_of, mesh.faces, *mesh.textures]

    kept = read()
    for path in (tmp_path / "cache" / "models").iterdir():
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    again = read()
    monkeypatch.setenv("TOLMAN_CACHE", "/proc/nowhere")
    without = read()
    for one, two, three in zip(kept, again, without, strict=True):
        assert one.dtype == two.dtype == three.dtype
        assert np.array_equal(one, two)
        assert np.array_equal(one, three)
