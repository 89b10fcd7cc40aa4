"""Shards of an ingest: joined they are what one job makes, refused scans, corrections and all."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

pytest.importorskip("plyfile", reason="scans need the extra 'build'")

from folders import contents
from ingest.scannet_writer import write_scannet
from tolman.errors import InputError, UsageError
from tolman.features.scenes.compute import merge, pool
from tolman.features.scenes.config import IngestConfig, MergeConfig
from tolman.ground_truth.corrections import NAME as CORRECTIONS
from tolman.ground_truth.corrections import Absent, CategoryIs, append_corrections
from tolman.ground_truth.scene_arrays import open_collection
from tolman.ingest.build import ScansConfig, ingest
from tolman.scene_shards import Shard
from tolman.scenes import Skipped

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
