"""One shard isn't taken for the whole, nor one version of a benchmark for another."""

import json
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from terminal import tolman
from tolman import benchmarks
from tolman.benchmarks.fetching.listing import HubFile, Listing
from tolman.benchmarks.hub import question_files
from tolman.errors import InputError, UnknownFieldWarning

SITE: dict[str, Any] = {
    "question": "Which?", "options": ["left", "right"], "answer": "A", "category": "counting & existence",
    "dataset": "BLINK", "visual": ["a.jpg"],
}  # fmt: skip
VSI: dict[str, Any] = {
    "id": 0, "dataset": "arkitscenes", "scene_name": "41069025", "question_type": "object_counting",
    "question": "How many?", "ground_truth": "4",
}  # fmt: skip


def site_shard(folder: Path, number: int, count: int, rows: int = 20) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    questions = [{**SITE, "question": f"Which, {number} {i}?"} for i in range(rows)]
    pl.DataFrame(questions).write_parquet(folder / f"image_test-{number:05d}-of-{count:05d}.parquet")


def test_all_shards_of_a_configuration_are_read(tmp_path: Path) -> None:
    for number in range(2):
        site_shard(tmp_path, number, 2)
    items = benchmarks.get("site").load(tmp_path, "image")
    assert [item.id for item in items] == [f"image-{i}" for i in range(40)]
    assert items[20].question == "Which, 1 0?"


def test_a_missing_shard_is_named(tmp_path: Path) -> None:
    site_shard(tmp_path, 0, 2)
    site = benchmarks.get("site")
    with pytest.raises(InputError, match=r"1 of 2 shards is read, image_test-00001-of-00002.parquet is not; fetch the"):
        site.load(tmp_path, "image")
    site_shard(tmp_path, 1, 2)
    with pytest.raises(InputError, match="give the folder that holds all of them"):
        site.load(tmp_path / "image_test-00001-of-00002.parquet", "image")


def test_shards_below_a_folder_of_the_configuration(tmp_path: Path) -> None:
    for number in range(2):
        site_shard(tmp_path / "image_test", number, 2)
        path = tmp_path / "image_test" / f"image_test-{number:05d}-of-00002.parquet"
        path.rename(path.with_name(path.name.removeprefix("image_")))
    assert len(benchmarks.get("site").load(tmp_path, "image")) == 40


def test_several_files_that_may_be_it_are_named(tmp_path: Path) -> None:
    for name in ("MMSIBench_a.tsv", "MMSIBench_b.tsv"):
        (tmp_path / name).write_text("index\n")
    with pytest.raises(InputError, match=r"holds several files that may be MMSI-Bench questions: MMSIBench_a.tsv, MM"):
        benchmarks.get("mmsi-bench").load(tmp_path, "full")


def test_a_circular_file_of_mmsi_is_told(tmp_path: Path) -> None:
    head = "index\timage\tquestion\tanswer\tcategory"
    question = "Which?\\nOptions: A: a, B: b, C: c, D: d".replace("\\n", " ")
    rows = [f"{i + 1_000_000 * k}\tx\t{question}\tA\tMSR" for k in range(2) for i in range(3)]
    path = tmp_path / "MMSIBench.tsv"
    path.write_text("\n".join([head, *rows]))
    with pytest.raises(InputError, match=r"row 4: asks question 0 again with its options in another order: a circular"):
        benchmarks.get("mmsi-bench").load(tmp_path, "full")
    path.write_text("\n".join([head, *rows[:3]]))
    assert len(benchmarks.get("mmsi-bench").load(tmp_path, "full")) == 3


def test_versions_of_spatialbench_are_told_apart(tmp_path: Path, shared_data: Path) -> None:
    released, bench = shared_data / "spatialbench", benchmarks.get("spatialbench")
    shutil.copy(released / "QA_v1_2025-11-26.txt", tmp_path / "QA.txt")
    assert len(bench.load(tmp_path, "v1")) == 1347  # under the authors' own name
    with pytest.raises(InputError, match=r"QA.txt: holds v1: none of its 1,347 questions is new in v2; ask for v1"):
        bench.load(tmp_path, "v2")
    with pytest.raises(InputError, match="holds no row with reasoning: it is not the few-shot file"):
        bench.load(tmp_path / "QA.txt", "few-shot")
    for subset in ("v1", "few-shot"):
        with pytest.raises(
            InputError, match=r"QA.txt: holds v2: the question 20001 is not in v1; ask for the subset v2"
        ):
            bench.load(released / "QA.txt", subset)
    few = json.loads((released / "QA.txt").read_text())[:30]
    (tmp_path / "QA.txt").write_text(json.dumps(few))
    assert len(bench.load(tmp_path, "v2")) == 30


