"""The command lines that made the fixtures; the tests type them again."""

import hashlib
import json
from pathlib import Path

import polars as pl

PORT = 8617
URL = f"http://127.0.0.1:{PORT}/v1"
"""Of the model that was asked. The address is part of what determines an answer; in tests, nobody is there."""

GENERATED = {
    name: ("--preset", name, "--seed", "2") for name in ("vsi-paper", "vsi-official", "mmsi", "site", "spatialbench")
} | {"all": ("--preset", "all", "--per-task", "3", "--filter-rounds", "0")}
"""Generation preset → options; the hashes of what comes out are in generated.json."""

CHOSEN = {
    "paper": ("--preset", "vsi-paper", "--per-task", "2", "--filter-rounds", "0"),
    "official": ("--preset", "vsi-official", "--families", "relative_distance,direction,route", "--per-task", "2"),
    "mmsi": ("--preset", "mmsi", "--per-task", "1", "--filter-rounds", "0"),
    "site": ("--preset", "site", "--per-task", "2", "--filter-rounds", "0"),
    "spatialbench": ("--preset", "spatialbench", "--per-task", "1", "--filter-rounds", "0"),
    "mixed": ("--preset", "all", "--per-task", "1", "--filter-rounds", "0"),
    "choices": ("--preset", "vsi-paper", "--families", "counting,size,room", "--choices", "--per-scene", "2", "--filter-rounds", "0"),
}  # fmt: skip
"""Benchmark in `benchmarks/` → options of `tolman generate worlds`."""

ENDPOINT = (
    "run", "./benchmarks/mixed", "--model", "openai/clerk", "--base-url", URL, "--out",
    "runs/endpoint", "--store", "store/responses.sqlite", "--protocol", "cot", "--frames", "2", "--longest-side", "96",
    "--temperature", "0.5", "--max-tokens", "200", "--seed", "3", "--retries", "0", "--prices", "prices.json",
    "--judge", "openai/judge", "--judge-base-url", URL, "--judge-sample", "5",
)  # fmt: skip
VOTES = (
    "run", "./benchmarks/paper", "--model", "openai/crowd", "--base-url", URL, "--out",
    "runs/votes", "--store", "store/responses.sqlite", "--protocol", "self-consistency+shuffle+blind", "--draws", "3",
    "--repeats", "2", "--limit", "8", "--retries", "0",
)  # fmt: skip
CURATE = ("curate", "run", "recipe.toml", "--out", "pool", "--store", "store.sqlite")
COMPARE = ("compare", "runs/mixed", "runs/endpoint", "--json")
REVIEW = ("review", "./benchmarks/paper", "--store", "review", "--scenes", "worlds", "--errors-of", "runs/paper")


def audit(benchmark: str) -> tuple[str, ...]:
    """The command that audits a benchmark of the fixtures."""
    preset = {"official": "vsi-official", "mixed": "all"}.get(benchmark, "vsi-paper")
    return ("audit", f"./benchmarks/{benchmark}", "--scenes", "worlds", "--preset", preset, "--out", "audit", "--json")


def answers(runs: Path) -> dict[str, dict[str, str]]:
    """Folder of a run → item → response, of all runs below a folder."""
    found = {}
    for path in sorted(runs.glob("**/responses.jsonl")):
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        found[str(path.parent.relative_to(runs))] = {row["id"]: row["response"] for row in rows if "response" in row}
    return found


def digest(benchmark: Path) -> dict[str, object]:
    """How many questions a generated benchmark has, and the hash of ids, questions, answers and options."""
    (path,) = benchmark.rglob("*.parquet")
    rows = [[i["id"], i["question"], i["answer"], i["options"]] for i in pl.read_parquet(path).to_dicts()]
    return {"questions": len(rows), "sha256": hashlib.sha256(json.dumps(rows).encode()).hexdigest()}
