"""A folder of scans is recognised: its format, what it holds, what it lacks and what to do next.

Each planted mistake is named and taken back, right scans are silent, and nothing is guessed or overwritten.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import terminal
from ingest.generic_writer import write_generic
from ingest.phone_writers import write_polycam, write_record3d, write_roomplan, write_scanner_app, write_stray
from ingest.pipeline import edit_json
from ingest.planted_scans import KINDS, SIZE, TrueScan, write_planted
from ingest.posed_writers import save_pictures, write_colmap, write_nerfstudio
from ingest.test_posed_pictures import PINHOLES, plain
from ingest.worlds import EXCLUDED, small_world
from tolman.cli import app
from tolman.errors import InputError, UsageError
from tolman.features.scenes.compute import FIXES, check_scans, ingest
from tolman.features.scenes.config import IngestConfig
from tolman.ingest.formats import generic, names, recognise
from tolman.ingest.formats.roomplan import RoomPlan
from tolman.ingest.scan_format import ScanHints
from tolman.simulate.walks import intrinsics_of, looking

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
    with pytest.raises(InputError, match=r"^my-scans: there is no such file or folder; check the path; formats are "):
        ingest(IngestConfig(format="my-scans"))
    with pytest.raises(InputError, match=r"my-scans: there is no such file or folder; check the path\."):
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


pytest.importorskip("embreex", reason="scans need the extra 'build'")


@pytest.fixture(scope="module")
def room() -> TrueScan:
    """The small room without its annotated wall, and a slow walk around its table."""
    world = small_world()
    kept = [i for i, thing in enumerate(world.objects) if thing.category != EXCLUDED]
    numbers = np.zeros(len(world.objects) + 1, np.int64)
    numbers[[i + 1 for i in kept]] = np.arange(1, len(kept) + 1)
    around = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    places = np.column_stack([2.5 + 1.9 * np.cos(around), 1.7 + 1.2 * np.sin(around), np.full(40, 1.6)])
    yaw = np.arctan2(2.0 - places[:, 1], 2.5 - places[:, 0]) + 0.35 * np.sin(3 * around)
    boxes = [world.objects[i].box for i in kept]
    return TrueScan(
        [world.objects[i].category for i in kept], np.array([box.center for box in boxes]),
        np.array([box.axes for box in boxes]), np.array([box.extents for box in boxes]), world.points, world.faces,
        numbers[world.numbers], looking(places, yaw, np.full(40, -0.35), 0.1 * np.sin(around)), np.arange(40) / 4,
        intrinsics_of(SIZE),
    )  # fmt: skip


@pytest.fixture(scope="module")
def pictures(room: TrueScan, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its frames and masks."""
    folder = tmp_path_factory.mktemp("pictures")
    room.write_pictures(folder, masks=True)
    return folder


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


QUICK = ("axes", "unit", "extents")


@pytest.mark.parametrize("mistake", [pytest.param(k, marks=() if k in QUICK else pytest.mark.full) for k in KINDS])
def test_a_mistake_is_named_and_taken_back(mistake: str, room: TrueScan, pictures: Path, tmp_path: Path) -> None:
    write_planted(tmp_path / "scans" / "room", room, pictures, "masks", mistake, 3)
    before = bytes_of(tmp_path / "scans")
    (one,) = check_scans(tmp_path / "scans", tmp_path / "fixed")
    assert one.state == "fixed", one
    assert [finding.kind for finding in one.diagnosis.findings] == [mistake]  # type: ignore[union-attr]
    assert bytes_of(tmp_path / "scans") == before
    record = json.loads((tmp_path / "fixed" / "room" / FIXES).read_text())
    assert record["fixes"][0]["mistake"] == mistake
    assert record["fixes"][0]["evidence"]
    assert record["changed"]
    (again,) = check_scans(tmp_path / "fixed")
    assert again.state == "right"
    (source,) = generic.FORMAT.find(tmp_path / "fixed")
    read = generic.FORMAT.read(source)
    poses = read.recordings[0].poses
    there = np.isfinite(poses).all((1, 2))
    # A mirrored or turned scene is right in another frame; distances are the same in all.
    centers = np.array([instance.box.center for instance in read.instances if instance.box is not None])
    found = np.linalg.norm(poses[there, None, :3, 3] - centers, axis=2)
    true = np.linalg.norm(room.poses[there, None, :3, 3] - room.centers, axis=2)
    assert np.abs(found - true).max() < 0.01


