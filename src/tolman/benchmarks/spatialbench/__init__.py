"""SpatialBench (Xu et al., 2025)."""

from pathlib import Path

from tolman.benchmarks.base import BenchmarkSpec, HubSource, OneShot
from tolman.benchmarks.spatialbench.data import SUBSETS, examples, load
from tolman.benchmarks.spatialbench.prompts import PRESETS, blind_prompt, demand, one_shot_prompt, prompt, question
from tolman.benchmarks.spatialbench.rules import RULE_SETS
from tolman.benchmarks.spatialbench.table import TABLE
from tolman.benchmarks.spatialbench.taxonomy import repair_task_name

BENCHMARK = BenchmarkSpec(
    name="spatialbench",
    title="SpatialBench",
    paper="Xu et al., SpatialBench: Benchmarking Multimodal Large Language Models for Spatial Cognition, 2025",
    licence="Apache-2.0",
    subsets=SUBSETS,
    load=load,
    prompt=prompt,
    blind_prompt=blind_prompt,
    presets=PRESETS,
    rule_sets=RULE_SETS,
    table=TABLE,
    published=Path(__file__).with_name("published.csv"),
    hub=HubSource(
        "XPR2004/SpatialBench",
        ("*.txt", "*.json"),
        media=("*.zip", "**/*.mp4"),
        questions_of={
            "v1": ("QA_v1*.txt|QA_v1*.json|QA_fewshot.txt", "QA_fewshot.txt"),  # whose examples 'one-shot' shows
            "v2": ("QA.txt|QA_v2*.txt", "QA_fewshot.txt"),
            "few-shot": ("QA_fewshot.txt",),
        },
    ),
    sizes={"v1": 1347, "v2": 3193, "few-shot": 1347},
    question=question,
    demand=demand,
    one_shot=OneShot(lambda data, seed: examples(data), lambda item: repair_task_name(item.task), one_shot_prompt),
)
