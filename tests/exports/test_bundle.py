"""A benchmark's folder that goes along with an export: the same items, openable wherever it lies."""

import base64
import json
import shutil
from pathlib import Path

import pytest

from exports.materials import items, write_benchmark
from tolman import plugins
from tolman.benchmarks import open_folder
from tolman.errors import InputError
from tolman.exports.exporters import BenchmarkSource, Target, load_bundled_plugins, write_bundle
from tolman.item_table import data_hash
from tolman.items import Item, Media
from tolman.media.images import read_image
from tolman.plugins import load_plugin
from tolman.runs.run_items import load, preset_of

PLUGIN = """
from dataclasses import replace
from tolman.benchmarks import named
BENCHMARK = replace(named("vsi-bench"), name="my-own", title="My own")
"""


def source_of(folder: Path, media: Path | None = None) -> BenchmarkSource:
    loaded = load(f"{folder}/", None, None)
    return BenchmarkSource(loaded, preset_of(loaded.benchmark, None), media or folder)


def test_items_media_and_card_are_those_of_the_source(tmp_path: Path) -> None:
    source = source_of(write_benchmark(tmp_path / "tiny"))
    write_bundle(source, Target(tmp_path, tmp_path), tmp_path / "bundle")
    shutil.rmtree(tmp_path / "tiny")
    moved = (tmp_path / "bundle").rename(tmp_path / "elsewhere")
    loaded = load(f"{moved}/", None, None)
    assert data_hash(loaded.items) == data_hash(items())
    assert loaded.benchmark.scored_like == "VSI-Bench"
    assert loaded.benchmark.licence == "CC0-1.0"
    assert (moved / "media" / "a.png").read_bytes()


def test_a_benchmark_that_has_a_name_is_found_by_it(tmp_path: Path) -> None:
    from dataclasses import replace

    from tolman.benchmarks import named

    source = source_of(write_benchmark(tmp_path / "tiny"))
    named_source = replace(source, loaded=replace(source.loaded, benchmark=named("vsi-bench")))
    write_bundle(named_source, Target(tmp_path, tmp_path), tmp_path / "bundle")
    opened = open_folder(tmp_path / "bundle")
    assert (opened.title, opened.scored_like) == ("VSI-Bench", "VSI-Bench")
    assert opened.headline_rules.name == "official"


def test_images_inside_tables_and_outside_the_folder_become_files(tmp_path: Path) -> None:
    write_benchmark(tmp_path / "tiny")
    picture = (tmp_path / "tiny" / "media" / "a.png").read_bytes()
    (tmp_path / "tiny" / "rows.tsv").write_text(f"image\n{base64.b64encode(picture).decode()}\n")
    shutil.move(tmp_path / "tiny" / "media" / "b.png", tmp_path / "b.png")
    shown = (Media(kind="image", path="rows.tsv", part=(0, 0)), Media(kind="image", path="../b.png"))
    item = items()[1].model_copy(update={"media": shown})
    shutil.rmtree(tmp_path / "tiny" / "media")
    from tolman.item_table import write_items

    write_items(tmp_path / "tiny" / "items.parquet", [item])
    (written,) = write_bundle(source_of(tmp_path / "tiny"), Target(tmp_path, tmp_path), tmp_path / "bundle")
    first, second = written.media
    assert first.part is None
    assert read_image(tmp_path / "bundle", first.path, first.part) == picture
    assert (tmp_path / "bundle" / second.path).read_bytes() == (tmp_path / "b.png").read_bytes()
    assert not {".."} & set(Path(second.path).parts)
    (read,) = load(f"{tmp_path / 'bundle'}/", None, None).items
    assert read == written


def test_a_broken_image_in_a_table_is_named(tmp_path: Path) -> None:
    item = Item(
        id="q", question="?", kind="choice", answer="A", options=("x", "y"), task="t",
        media=(Media(kind="image", path="rows.tsv", part=(3, 0)),),
    )  # fmt: skip
    write_benchmark(tmp_path / "tiny", [item], profile=None)
    (tmp_path / "tiny" / "rows.tsv").write_text("image\nAAAA\n")
    with pytest.raises(InputError, match=r"rows\.tsv, row 4: has an image that can't be read"):
        write_bundle(source_of(tmp_path / "tiny"), Target(tmp_path, tmp_path), tmp_path / "bundle")


def test_the_plugin_that_a_benchmark_is_of_goes_along(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugins, "_loaded", {})
    (tmp_path / "own.py").write_text(PLUGIN)
    load_plugin(tmp_path / "own.py")
    folder = write_benchmark(tmp_path / "tiny", profile="my-own")
    write_bundle(source_of(folder), Target(tmp_path, tmp_path), tmp_path / "bundle")
    monkeypatch.setattr(plugins, "_loaded", {})  # as in another process
    load_bundled_plugins(tmp_path / "bundle")
    assert load(f"{tmp_path / 'bundle'}/", None, None).benchmark.scored_like == "My own"
    assert json.loads((tmp_path / "bundle" / "benchmark.json").read_text())["scoring_profile"] == "my-own"
