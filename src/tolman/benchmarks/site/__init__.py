"""SITE (Wang et al., 2025)."""

from pathlib import Path

from tolman.benchmarks.base import BenchmarkSpec, HubSource
from tolman.benchmarks.site.data import SUBSETS, load
from tolman.benchmarks.site.prompts import PRESETS, blind_prompt, demand, prompt, question
from tolman.benchmarks.site.rules import JUDGING, RULE_SETS
from tolman.benchmarks.site.table import TABLE

BENCHMARK = BenchmarkSpec(
    name="site",
    title="SITE",
    paper="Wang et al., SITE: towards Spatial Intelligence Thorough Evaluation, 2025",
    licence="CC-BY-4.0 (data card)",
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
        "franky-veteran/SITE-Bench",
        ("*.parquet", "**/*.parquet", "*.jsonl", "**/*.jsonl", "*.json", "**/*.json"),
        media=("*.zip",),
        questions_of={
            name: (
                "|".join(f"{name}_test*.{suffix}|*/{name}_test*.{suffix}" for suffix in ("parquet", "jsonl", "json")),
            )
            for name in ("image", "video")
        },
    ),
    sizes={"full": 8068, "image": 4449, "video": 3619},
    question=question,
    demand=demand,
)
