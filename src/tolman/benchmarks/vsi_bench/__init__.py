"""VSI-Bench (Yang et al., "Thinking in Space", 2024)."""

from pathlib import Path

from tolman.benchmarks.base import BenchmarkSpec, HubSource
from tolman.benchmarks.vsi_bench.data import SUBSETS, load
from tolman.benchmarks.vsi_bench.prompts import PRESETS, blind_prompt, demand, prompt, question
from tolman.benchmarks.vsi_bench.rules import RULE_SETS
from tolman.benchmarks.vsi_bench.table import TABLE

BENCHMARK = BenchmarkSpec(
    name="vsi-bench",
    title="VSI-Bench",
    paper="Yang et al., Thinking in Space, 2024",
    licence="Apache-2.0 (questions)",
    subsets=SUBSETS,
    load=load,
    prompt=prompt,
    blind_prompt=blind_prompt,
    presets=PRESETS,
    rule_sets=RULE_SETS,
    table=TABLE,
    published=Path(__file__).with_name("published.csv"),
    hub=HubSource(
        "nyu-visionx/VSI-Bench",
        ("full/test*.parquet|test-*.parquet|test.parquet|test.jsonl|*/test*.parquet|test_*.parquet",),
        "668dd47863a49c6ee50946df1bf085a039fc95cd",
        media=("*.zip",),
    ),
    sizes={"full": 5130, "debiased": 2362, "tiny": 392},
    question=question,
    demand=demand,
    needs_positive_truths=True,
)