def test_a_new_column_is_told_and_the_data_is_read(tmp_path: Path) -> None:
    rows = [{**VSI, "id": i, "pruned": False, "checked": True, "by": "x"} for i in range(3)]
    (tmp_path / "test.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    with pytest.warns(UnknownFieldWarning) as told:
        items = benchmarks.get("vsi-bench").load(tmp_path, "full")
    assert len(items) == 3
    assert [str(one.message) for one in told] == [
        f"{tmp_path / 'test.jsonl'}: 'checked', 'by' are not known of this benchmark and not read; a newer release may "
        "have more fields."
    ]


def test_the_command_line_tells_a_new_column_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "test.jsonl").write_text(json.dumps({**VSI, "checked": True}))
    done = tolman(tmp_path, "run", "vsi-bench", "--data", "data", "--model", "baseline/random", "--out", "run", code=0)
    assert "mind: " in done.stderr
    assert "test.jsonl: 'checked' is not known of this benchmark and not read" in done.stderr
    assert "Warning" not in done.stderr


def test_the_fetch_asks_for_every_layout() -> None:
    def asked(name: str, *files: str, subset: str | None = None) -> list[str]:
        hub = benchmarks.get(name).hub
        assert hub is not None
        listing = Listing("a/b", "a/b", "a" * 40, "", tuple(HubFile(file, 1, "git:0") for file in files))
        return [file.path for file in question_files(listing, hub, subset)]

    for file in ("test.jsonl", "test-00000-of-00001.parquet", "VSI-Bench/test-00000-of-00001.parquet"):
        assert asked("vsi-bench", "README.md", file, "arkitscenes.zip") == [file]
    parts = ["test_debiased.parquet", "test_pruned.parquet"]
    assert asked("vsi-bench", "test.jsonl", *parts, "pruned_ids.txt") == ["test.jsonl"]
    assert asked("vsi-bench", *parts, "pruned_ids.txt") == parts
    for file in ("image_test.json", "image_test/test-00000-of-00002.parquet", "video_test.jsonl"):
        assert asked("site", "README.md", file) == [file]
    both = ("image_test/test-00000-of-00001.parquet", "video_test/test-00000-of-00001.parquet")
    assert asked("site", *both, subset="video") == [both[1]]
    for file in ("MMSI_Bench.parquet", "data/test-00000-of-00002.parquet", "MMSI_bench.tsv"):
        assert asked("mmsi-bench", "README.md", file) == [file]
    assert asked("mmsi-bench", "MMSI_Bench.parquet", "MMSI_bench.tsv") == ["MMSI_Bench.parquet"]
    assert asked("spatialbench", "QA.txt", "QA_fewshot.txt", subset="v1") == ["QA_fewshot.txt"]


def write_vsi(path: Path, numbers: range) -> None:
    """Rows of VSI-Bench, of which `numbers` are the ids."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pl.DataFrame([{**VSI, "id": number} for number in numbers]).write_parquet(path)


@pytest.mark.parametrize(
    "names",
    [
        ("test_debiased.parquet", "test_pruned.parquet"),
        ("debiased/test-00000-of-00001.parquet", "pruned/test-00000-of-00001.parquet"),
    ],
)
def test_vsi_bench_is_read_from_the_files_of_its_configurations(tmp_path: Path, names: tuple[str, str]) -> None:
    benchmark = benchmarks.get("vsi-bench")
    write_vsi(tmp_path / names[0], range(3))
    assert [item.id for item in benchmark.load(tmp_path, "debiased")] == ["0", "1", "2"]
    for subset in ("full", "tiny"):
        with pytest.raises(
            InputError, match=r"parquet: holds the debiased questions only; add the others, or ask for the subset"
        ):
            benchmark.load(tmp_path, subset)
    write_vsi(tmp_path / names[1], range(3, 5))
    assert [item.id for item in benchmark.load(tmp_path, "full")] == ["0", "1", "2", "3", "4"]
    assert [item.id for item in benchmark.load(tmp_path, "debiased")] == ["0", "1", "2"]


def test_the_whole_of_vsi_bench_goes_before_its_parts(tmp_path: Path) -> None:
    write_vsi(tmp_path / "full" / "test-00000-of-00002.parquet", range(4))
    write_vsi(tmp_path / "full" / "test-00001-of-00002.parquet", range(4, 6))
    write_vsi(tmp_path / "debiased" / "test-00000-of-00001.parquet", range(2))
    assert len(benchmarks.get("vsi-bench").load(tmp_path, "full")) == 6


def test_one_file_of_vsi_bench_that_is_a_part_is_told(tmp_path: Path) -> None:
    write_vsi(tmp_path / "test_pruned.parquet", range(2))
    with pytest.raises(InputError, match="holds the questions that VSI-Bench-Debiased leaves out only; add the others"):
        benchmarks.get("vsi-bench").load(tmp_path / "test_pruned.parquet", "debiased")


def test_images_in_shards_of_mmsi_bench_are_found(tmp_path: Path) -> None:
    from tolman.media.images import read_image

    (tmp_path / "data").mkdir()
    for number in range(2):
        text = "Where?\nOptions: A: left, B: right, C: up, D: down"
        row = {
            "id": number,
            "images": [f"picture {number}".encode()],
            "question_type": "MSR",
            "question": text,
            "answer": "A",
        }
        pl.DataFrame([row]).write_parquet(tmp_path / "data" / f"test-{number:05d}-of-00002.parquet")
    items = benchmarks.get("mmsi-bench").load(tmp_path, "full")
    (first, second) = (item.media[0] for item in items)
    assert read_image(tmp_path, first.path, first.part) == b"picture 0"
    assert read_image(tmp_path, second.path, second.part) == b"picture 1"
