"""Each planted mistake is named and taken back, right scans are silent, and nothing is guessed or overwritten."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from ingest.pipeline import edit_json
from ingest.planted_scans import KINDS, SIZE, TrueScan, write_planted
from ingest.worlds import EXCLUDED, small_world
from tolman.cli import app
from tolman.errors import InputError, UsageError
from tolman.features.scenes.compute import FIXES, check_scans
from tolman.ingest.formats import generic
from tolman.simulate.walks import intrinsics_of, looking

pytest.importorskip("plyfile", reason="scans need the extra 'build'")
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
