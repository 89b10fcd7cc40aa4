"""MMSI-Bench (Yang et al., 2025): its prompts, rule sets and table.

The prompt is the images, the released question with its options, and one sentence. Source: InternRobotics/MMSI-Bench,
vlmeval/dataset/mmsi_bench.py; paper, Table 7 (Direct, and Linguistic).

Responses are read by the released parser (`scoring.readers.image_benchmarks`); unread responses score 0. The paper's
fallback to a model (section 4.1, Appendix E.2) is in the same file of the release (`extract_single_choice_with_llm`)
and is not called. With a judge it is: its prompt is the released one.

Table 3 holds accuracy by question type; the average is over all questions.
"""

from __future__ import annotations

from pathlib import Path

from tolman.benchmarks.mmsi_bench.mmsi_rows import SUBSETS, TASKS, load, reorder
from tolman.benchmarks.spec import BenchmarkSpec, HubSource, PromptPreset
from tolman.items import Item
from tolman.messages import Message, Sampling
from tolman.scoring.judged import Judging
from tolman.scoring.readers import harnesses
from tolman.scoring.readers.image_benchmarks import read_mmsi_bench as read_official, read_mmsi_bench_lmms_eval
from tolman.scoring.rule_sets import RuleSet, careful, kind_and_answer, score_exactly
from tolman.scoring.score_table import Column, Table, pool

POST = "Answer with the option's letter from the given choices directly. Enclose the option's letter within ``."
STEP_BY_STEP = (
    "Let's think step by step and then answer with the option's letter from the given choices. "
    "Enclose the option's letter within ``."
)

PRESETS = (PromptPreset("released", "released code; Table 7, Direct", sampling=Sampling(temperature=0.0)),)


def prompt(item: Item, preset: PromptPreset) -> Message:
    """All images, then the question."""
    return Message(parts=(*item.media, *blind_prompt(item, preset).parts))


def blind_prompt(item: Item, preset: PromptPreset) -> Message:
    """The question without its images."""
    return Message(parts=(f"{item.verbatim or item.question}\n{POST}",))


def question(item: Item, preset: PromptPreset, sees: bool) -> Message:
    """The images and the question, without the sentence that asks for the letter."""
    return Message(parts=(*(item.media if sees else ()), item.verbatim or item.question))


def demand(item: Item, preset: PromptPreset) -> str:
    """That sentence."""
    return POST


def step_by_step(item: Item, preset: PromptPreset, sees: bool) -> Message:
    """Table 7, Linguistic: steps and answer in one response."""
    return Message(parts=(*(item.media if sees else ()), f"{item.verbatim or item.question}\n{STEP_BY_STEP}"))


RULE_SETS = (
    RuleSet("official", read_official, score_exactly, alike=kind_and_answer),
    careful(score=score_exactly),
    RuleSet("lmms-eval", read_mmsi_bench_lmms_eval, score_exactly),
    RuleSet("vlmevalkit", harnesses.read_easi, score_exactly),
)


def judge_prompt(item: Item, text: str) -> str:
    """Return the released fallback's prompt to its model."""
    return (
        "You are an AI assistant who will help me to match an answer with several options of a single-choice question. "
        "You are provided with a question and an answer, and you need to find which option is most similar to the "
        "answer. If the meaning of all options are significantly different from the answer, output Z. "
        "Your should output a single uppercase character in A, B, C, D (if they are valid options), and Z. "
        "Do not explain your reasoning, just output the letter directly.\n"
        "Example 1: \n"
        "Question: What is the main object in image?\nOptions: A. teddy bear B. rabbit C. cat D. dog\n"
        "Answer: a cute teddy bear\nYour output: A\n"
        "Example 2: \n"
        "Question: What is the main object in image?\nOptions: A. teddy bear B. rabbit C. cat D. dog\n"
        "Answer: Spider\nYour output: Z\n"
        "Example 3: \n"
        f"Question: {item.verbatim or item.question}\nAnswer: {text}\nYour output: "
    )


JUDGING = Judging(
    source="MMSI-Bench's fallback (section 4.1, released prompt): where the official parser reads nothing",
    base="official",
    asks=lambda item, text, own: own.value is None,
    prompt=judge_prompt,
)


_KEYS = (
    ("cam_cam", "Cam.–Cam.", "Positional Relationship"),
    ("obj_obj", "Obj.–Obj.", "Positional Relationship"),
    ("reg_reg", "Reg.–Reg.", "Positional Relationship"),
    ("cam_obj", "Cam.–Obj.", "Positional Relationship"),
    ("obj_reg", "Obj.–Reg.", "Positional Relationship"),
    ("cam_reg", "Cam.–Reg.", "Positional Relationship"),
    ("meas", "Meas.", "Attribute"),
    ("appr", "Appr.", "Attribute"),
    ("motion_cam", "Cam.", "Motion"),
    ("motion_obj", "Obj.", "Motion"),
    ("msr", "MSR", ""),
)
TABLE = Table(
    (
        *(Column(key, title, pool(task), group=group) for (key, title, group), task in zip(_KEYS, TASKS, strict=True)),
        Column("average", "Avg.", pool()),
    ),
    headline="average",
)


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
