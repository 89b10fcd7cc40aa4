"""A collection of scans: never done twice, never stopped by one bad scene, the same whatever the processes.

Shards of an ingest: joined they are what one job makes, refused scans, corrections and all.
"""

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from folders import contents
from ingest.results import collection
from ingest.scannet_writer import write_ply, write_scannet
from ingest.worlds import small_world, transform
from tolman.cli import app
from tolman.errors import InputError, UsageError
from tolman.features.scenes.compute import merge, pool
from tolman.features.scenes.config import IngestConfig, MergeConfig
from tolman.ground_truth.corrections import NAME as CORRECTIONS, Absent, BoxIs, CategoryIs, CountIs, append_corrections
from tolman.ground_truth.scene_arrays import open_collection
from tolman.ingest import build
from tolman.ingest.build import NAME, ScansConfig, Summary, ingest, read_summary, write_summary
from tolman.ingest.formats import get, names
from tolman.ingest.make import make
from tolman.scene_shards import Shard
from tolman.scenes import Skipped

pytest.importorskip("plyfile", reason="scans need the extra 'build'")


@pytest.fixture
def scans(tmp_path: Path) -> Path:
    for number in (2, 9, 10):
        write_scannet(tmp_path / "scans", None, f"scene00{number:02d}_00")
    return tmp_path / "scans"


def states(result: build.Ingested) -> list[str]:
    return [entry.state for entry in result.scenes]


