"""A folder of scans is recognised: its format, what it holds, what it lacks and what to do next."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import terminal
from ingest.generic_writer import write_generic
from ingest.phone_writers import write_polycam, write_record3d, write_roomplan, write_scanner_app, write_stray
from ingest.posed_writers import save_pictures, write_colmap, write_nerfstudio
from ingest.test_posed_pictures import PINHOLES, plain
from ingest.worlds import small_world
from tolman.errors import InputError, UsageError
from tolman.features.scenes.compute import ingest
from tolman.features.scenes.config import IngestConfig
from tolman.ingest.formats import names, recognise
from tolman.ingest.formats.roomplan import RoomPlan
from tolman.ingest.scan_format import ScanHints

pytest.importorskip("plyfile", reason="scans need the extra 'build'")
pytest.importorskip("av", reason="scans need the extra 'build'")

WRITERS: dict[str, Callable[[Path, Any], object]] = {
    "colmap": lambda path, drawn: write_colmap(path / "flat", plain(drawn), "PINHOLE", PINHOLES["PINHOLE"]),
    "nerfstudio": lambda path, drawn: write_nerfstudio(path / "flat", plain(drawn)),
    "polycam": lambda path, drawn: write_polycam(path / "flat", drawn),
    "stray-scanner": lambda path, drawn: write_stray(path / "flat", drawn),
    "3d-scanner-app": lambda path, drawn: write_scanner_app(path / "flat", drawn),
    "record3d": lambda path, drawn: write_record3d(path / "in" / "flat.r3d", drawn),
    "roomplan": lambda path, drawn: write_roomplan(path / "in" / "flat.json"),
    "generic": lambda path, drawn: write_generic(path / "flat", small_world(), drawn, masks=True),
}


@pytest.mark.parametrize("format", WRITERS)
def test_every_format_is_recognised(tmp_path: Path, drawn: tuple, format: str) -> None:  # type: ignore[type-arg]
    WRITERS[format](tmp_path, drawn)
    found = recognise(tmp_path)
    assert (found.format, found.others, found.scenes, found.problem) == (format, (), 1, "")
    assert found.found["scale"] == ("unknown" if format in ("colmap", "nerfstudio") else "metres")
    assert found.found["boxes"] == (
        "6 of 6 objects" if format == "roomplan" else "7 of 7 objects" if format == "generic" else "none"
    )
    assert found.found["poses"] == ("none" if format == "roomplan" else "of 16 of 16 frames")
    assert found.found["masks"] == ("there" if format == "generic" else "none")
    needs = {
        word
        for one in found.missing
        for word in ("scale", "times", "boxes", "video", "masks", "room")
        if word in one.split(",")[0]
    }
    assert ("scale" in needs) == (format in ("colmap", "nerfstudio"))
    assert ("video" in needs) == (format == "roomplan")


def test_a_folder_of_two_formats(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    write_nerfstudio(tmp_path / "flat", plain(drawn))
    write_colmap(tmp_path / "flat" / "colmap", plain(drawn), "PINHOLE", PINHOLES["PINHOLE"])
    found = recognise(tmp_path / "flat", ScanHints(scale=2.0, up="z"))
    assert (found.format, found.others) == ("nerfstudio", ("colmap",))
    assert found.found["scale"] == "metres"


def test_what_cannot_be_read_yet_says_why(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    write_colmap(tmp_path / "flat", plain(drawn)[:2], "PINHOLE", PINHOLES["PINHOLE"])
    found = recognise(tmp_path)
    assert "give the axis of the model that points up" in found.problem
    assert "can't be read yet" in found.lines()[1]


@pytest.mark.parametrize("error", [ValueError("no such shape"), OSError("no such disk")])
def test_errors_of_readers_become_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def fail(*_: object) -> None:
        raise error

    write_roomplan(tmp_path / "in" / "flat.json")
    monkeypatch.setattr(RoomPlan, "read", fail)
    assert recognise(tmp_path).problem.endswith(f"flat.json: can't be read ({error}).")
    monkeypatch.setattr(RoomPlan, "find", fail)
    with pytest.raises(InputError, match=rf"roomplan \({error}\)"):
        recognise(tmp_path)


def test_an_unknown_folder_lists_what_was_looked_for(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("x")
    with pytest.raises(InputError, match="is of no known format; looked for: ") as caught:
        recognise(tmp_path)
    assert all(name in str(caught.value) for name in names())


def test_media_without_poses_say_what_to_do(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    save_pictures(tmp_path / "walk", plain(drawn)[:2])
    with pytest.raises(
        InputError, match=r"walk: holds 2 pictures or videos without camera poses; get poses with COLMAP"
    ):
        recognise(tmp_path / "walk")
    with pytest.raises(InputError, match=r"0\.jpg: is a picture or video without camera poses"):
        recognise(tmp_path / "walk" / "0.jpg")


def test_a_file_alone_is_looked_into(tmp_path: Path) -> None:
    write_roomplan(tmp_path / "in" / "flat.json")
    done = terminal.tolman(tmp_path, "ingest", "in/flat.json", COLUMNS="200")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == "in/flat.json is of the format roomplan (Apple RoomPlan), 1 scene."
    (tmp_path / "in" / "notes.txt").write_text("x")
    done = terminal.tolman(tmp_path, "ingest", "in/notes.txt", COLUMNS="200")
    assert done.returncode == 2
    assert "is no folder" not in done.stderr


def test_no_next_command_before_the_problem_is_solved(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    write_colmap(tmp_path / "flat", plain(drawn), "PINHOLE", PINHOLES["PINHOLE"])
    (tmp_path / "flat" / "images").rename(tmp_path / "flat" / "photos")
    done = terminal.tolman(tmp_path, "ingest", "flat", COLUMNS="200")
    said = " ".join(done.stdout.split())
    assert "has no folder 'images' with its pictures; put them into 'images' there" in said
    assert "Next:" not in said


def test_auto_ingests(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    write_colmap(tmp_path / "in" / "flat", plain(drawn), "PINHOLE", PINHOLES["PINHOLE"])
    config = IngestConfig(format="auto", path=(tmp_path / "in",), out=tmp_path / "out", scale=1.5, up="-y", workers=1)
    result = ingest(config)
    assert result.recognised is not None
    assert result.recognised.format == "colmap"
    assert [one.state for one in result.scenes] == ["new"]


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    for given, said in (
        ({"format": "colmap"}, "PATH is missing"),
        ({"format": "colmap", "path": (tmp_path,)}, "--out is missing"),
        (
            {"format": "auto", "path": (tmp_path,), "out": tmp_path / "o", "scale": -1.0},
            "--scale takes a number above 0, not -1",
        ),
        ({"format": "auto", "path": (tmp_path,), "out": tmp_path / "o", "up": "north"}, "--up takes one of z, -z"),
    ):
        with pytest.raises(UsageError, match=said):
            ingest(IngestConfig(**given))
    with pytest.raises(InputError, match=r"^my-scans: there is no such folder; check the path; formats are "):
        ingest(IngestConfig(format="my-scans"))
    with pytest.raises(InputError, match=r"my-scans: there is no such folder; check the path\."):
        ingest(IngestConfig(format="scannet", path=(tmp_path / "my-scans",), out=tmp_path / "o"))


def test_a_folder_alone_is_looked_into(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    write_colmap(tmp_path / "flat", plain(drawn), "PINHOLE", PINHOLES["PINHOLE"])
    done = terminal.tolman(tmp_path, "ingest", "flat", COLUMNS="200")
    assert done.returncode == 0, done.stderr
    first, *rest = done.stdout.splitlines()
    assert first == "flat is of the format colmap (COLMAP model), 1 scene."
    assert rest[-1] == "Next: tolman ingest colmap ./flat --out scenes"
    assert any(line.startswith("Missing: a scale") for line in rest)
    assert not (tmp_path / "scenes").exists()
    (tmp_path / "empty").mkdir()
    done = terminal.tolman(tmp_path, "ingest", "empty", COLUMNS="200")
    assert done.returncode == 2
    assert "is of no known format; looked for: generic (holds no scene.json)" in done.stderr
