"""MMSI-Bench (Yang et al., 2025)."""

from pathlib import Path

from tolman.benchmarks.base import BenchmarkSpec, HubSource
from tolman.benchmarks.mmsi_bench.data import SUBSETS, load, reorder
from tolman.benchmarks.mmsi_bench.prompts import PRESETS, blind_prompt, demand, prompt, question, step_by_step
from tolman.benchmarks.mmsi_bench.rules import JUDGING, RULE_SETS
from tolman.benchmarks.mmsi_bench.table import TABLE

BENCHMARK = BenchmarkSpec(
    name="mmsi-bench",
    title="MMSI-Bench",
    paper="Yang et al., MMSI-Bench: A Benchmark for Multi-Image Spatial Intelligence, 2025",
    licence="CC-BY-NC-4.0 (repository)",
    subsets=SUBSETS,
    load=load,
    prompt=prompt,
    blind_prompt=blind_prompt,
    presets=PRESETS,
    rule_sets=RULE_SETS,
    judging=JUDGING,
    table=TABLE,
    published=Path(__file__).with_name("published.csv"),
    hub=HubSource(
        "RunsenXu/MMSI-Bench", ("MMSI_Bench.parquet|MMSI*.parquet|test-*.parquet|*/test-*.parquet|MMSI*.tsv",)
    ),
    sizes={"full": 1000},
    question=question,
    demand=demand,
    step_by_step=step_by_step,
    reorder=reorder,
)
