"""Scans in each format, written by the tests of ingesting: one small room each."""

import shutil
from pathlib import Path

import pytest

from docs.blocks import ROOT


def write_scans(format: str, place: Path, pictures: Path) -> None:
    """Write what a page ingests, unless it is there.

    Args:
        format: as the command names it; what is none of these is left to the page.
        place: the folder that the command reads.
        pictures: of which media pools are made.
    """
    if place.exists():
        return
    if format == "media":
        place.parent.mkdir(parents=True, exist_ok=True)
        if place.suffix == ".txt":
            place.write_text("\n".join(map(str, sorted(pictures.iterdir()))))
        else:
            shutil.copytree(pictures, place)
    elif format == "video" and place.suffix == ".mp4":
        from ingest.test_video_poses import drawn_corner, film

        film(place, drawn_corner())
    elif format == "ego-exo4d":
        from ingest.ego_exo4d_layout import write

        write(place)
    elif format == "nuscenes":
        from ingest.nuscenes_layout import Drive, write as write_drives

        write_drives(place, [Drive("scene-0001")], "v1.0-mini")
    elif format in ("scannet", "scannetpp"):
        from ingest.scannet_writer import write_scannet
        from ingest.scannetpp_writer import write_scannetpp

        write_scannet(place, frames()) if format == "scannet" else write_scannetpp(place, frames())
    elif format in ("auto", "colmap", "nerfstudio", "roomplan"):
        from ingest.phone_writers import write_roomplan
        from ingest.posed_writers import write_colmap, write_nerfstudio
        from ingest.worlds import small_world

        pictures_of_room = [frame.colour for frame in frames()]
        if format == "roomplan":
            write_roomplan(place / "flat.json")
        elif format == "nerfstudio":
            write_nerfstudio(place, pictures_of_room)
        else:
            write_colmap(place, pictures_of_room, "PINHOLE", small_world().intrinsics)
    elif format == "record3d":
        from ingest.marks import coco
        from ingest.phone_writers import write_record3d

        write_record3d(place, frames())
        coco(place.with_name("marks.json"), frames())
    elif format in ("arkitscenes", "matterport3d", "generic"):
        from ingest.arkit_writer import write_arkit
        from ingest.generic_writer import write_generic
        from ingest.matterport_writer import write_matterport
        from ingest.worlds import small_world

        if format == "arkitscenes":
            write_arkit(place, small_world(), frames())
        elif format == "matterport3d":
            write_matterport(place, small_world(), frames())
        else:
            write_generic(place / "kitchen", small_world(), frames())


def make_recipe(place: Path, kept: Path) -> None:
    """Put Tolman-2's recipe there, for four rooms."""
    recipe = (ROOT / "tolman-2" / "recipe.toml").read_text(encoding="utf-8")
    assert "\nscenes = 2400\n" in recipe
    assert '"tolman-1/furniture.sh3f"' in recipe
    recipe = recipe.replace("\nscenes = 2400\n", "\nscenes = 4\n")
    (place / "tolman-2").mkdir()
    furniture = (ROOT / "tolman-1" / "furniture.sh3f").as_posix()
    (place / "tolman-2" / "recipe.toml").write_text(recipe.replace("tolman-1/furniture.sh3f", furniture), "utf-8")


def make_groups(place: Path, kept: Path) -> None:
    """Photographs, and the table that says which of them show one place."""
    pillow = pytest.importorskip("PIL.Image", reason="images need the extra 'media'")
    (place / "photos").mkdir(exist_ok=True)
    for name, colour in (("a.jpg", "red"), ("b.jpg", "blue")):
        pillow.new("RGB", (32, 24), colour).save(place / "photos" / name)
    (place / "groups.csv").write_text("file,group\na.jpg,kitchen\nb.jpg,kitchen\n", encoding="utf-8")


def frames() -> tuple:  # type: ignore[type-arg]
    """The frames of the tests' small world; skips where the machine can't draw."""
    pytest.importorskip("moderngl", reason="rendering needs the extra 'worlds'")
    from ingest import worlds
    from tolman.errors import NoDisplayError

    try:
        return worlds.frames()
    except NoDisplayError as error:
        pytest.skip(str(error))
