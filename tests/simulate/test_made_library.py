"""Made furniture in rooms: it stands and hangs as the models of a library do that is added."""

import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("embreex", reason="furniture needs the extra 'worlds'")

from simulate.holding import HUNG, ON_WALL, faults, off_the_wall
from simulate.worlds import FURNITURE, SHAPES
from tolman.errors import UsageError
from tolman.plugins import load_plugins
from tolman.simulate.furniture import Furniture, Library
from tolman.simulate.interior import _drawn, build_interior, draw_plan
from tolman.simulate.made.kind import DESIGNS, ONE_SIZE, REGISTRY, STRETCH, MadeLibrary
from tolman.simulate.simulated_places import WorldsConfig, place


def test_a_library_offers_made_pieces_beside_the_catalogues(library: Library) -> None:
    both = MadeLibrary("1", library)
    pieces = both.usable()
    made = [piece for piece in pieces if piece.id.startswith("made ")]
    assert len(made) == DESIGNS * len(REGISTRY.names())
    assert {piece.category for piece in pieces} > {"sofa", "piano", "basketball"}
    sofa = next(piece for piece in pieces if piece.id == "made sofa 0")
    mesh = both.mesh(sofa)
    assert mesh is not None
    np.testing.assert_allclose(np.ptp(mesh.points, axis=0), sofa.size, atol=1e-3)


def test_a_catalogues_pieces_have_drawn_sizes_and_their_proportions(library: Library) -> None:
    sizes: dict[str, set[tuple[float, ...]]] = {}
    for seed in map(str, range(12)):
        both = MadeLibrary(seed, library)
        for identity in both.pieces.keys() & library.pieces.keys():
            factors = np.array(both.pieces[identity].size) / library.pieces[identity].size
            assert 1 / STRETCH - 0.01 < factors.min() <= factors.max() < STRETCH + 0.01
            # Sizes are rounded to the millimetre.
            assert np.ptp(factors) < 0.001 / min(library.pieces[identity].size) + 1e-9
            sizes.setdefault(identity, set()).add(both.pieces[identity].size)
    one_size = {identity for identity in sizes if library.pieces[identity].category in ONE_SIZE}
    assert one_size
    assert {len(sizes[identity]) for identity in one_size} == {1}
    pianos = [len(sizes[p.id]) for p in library.usable() if p.category == "piano"]
    assert pianos == [12] * len(pianos)


def test_a_scaled_piece_stands_as_its_model_does(library: Library) -> None:
    both = MadeLibrary("3", library)
    for identity in sorted(both.pieces.keys() & library.pieces.keys())[::6]:
        piece = both.pieces[identity]
        mesh = both.mesh(piece)
        assert mesh is not None
        np.testing.assert_allclose(np.ptp(mesh.points, axis=0), piece.size, atol=1e-3)
        if piece.habit not in ("hung", "never"):
            assert both.stands(piece) == both.support(piece).stable


def test_no_low_stool_is_a_bar_stool_that_shrank(library: Library) -> None:
    for seed in map(str, range(20)):
        for piece in MadeLibrary(seed, library).pieces.values():
            if piece.category == "stool" and not piece.id.startswith("made "):
                assert piece.size[2] > 0.6


def test_pieces_are_chosen_by_their_weights() -> None:
    kind = REGISTRY.get("chair")
    chair = Furniture("a", "a", "chair", (0.5, 0.5, 0.9), 0.0, kind.habit, "", (), weight=3.0)
    pieces = [chair, replace(chair, id="b", weight=1.0)]
    generator = np.random.default_rng(0)
    drawn = [_drawn(pieces, generator).id for _ in range(2000)]
    assert 0.72 < drawn.count("a") / len(drawn) < 0.78


def test_a_library_is_drawn_from_its_seed() -> None:
    sizes = {seed: {p.id: p.size for p in MadeLibrary(seed).usable()} for seed in ("1", "2")}
    assert sizes["1"] == {p.id: p.size for p in MadeLibrary("1").usable()}
    assert sizes["1"].keys() == sizes["2"].keys()
    assert sum(sizes["1"][name] == sizes["2"][name] for name in sizes["1"]) < 3


@pytest.mark.parametrize("number", [0, *(pytest.param(n, marks=pytest.mark.full) for n in range(1, 7))])
def test_made_furniture_stands_and_hangs_in_rooms(library: Library, number: int) -> None:
    both = MadeLibrary(str(number), library)
    plan = draw_plan("t/1", SHAPES[number % 3], f"made:{number}", both)
    world = build_interior(plan, both)
    assert sum(thing.model.startswith("made ") for thing in plan.placed) >= 1
    assert faults(world, hung=HUNG) == []
    assert all(gap <= ON_WALL for category in HUNG for gap in off_the_wall(world, category))


def test_pictures_of_a_room_have_one_size_and_different_images() -> None:
    library = MadeLibrary("1")
    for name, same in (("made picture 0", False), ("made chair 0", True)):
        first, second = (library.copy(library.pieces[name], number) for number in (0, 1))
        assert first is not None
        assert second is not None
        np.testing.assert_allclose(np.ptp(first.points, axis=0), np.ptp(second.points, axis=0), atol=1e-3)
        assert (first is second) == same


@pytest.mark.full
def test_a_library_that_is_asked_for_changes_the_settings(tmp_path: Path) -> None:
    config = WorldsConfig(furniture=FURNITURE)
    assert WorldsConfig().settings()["furniture"] == ["made"]
    assert config.settings()["furniture"] == ["made", hashlib.sha256(FURNITURE.read_bytes()).hexdigest()]
    plan = place(replace(config, media=False), "rectangle", "t/1", "1")
    assert plan[0].scene.objects


def test_a_kind_of_a_plugin_is_offered_too(tmp_path: Path) -> None:
    plugin = tmp_path / "brick.py"
    plugin.write_text(
        "from tolman.simulate.made.forms import box\n"
        "from tolman.simulate.made.kind import FurnitureKind, MadeParts, SizeClass\n"
        "def make(draws):\n"
        "    w, d, h = draws.size\n"
        "    return MadeParts(draws.material('stone').on(box((-w / 2, -d / 2, 0), (w / 2, d / 2, h))))\n"
        "FURNITURE = FurnitureKind('brick', 'brick', 'floor', (SizeClass((0.24, 0.115, 0.07), (0.1, 0.1, 0.1)),), make, 'DIN 105')\n",
        encoding="utf-8",
    )
    load_plugins([plugin])
    assert "made brick 0" in MadeLibrary("1").pieces


def test_what_is_no_kind_is_refused(tmp_path: Path) -> None:
    plugin = tmp_path / "nothing.py"
    plugin.write_text("FURNITURE = 3\n", encoding="utf-8")
    load_plugins([plugin])
    with pytest.raises(UsageError, match="is no FurnitureKind"):
        MadeLibrary("1")