def test_what_is_done_is_not_done_again(scans: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    monkeypatch.setattr(build, "make", lambda source, *rest: (made.append(source.id), make(source, *rest))[1])
    out = tmp_path / "out"
    assert states(ingest(ScansConfig("scannet", scans), out, 1)) == ["new"] * 3
    before = {path.name: path.stat().st_mtime_ns for path in out.glob("*.parquet")}
    assert [entry.state for entry in read_summary(out).scenes] == ["new"] * 3
    assert states(ingest(ScansConfig("scannet", scans), out, 1)) == ["kept"] * 3
    assert {path.name: path.stat().st_mtime_ns for path in out.glob("*.parquet")} == before
    assert [entry.state for entry in read_summary(out).scenes] == ["kept"] * 3
    write_scannet(scans, None, "scene0003_00")
    os.utime(scans / "scene0010_00/scene0010_00.txt", ns=(1, 1))
    assert states(ingest(ScansConfig("scannet", scans), out, 1)) == ["kept", "new", "kept", "new"]
    assert made[3:] == ["scannet/scene0003_00", "scannet/scene0010_00"]
    assert list(collection(out)) == [f"scannet/scene00{n}_00" for n in ("02", "03", "09", "10")]
    (tmp_path / "own.json").write_text(json.dumps({"keep": ["bookshelf", "table"], "remap": {"desk": "table"}}))
    own = ingest(ScansConfig("scannet", scans / "scene0002_00", categories=tmp_path / "own.json"), out, 1)
    assert (states(own), own.others) == (["new"], 3)
    assert collection(out)["scannet/scene0002_00"].scene.counts == {"table": 1, "bookshelf": 1}
    assert len(collection(out)) == 4


def test_it_goes_on_where_it_was_stopped(scans: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def stopping(source, *rest):  # type: ignore[no-untyped-def]
        made.append(source.id)
        if len(made) == 3:
            raise KeyboardInterrupt
        return make(source, *rest)

    monkeypatch.setattr(build, "make", stopping)
    with pytest.raises(KeyboardInterrupt):
        ingest(ScansConfig("scannet", scans), tmp_path / "out", 1)
    assert states(ingest(ScansConfig("scannet", scans), tmp_path / "out", 1)) == ["new"] * 3
    assert made[3:] == ["scannet/scene0010_00"]
    assert not (tmp_path / "out/.scenes.partial").exists()
    ingest(ScansConfig("scannet", scans), tmp_path / "whole", 1)
    assert collection(tmp_path / "out") == collection(tmp_path / "whole")


def test_who_is_stopped_while_the_tables_are_written_loses_nothing(
    scans: Path, tmp_path: Path, drawn: tuple, monkeypatch: pytest.MonkeyPatch
) -> None:  # type: ignore[type-arg]
    out = tmp_path / "out"
    write_scannet(scans, drawn[:3], "scene0001_00")
    ingest(ScansConfig("scannet", scans), out, 1)
    whole = collection(out)
    write_scannet(scans, None, "scene0011_00")

    def stopping(folder: Path, parts: object) -> int:
        for table in folder.glob("captures-*.parquet"):
            table.unlink()
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(build, "write_collection", stopping)
        with pytest.raises(KeyboardInterrupt):
            ingest(ScansConfig("scannet", scans), out, 1)
    assert states(ingest(ScansConfig("scannet", scans), out, 1)) == ["kept"] * 4 + ["new"]
    again = collection(out)
    assert len(again) == 5
    assert str({name: again[name] for name in whole}) == str(whole)  # poses may be nan, which no == finds equal


@pytest.mark.full
def test_one_bad_scene_stops_no_other_and_processes_change_nothing(scans: Path, tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    write_scannet(scans, drawn[:3], "scene0005_00", exported=True)
    mesh = scans / "scene0009_00/scene0009_00_vh_clean_2.ply"
    mesh.write_bytes(mesh.read_bytes()[:-7])
    alone, two = (ingest(ScansConfig("scannet", scans), tmp_path / f"{n}", n) for n in (1, 2))
    assert alone.scenes == two.scenes
    assert states(alone) == ["new", "new", "refused", "new"]
    assert str(mesh) in str(alone.scenes[2].reason)
    first, second = ({p.name: p.read_bytes() for p in (tmp_path / n).rglob("*") if p.is_file()} for n in "12")
    assert first == second
    # A refused scene is tried again, and is there when its files are.
    write_scannet(tmp_path / "again", None, "scene0009_00")
    mesh.write_bytes((tmp_path / "again/scene0009_00/scene0009_00_vh_clean_2.ply").read_bytes())
    assert states(ingest(ScansConfig("scannet", scans), tmp_path / "1", 1)) == ["kept", "kept", "new", "kept"]


def write_thing(folder: Path, label: str, width: float = 1.0) -> None:
    """A scan that holds one thing."""
    folder.mkdir(parents=True)
    thing = {"id": "1", "label": label, "box": {"center": [0, 0, 0], "extents": [width, 1, 1]}}
    content = {"tolman_scene": 1, "unit": "m", "up": "z", "objects": [thing]}
    (folder / "scene.json").write_text(json.dumps(content))


def test_two_folders_that_give_one_name_are_both_told(tmp_path: Path) -> None:
    root, said = tmp_path / "in", []
    for place in ("a/b", "a_b", "c"):
        write_thing(root / place, place)
    order, out = ScansConfig("generic", root), tmp_path / "out"
    result = ingest(order, out, 1, done=said.append)
    assert said == list(result.scenes)
    assert [(one.id, one.state) for one in result.scenes] == [
        ("generic/a_b", "new"), ("generic/c", "new"), ("generic/a_b", "refused"),
    ]  # fmt: skip
    assert result.scenes[2].reason == (
        f"{root / 'a_b'}: its scene has the id 'generic/a_b', as has that of {root / 'a' / 'b'}; rename one of the "
        "folders, or what names the scene in it."
    )
    assert list(collection(out)) == ["generic/a_b", "generic/c"]
    assert states(ingest(order, out, 1)) == ["kept", "kept", "refused"]
    # Of a folder that comes later, the scan that is there already keeps its name.
    (tmp_path / "own").mkdir()
    (root / "a").rename(tmp_path / "own" / "a")
    ingest(order, tmp_path / "later", 1)
    (tmp_path / "own" / "a").rename(root / "a")
    later = ingest(order, tmp_path / "later", 1)
    assert [(one.path, one.state) for one in later.scenes if one.id == "generic/a_b"] == [
        (str(root / "a_b"), "kept"), (str(root / "a" / "b"), "refused"),
    ]  # fmt: skip
    (root / "a_b").rename(root / "d")
    assert states(ingest(order, out, 1)) == ["kept", "kept", "new"]


def test_an_error_that_nobody_foresaw_refuses_its_scene(
    scans: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(source, *rest):  # type: ignore[no-untyped-def]
        if source.id.endswith("0009_00"):
            raise ZeroDivisionError("of nothing")
        return make(source, *rest)

    monkeypatch.setattr(build, "make", failing)
    result = ingest(ScansConfig("scannet", scans), tmp_path / "out", 1)
    assert states(result) == ["new", "refused", "new"]
    assert "scene0009_00: can't be used (ZeroDivisionError: of nothing)" in str(result.scenes[1].reason)


def test_corrections_hold_at_every_ingest_and_can_be_taken_back(scans: Path, tmp_path: Path) -> None:
    out, file = tmp_path / "out", tmp_path / "mine"
    file.mkdir()
    box = small_world().objects[0].box
    scene = "scannet/scene0002_00"
    append_corrections(
        file,
        [
            Absent(scene=scene, object="5"), CategoryIs(scene=scene, object="0", category="desk"),
            BoxIs(scene=scene, object="new", category="lamp", box=box), CountIs(scene=scene, category="chair", count=4),
            Absent(scene=scene, object="77"), Absent(scene="scannet/gone", object="1"),
        ],
    )  # fmt: skip
    result = ingest(ScansConfig("scannet", scans, corrections=file / "corrections.json"), out, 1)
    assert any("object '77'" in note for note in result.scenes[0].notes)
    assert result.lost == ("scannet/gone: a correction speaks of it, and it isn't in the collection",)
    for _ in range(2):
        assert collection(out)[scene].scene.counts == {"chair": 4, "desk": 1, "bookshelf": 1, "lamp": 1}
        assert states(ingest(ScansConfig("scannet", scans), out, 1)) == ["kept"] * 3
    unmatched, opened, *_ = open_collection(out)
    assert "object '77'" in unmatched.reason  # type: ignore[union-attr]
    assert opened.scene.counts["chair"] == 4  # type: ignore[union-attr]
    (out / "corrections.json").unlink()
    taken_back = ingest(ScansConfig("scannet", scans), out, 1)
    assert not any("correction" in note for note in taken_back.scenes[0].notes)
    assert collection(out)[scene].scene.counts == {"chair": 2, "table": 1, "sofa": 1, "bookshelf": 1}


def broken(
    folder: Path, *, scale: float = 1.0, apart: float = 0.0, mirrored: bool = False, holes: bool = False
) -> None:
    """The small world with something wrong, as exported frames without masks."""
    name, world = folder.name, small_world()
    write_scannet(folder.parent, None, name, aligned=False)
    keep = np.ones(len(world.faces), dtype=bool)
    if holes:
        keep = ~((world.numbers == 0) & (world.points[world.faces].mean(1)[:, 0] < 3.5))
    write_ply(folder / f"{name}_vh_clean_2.ply", world.points * scale, world.faces[keep])
    for part in ("color", "pose", "intrinsic"):
        (folder / part).mkdir()
    from ingest.scannet_writer import intrinsic, jpeg

    poses = transform(shift=(apart, 0, 0)) @ world.poses[:4]
    if mirrored:
        poses = poses @ np.diag([-1.0, 1.0, 1.0, 1.0])
    poses[:, :3, 3] *= scale
    for i, pose in enumerate(poses):
        (folder / f"color/{i}.jpg").write_bytes(jpeg(np.full((120, 160, 3), 90, dtype=np.uint8)))
        (folder / f"pose/{i}.txt").write_text("\n".join(" ".join(f"{v:.9f}" for v in row) for row in pose))
    (folder / "intrinsic/intrinsic_color.txt").write_text("\n".join(" ".join(map(str, row)) for row in intrinsic()))


def test_what_cannot_be_true_is_refused_or_left_out(tmp_path: Path) -> None:
    root = tmp_path / "scans"
    broken(root / "scene0001_00", scale=1000.0)
    broken(root / "scene0002_00", scale=0.001)
    broken(root / "scene0003_00", mirrored=True)
    broken(root / "scene0004_00", apart=50.0)
    broken(root / "scene0005_00", holes=True)
    broken(root / "scene0006_00")
    result = ingest(ScansConfig("scannet", root), tmp_path / "out", 1)
    said = {entry.id[-7:]: (entry.state, entry.reason or "") for entry in result.scenes}
    assert "5,000 m wide" in said["0001_00"][1]
    assert "0.5 cm wide" in said["0002_00"][1]
    assert "frame 0 is mirrored: its axes are left-handed" in said["0003_00"][1]
    assert "the cameras are at least 48 m from everything that is there; check that" in said["0004_00"][1]
    assert [said[f"000{n}_00"][0] for n in range(1, 7)] == ["refused"] * 4 + ["left out", "new"]
    assert "complete, less than 75%" in said["0005_00"][1]
    # A limit that lets it pass is another setting: it is read again.
    found = ingest(ScansConfig("scannet", root / "scene0005_00", completeness=0.1), tmp_path / "out", 1)
    assert states(found) == ["new"]
    assert found.scenes[0].completeness is not None
    assert 0.1 < found.scenes[0].completeness < 0.75


def test_places_names_and_files_that_cannot_be_used(scans: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no format 'scanet'"):
        ingest(ScansConfig("scanet", scans), tmp_path / "out", 1)
    with pytest.raises(InputError, match="holds other files"):
        ingest(ScansConfig("scannet", scans), scans, 1)
    (tmp_path / "own.json").write_text('{"keep": ["a"], "leave_out": ["b"]}')
    with pytest.raises(InputError, match="both 'keep' and 'leave_out'"):
        ingest(ScansConfig("scannet", scans, categories=tmp_path / "own.json"), tmp_path / "out", 1)
    (tmp_path / "spoilt").mkdir()
    (tmp_path / "spoilt" / NAME).write_text("{")
    with pytest.raises(InputError, match="is no readable summary"):
        read_summary(tmp_path / "spoilt")


def test_the_registry_knows_formats_and_no_helpers() -> None:
    assert {"scannet", "scannetpp"} <= set(names())
    assert all(hasattr(get(name), "find") for name in names())


def test_the_command_tells_every_state_and_ends_with_1_where_one_is_refused(scans: Path, tmp_path: Path) -> None:
    runner = CliRunner()
    out = str(tmp_path / "out")
    done = runner.invoke(app, ["ingest", "scannet", str(scans), "--out", out, "--workers", "1"])
    assert done.exit_code == 0, done.output
    assert "3 new" in done.output
    (scans / "scene0009_00/scene0009_00.aggregation.json").write_text("{")
    done = runner.invoke(app, ["ingest", "scannet", str(scans), "--out", out, "--workers", "1"])
    assert done.exit_code == 1
    assert "2 kept, 1 refused" in done.output
    done = runner.invoke(app, ["ingest", "scannet", str(scans), "--out", out, "--workers", "1", "--json"])
    found = json.loads(done.output)
    assert [entry["state"] for entry in found["scenes"]] == ["kept", "refused", "kept"]
    assert "aggregation.json: is no JSON" in found["scenes"][1]["reason"]
    kept = json.loads((tmp_path / "out" / NAME).read_text())
    assert [entry["state"] for entry in kept["scenes"]] == ["kept", "refused", "kept"]


def test_another_scan_with_the_same_id_is_refused_and_the_first_stays(tmp_path: Path) -> None:
    a, b, copy, out = tmp_path / "a", tmp_path / "b", tmp_path / "copy", tmp_path / "out"
    for place, width in ((a, 1.0), (b, 2.0)):
        write_thing(place / "kitchen", "sofa", width)
    assert states(ingest(ScansConfig("generic", a), out, 1)) == ["new"]
    first, summary = collection(out), (out / NAME).read_text()
    result = ingest(ScansConfig("generic", b), out, 1)
    assert states(result) == ["refused"]
    assert result.scenes[0].reason == (
        f"{b}/kitchen: another scan with the id 'generic/kitchen' was already ingested from {a}/kitchen; "
        "rename the folder or give another --out."
    )
    assert collection(out) == first
    assert (out / NAME).read_text() == summary.replace('"new"', '"kept"')
    shutil.copytree(a, copy, copy_function=shutil.copyfile)  # with other times of change
    os.utime(copy / "kitchen/scene.json", ns=(1, 1))
    assert states(ingest(ScansConfig("generic", copy), out, 1)) == ["kept"]
    (a / "kitchen/scene.json").write_text((b / "kitchen/scene.json").read_text())
    assert states(ingest(ScansConfig("generic", a), out, 1)) == ["new"]
    a.rename(tmp_path / "moved")
    assert states(ingest(ScansConfig("generic", tmp_path / "moved"), out, 1)) == ["kept"]
    assert collection(out)["generic/kitchen"].scene.objects[0].box.extents[0] == 2.0


def test_repairs_keep_their_key_in_files(tmp_path: Path) -> None:
    row = {"id": "d/a", "format": "generic", "path": "a", "state": "new", "mended": ["a.json: no axis alignment"]}
    (tmp_path / NAME).write_text(json.dumps({"scenes": [row]}))
    summary = read_summary(tmp_path)
    assert summary.scenes[0].repaired == ("a.json: no axis alignment",)
    write_summary(tmp_path, Summary(scenes=summary.scenes))
    assert json.loads((tmp_path / NAME).read_text())["scenes"][0]["mended"] == row["mended"]
    assert read_summary(tmp_path).scenes == summary.scenes


COUNT = 3


@pytest.fixture
def order(tmp_path: Path) -> ScansConfig:
    """Four scans, one of which is refused, with corrections of two of them."""
    scans = tmp_path / "scans"
    for number in (2, 9, 10, 11):
        write_scannet(scans, None, f"scene00{number:02d}_00")
    (scans / "scene0010_00/scene0010_00.aggregation.json").write_text("{")
    facts = [CategoryIs(scene=f"scannet/scene00{n}_00", object="1", category="stool") for n in ("02", "11", "99")]
    (tmp_path / "facts").mkdir()
    append_corrections(tmp_path / "facts", [*facts, Absent(scene="scannet/scene0002_00", object="5")])
    return ScansConfig("scannet", scans, corrections=tmp_path / "facts" / CORRECTIONS)


def test_shards_joined_are_the_whole_job(order: ScansConfig, tmp_path: Path) -> None:
    ingest(order, tmp_path / "alone", 1)
    for number in range(1, COUNT + 1):
        ingest(order, tmp_path / str(number), 1, shard=Shard(number, COUNT))
    ingest(order, tmp_path / "2", 1, shard=Shard(2, COUNT))  # which keeps what it has
    folders = tuple(tmp_path / str(number) for number in range(1, COUNT + 1))
    result = merge(MergeConfig(parts=folders, out=tmp_path / "whole"))
    assert (result.job, result.shards, result.scenes) == ("ingest", COUNT, 3)
    assert contents(tmp_path / "whole") == contents(tmp_path / "alone")
    skipped = [one.scene for one in open_collection(tmp_path / "whole") if isinstance(one, Skipped)]
    assert skipped == ["scannet/scene0099_00"]  # corrections that ingest has applied do match
    # What is joined can be ingested into as any other collection.
    more = ingest(order, tmp_path / "whole", 1)
    assert [entry.state for entry in more.scenes] == ["kept", "kept", "refused", "kept"]


def test_other_scans_settings_and_corrections_are_refused(order: ScansConfig, tmp_path: Path) -> None:
    for number in (1, 2):
        ingest(order, tmp_path / str(number), 1, shard=Shard(number, 2))
    shutil.copytree(tmp_path / "2", tmp_path / "3")
    summary = json.loads((tmp_path / "3" / "ingest.json").read_text()) | {"corrections": "other"}
    (tmp_path / "3" / "ingest.json").write_text(json.dumps(summary))
    with pytest.raises(InputError, match=r"corrections\.json: differs from that of .*1; have the same file in each"):
        merge(MergeConfig(parts=(tmp_path / "1", tmp_path / "3"), out=tmp_path / "whole"))
    write_scannet(order.path, None, "scene0012_00")
    ingest(order, tmp_path / "4", 1, shard=Shard(2, 2))
    with pytest.raises(InputError, match=r"4: has another number of scenes, files than"):
        merge(MergeConfig(parts=(tmp_path / "1", tmp_path / "4"), out=tmp_path / "whole"))
    assert not (tmp_path / "whole").exists()


def test_a_media_pool_has_no_shards(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--shard is for scans: a media pool grows"):
        pool(IngestConfig(format="media", path=(tmp_path,), out=tmp_path, shard="1/2"))
