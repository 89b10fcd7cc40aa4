"""The folder with Croissant metadata and a data card; `tests/interop` has mlcroissant and `datasets` read it."""

import hashlib
import json
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from exports.materials import items, write_benchmark
from tolman.errors import UsageError
from tolman.features.catalogue.compute import ExportResult, export
from tolman.features.catalogue.config import ExportConfig
from tolman.items import Item, Media
from tolman.runs.run_items import load

CLIP = Item(
    id="q7", question="How long?", kind="number", unit="m", answer="2", task="object_abs_distance", scene="s/4",
    media=(Media(kind="video", path="videos/room/a.mp4"),),
)  # fmt: skip


def made(place: Path) -> Path:
    """A benchmark with pictures, a file that stands for a video, a card and a record of how it was made."""
    folder = write_benchmark(place / "bench", [*items(), CLIP])
    (folder / "videos" / "room").mkdir(parents=True)
    (folder / "videos" / "room" / "a.mp4").write_bytes(b"video")
    (folder / "README.md").write_text("---\nlicense: other\n---\n# Tiny\n\nFiltered in 3 rounds.\n")
    (folder / "provenance.json").write_text('{"seed": 3}')
    return folder


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any], str]:
    """The folder, the metadata and the card of such a benchmark."""
    place = tmp_path_factory.mktemp("croissant")
    return place / "out", *written(made(place), place / "out", "date=2026-11-22", "version=1.2.0")[1:]


def written(source: Path, out: Path, *settings: str) -> tuple[ExportResult, dict[str, Any], str]:
    """The result, the metadata and the card."""
    result = export(ExportConfig(source=(f"{source}/",), form="croissant", out=out, settings=settings))
    return result, json.loads((out / "croissant.json").read_text()), (out / "README.md").read_text()


def test_the_metadata_names_every_file_and_its_hash(exported: tuple[Path, dict[str, Any], str]) -> None:
    out, found, _ = exported
    assert (found["name"], found["version"], found["datePublished"]) == ("bench", "1.2.0", "2026-11-22")
    assert found["license"] == "https://spdx.org/licenses/CC0-1.0.html"
    assert found["conformsTo"] == "http://mlcommons.org/croissant/1.0"
    objects = {one["@id"]: one for one in found["distribution"]}
    for name in ("items.parquet", "media.parquet"):
        assert objects[name]["sha256"] == hashlib.sha256((out / name).read_bytes()).hexdigest()
    patterns = {one["includes"]: one["encodingFormat"] for one in found["distribution"] if "includes" in one}
    assert patterns == {"media/*.png": "image/png", "videos/room/*.mp4": "video/mp4"}
    covered = {path for pattern in patterns for path in out.glob(pattern)}
    assert covered == {out / one for one in ("media/a.png", "media/b.png", "videos/room/a.mp4")}


def test_every_file_is_in_one_set_of_files_however_far_a_star_goes(tmp_path: Path) -> None:
    paths = ["a.png", "media/b.png", "media/deep/c.png", "media/deep/d.png", "media/[1]/e.png", "other/f.png", "g.jpg"]
    shown = [Media(kind="image", path=path) for path in paths]
    asked = [item.model_copy(update={"media": (shown[i % len(shown)],)}) for i, item in enumerate(items())]
    folder = write_benchmark(tmp_path / "bench", asked)
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes((folder / "media" / "a.png").read_bytes())
    _, found, _ = written(folder, tmp_path / "out")
    sets = [one["includes"] for one in found["distribution"] if "includes" in one]
    sets = [one if isinstance(one, list) else [one] for one in sets]
    used = {one.media[0].path for one in asked}
    assert len(used) == len(paths)
    out = tmp_path / "out"
    by_folder = [{p.relative_to(out).as_posix() for one in patterns for p in out.glob(one)} for patterns in sets]
    crossing = [
        {path for path in paths if any(fnmatchcase(path, p) for p in patterns)} for patterns in sets
    ]  # as mlcroissant does
    for matched in (by_folder, crossing):
        assert sorted(path for one in matched for path in one) == sorted(paths)
    assert ["other/*.png"] in sets


def test_fields_are_columns_of_the_tables(exported: tuple[Path, dict[str, Any], str]) -> None:
    out, found, _ = exported
    for records in found["recordSet"]:
        for field in records["field"]:
            source = field["source"]
            if "fileObject" in source:
                table = pl.read_parquet(out / source["fileObject"]["@id"])
                assert source["extract"]["column"] in table.columns
    media = pl.read_parquet(out / "media.parquet")
    assert media.filter(pl.col("question") == "q1").rows() == [
        ("q1", 0, "image", "media/a.png"),
        ("q1", 1, "image", "media/b.png"),
    ]


def test_the_card_has_licence_counts_and_what_the_folders_own_said(exported: tuple[Path, dict[str, Any], str]) -> None:
    out, _, card = exported
    assert card.startswith('---\nlicense: cc0-1.0\npretty_name: "Tiny"\n')
    assert "path: items.parquet" in card
    assert "8 questions. They show 8 × image, 1 × video in 3 files. Made up. Licence: CC0-1.0." in card
    assert "| object_counting | 3 |" in card
    assert "## As it was made\n\n# Tiny\n\nFiltered in 3 rounds." in card
    assert json.loads((out / "provenance.json").read_text()) == {"seed": 3}
    assert {item.id for item in load(f"{out}/", None, None).items} == {f"q{i}" for i in range(8)}


def test_a_licence_that_is_not_named_is_not_made_up(tmp_path: Path) -> None:
    bench = made(tmp_path)
    (bench / "benchmark.json").write_text('{"title": "Tiny"}')
    result, found, card = written(bench, tmp_path / "out")
    assert "license" not in found
    assert "license: unknown\n" in card
    assert result.notes[0].startswith("No licence is named, so the card says 'unknown'")
    result, found, card = written(bench, tmp_path / "other", "licence=Ask us")
    assert (found["license"], result.notes[0]) == (
        "Ask us",
        "'Ask us' is no licence that the hub knows by an identifier: the card has it as 'other'.",
    )
    assert 'license: other\nlicense_name: "Ask us"\n' in card


@pytest.mark.parametrize(
    ("setting", "sentence"), [("version=2", "MAJOR.MINOR.PATCH"), ("date=soon", "YYYY-MM-DD, not 'soon'")]
)
def test_settings_that_can_not_be_are_one_sentence(tmp_path: Path, setting: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        written(made(tmp_path), tmp_path / "out", setting)
    assert not (tmp_path / "out").exists()
