"""The folder in which a page's commands are typed: what the pages' placeholders mean, small but real.

| in the docs | here |
|---|---|
| `vsi-bench`, `mmsi-bench`, `site`, `spatialbench` | a cache of the Hugging Face hub (`docs.hub`) |
| `worlds`, `SCENES`, `scenes` … | three simulated rooms |
| `meta_info` | VSI-Bench's released scenes, where the folder of real data is at hand |
| `my-bench`, `bench` … | benchmarks that were generated from the rooms |
| `runs/…` | runs, made by `tolman score` |
| `answers.jsonl` and the like | answers to the benchmark that the command names |
"""

import json
import shutil
from hashlib import sha256
from pathlib import Path

import polars as pl

import terminal
from before.actors import unpack, wordings
from docs import hub
from tolman import benchmarks
from tolman.items import Item

COLLECTIONS = ("SCENES", "scenes", "my-scenes", "rigs", "worlds-too")
COPIES = {
    "my-bench": "paper", "bench": "paper", "my-bench-2": "paper", "pairs": "mmsi", "my-site": "site",
    "my-spatialbench": "spatialbench",
}  # fmt: skip
"""Name in the docs → benchmark of the fixtures."""
RUNS = {
    "vsi-bench": ("my-model-direct", "other-direct", "openai-my-model-direct", "openai-my-model-blind"),
}
"""Benchmark → its runs in `runs/BENCHMARK-full/`."""
BASELINES = {
    "most-frequent": ("direct", "blind"), "best-constant": ("m3-direct", "m3-blind"), "random": ("m5-direct", "m5-blind"),
}  # fmt: skip
"""Baseline → its runs under the protocols direct and blind."""
WRONG = 8
"""Of so many items one is answered by chance."""


def make_stage(place: Path, data: Path) -> None:
    """Fill a folder that each page gets a copy of.

    Args:
        place: to fill.
        data: the folder of real data, which need not be there.
    """
    place.mkdir(parents=True, exist_ok=True)
    fixtures = unpack(place / "before")
    (fixtures / "worlds").rename(place / "worlds")
    for name in COLLECTIONS:
        (place / name).symlink_to("worlds")
    if (data / "vsi-bench" / "meta_info").is_dir():
        (place / "meta_info").symlink_to(data / "vsi-bench" / "meta_info")
    for name, source in COPIES.items():
        shutil.copytree(fixtures / "benchmarks" / source, place / name)
    shutil.copy(fixtures / "prices.json", place)
    (pairs,) = (place / "pairs" / "data").glob("*.parquet")
    clip = min((place / "worlds" / "videos").iterdir(), key=lambda path: path.stat().st_size)
    hub.make_hub(place / "hub", clip, sorted((fixtures / "images").iterdir()), pl.read_parquet(pairs))
    (place / "removed.txt").write_text("\n".join(item.id for item in items_of(place, "vsi-bench")[12:]) + "\n")
    (place / "removed_ids.txt").symlink_to("removed.txt")
    shutil.copytree(fixtures / "images", place / "pictures")
    (place / "data").mkdir()
    (place / "vsi-bench").symlink_to(hub.snapshot(place / "hub", "vsi-bench").relative_to(place))
    for benchmark in ("vsi-bench", "spatialbench"):
        snapshot = hub.snapshot(place / "hub", benchmark).relative_to(place)
        (place / "data" / benchmark).symlink_to(Path("..") / snapshot)
    (place / "FOLDER").symlink_to(Path("data") / "spatialbench")
    shutil.rmtree(fixtures)
    for benchmark, names in RUNS.items():
        for name in names:
            write_answers(place, benchmark, place / "answers.jsonl", salt=name)
            terminal.typed(
                place, "score", "answers.jsonl", "--benchmark", benchmark, "--name", name.removesuffix("-direct"),
                "--out", f"runs/{benchmark}-full/{name}", **hub.environment(place / "hub"),
            )  # fmt: skip
    (place / "answers.jsonl").unlink()
    for model, links in BASELINES.items():
        for protocol, name in zip(("direct", "blind"), links, strict=True):
            terminal.typed(
                place, "run", "vsi-bench", "--model", f"baseline/{model}", "--protocol", protocol, "--out", name,
                **hub.environment(place / "hub"),
            )  # fmt: skip
    for name, run in (
        ("m4-direct", "direct"), ("m4-blind", "blind"), ("most-frequent", "blind"), ("best-constant", "m3-blind"),
    ):  # fmt: skip
        (place / name).symlink_to(run)


def items_of(place: Path, benchmark: str, subset: str | None = None) -> list[Item]:
    """The items of a benchmark as the stage has it.

    Args:
        place: the stage.
        benchmark: its name, or the path of a folder below the stage.
        subset: of it; its first where None.
    """
    if (place / benchmark / "benchmark.json").is_file():
        found = benchmarks.get(str(place / benchmark))
        return found.load(place / benchmark, subset or next(iter(found.subsets)))
    found = benchmarks.named(benchmark)
    return found.load(hub.snapshot(place / "hub", benchmark), subset or next(iter(found.subsets)))


def write_answers(place: Path, benchmark: str, path: Path, *, subset: str | None = None, salt: str = "") -> None:
    """A file of answers, worded as models word theirs; most are right.

    Args:
        place: the stage.
        benchmark, subset: what is answered.
        path: of the file.
        salt: makes other answers.
    """
    lines: list[str] = []
    table: list[dict[str, str]] = []
    for item in items_of(place, benchmark, subset):
        drawn = sha256(f"{salt} {item.id}".encode()).digest()
        text = item.answer if drawn[0] % WRONG else wordings(f"{salt} {item.id}", number=item.kind == "number")
        lines.append(json.dumps({"id": item.id, "response": text, "seconds": 5 + drawn[1] / 4}) + "\n")
        table.append({"question_id": item.id, "prediction": item.answer, "raw_output": text})
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".csv":  # as somebody's script writes it
        pl.DataFrame(table).write_csv(path)
        return
    if path.suffix == ".json":
        path.write_text(json.dumps(table), encoding="utf-8")
        return
    path.write_text("".join(lines), encoding="utf-8")