@pytest.mark.full
@pytest.mark.parametrize("factor", [0.5, 1.5, 2.0])
def test_a_focal_length_between_the_steps_is_found(
    factor: float, room: TrueScan, pictures: Path, tmp_path: Path
) -> None:
    write_planted(tmp_path / "scans" / "room", room, pictures, "masks", None, 3)
    true = list(room.intrinsics)
    wrong = [factor * true[0], factor * true[1], *true[2:]]
    edit_json(
        tmp_path / "scans" / "room" / "scene.json", lambda content: content["cameras"][0].update(intrinsics=wrong)
    )
    (one,) = check_scans(tmp_path / "scans", tmp_path / "fixed")
    assert one.state == "fixed", one
    found = json.loads((tmp_path / "fixed" / "room" / "scene.json").read_text())["cameras"][0]["intrinsics"]
    assert found == pytest.approx(true, rel=0.02)


@pytest.mark.parametrize("evidence", ["masks", "mesh", "poses"])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_right_scan_is_silent(evidence: str, seed: int, room: TrueScan, pictures: Path, tmp_path: Path) -> None:
    write_planted(tmp_path / "room", room, pictures, evidence, None, seed)
    (one,) = check_scans(tmp_path / "room")
    assert one.state == "right", one


@pytest.mark.parametrize("mistake", ["extents", "offset", "unit", "up"])
def test_labels_of_a_mesh_show_wrong_boxes(mistake: str, room: TrueScan, pictures: Path, tmp_path: Path) -> None:
    write_planted(tmp_path / "room", room, pictures, "mesh", mistake, 1)
    (one,) = check_scans(tmp_path / "room")
    assert one.state == "mistake"
    assert [finding.kind for finding in one.diagnosis.findings] == [mistake]  # type: ignore[union-attr]


def test_two_corrections_that_fit_alike_are_both_named(room: TrueScan, pictures: Path, tmp_path: Path) -> None:
    write_planted(tmp_path / "room", room, pictures, "poses", "axes", 1)
    (one,) = check_scans(tmp_path / "room", tmp_path / "fixed")
    assert one.state == "tie"
    assert {tie.kind for tie in one.diagnosis.ties} >= {"axes", "up"}  # type: ignore[union-attr]
    assert not (tmp_path / "fixed").exists()
    done = CliRunner().invoke(app, ["scenes", str(tmp_path / "room"), "--check"])
    assert done.exit_code == 1
    said = " ".join(done.stdout.split())
    assert "camera axes are" in said
    assert "fit equally well" in said


def test_data_that_no_correction_explains_are_refused(room: TrueScan, pictures: Path, tmp_path: Path) -> None:
    write_planted(tmp_path / "room", room, pictures, "masks", None, 1)

    def exchange(content: Any) -> None:
        numbers = [entry["number"] for entry in content["objects"]]
        for entry, number in zip(content["objects"], [*numbers[3:], *numbers[:3]], strict=True):
            entry["number"] = number

    edit_json(tmp_path / "room" / "scene.json", exchange)
    (one,) = check_scans(tmp_path / "room", tmp_path / "fixed")
    assert one.state == "contradiction"
    assert "overlap of boxes and masks: " in one.diagnosis.contradictions[0]  # type: ignore[union-attr]
    assert not (tmp_path / "fixed").exists()


def test_copies_replace_nothing(room: TrueScan, pictures: Path, tmp_path: Path) -> None:
    write_planted(tmp_path / "room", room, pictures, "poses", "up", 1)
    before = bytes_of(tmp_path / "room")
    for place in (tmp_path / "room", tmp_path / "room" / "fixed", tmp_path):
        with pytest.raises(UsageError, match="give another folder with --fix"):
            check_scans(tmp_path / "room", place)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "mine.txt").write_text("kept")
    with pytest.raises(UsageError, match="isn't empty"):
        check_scans(tmp_path / "room", tmp_path / "other")
    assert bytes_of(tmp_path / "room") == before


def test_ingested_scenes_are_not_scans(tmp_path: Path) -> None:
    (tmp_path / "scenes-0.parquet").touch()
    with pytest.raises(InputError, match="check the folder that they were made from"):
        check_scans(tmp_path)
