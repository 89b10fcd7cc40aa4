"""SpatialBench (Xu et al., 2025): its prompts, released parser and metric, and table.

Source: XPR2004/SpatialBench. Prompts follow benchmark_vision_base64.py. The text comes first, then the frames: at most
one for each whole second of the video, at most 64. Without an exemplar the released template leaves an empty first
line.

Parser and metric keep the quirks of benchmark_vision_base64.py (`_clean_model_answer`, `_check_correctness`) and
evaluate_benchmark_results.py (`get_tiered_score`). Empty responses leave the denominators, and rows whose type isn't
in the map leave the levels. The letter patterns have no word boundary: "the object behind" is D.

Table 1 holds the average over all questions, capability score, levels and tasks. The capability score is the sum of
the level averages times the released weights. A level without any question counts 0 and keeps its weight under the
official rule sets, as in the released code; `careful` renormalises the weights.
"""

from __future__ import annotations

import re
from pathlib import Path

from tolman.benchmarks.solved_example import example_parts, options_lines, problem_type
from tolman.benchmarks.spatialbench.spatialbench_rows import (
    LEVEL_OF,
    LEVELS,
    SUBSETS,
    WEIGHTS,
    examples,
    load,
    repair_task_name,
)
from tolman.benchmarks.spec import BenchmarkSpec, HubSource, OneShot, PromptPreset
from tolman.items import Item
from tolman.media.sampling import Frames
from tolman.messages import Message, Sampling
from tolman.scoring.answer_values import ParsedAnswer, mra_spatialbench, nothing
from tolman.scoring.rule_sets import RuleSet, careful, kind_and_answer, score_exactly, score_in_floats
from tolman.scoring.score_table import Column, Mean, Table, pool

ONLY_ANSWER = """\
YOUR TASK IS TO PROVIDE ONLY THE FINAL ANSWER.
DO NOT INCLUDE ANY EXPLANATIONS, REASONING, OR THOUGHT PROCESS.
YOUR RESPONSE MUST BE EXTREMELY CONCISE AND CONTAIN ONLY THE ANSWER.

Desired Answer Format:
- For a Multiple choice question, your entire response must be a single letter (e.g., A).
- For a Regression question, your entire response must be a single number (e.g., 240).

Provide the final answer ONLY."""

_REASONING_HEAD = (
    "Analyze the video frames and answer the question. Your primary task is to provide a detailed, step-by-step "
    "reasoning process that explains how you arrived at your conclusion. After your reasoning, provide the final "
    "answer in the specified format."
)
_REASONING_TASK = """\
YOUR TASK:
1.  First, provide a clear, logical, step-by-step "Reasoning" process.
2.  After the reasoning, provide the "Final Answer".

Desired Response Format:
Reasoning:
<Your detailed thought process here>

Final Answer:
<A single letter for multiple choice (e.g., A) or a single number for regression (e.g., 240)>"""

_HEAD = "Analyze the video frames and answer the question."


def _frames(quality: int) -> Frames:
    return Frames(per_second=1.0, cap=64, rounding="nearest", quality=quality)


def _sampling(tokens: int) -> Sampling:
    return Sampling(temperature=0.1, top_p=0.9, max_tokens=tokens)


PRESETS = (
    PromptPreset("released", "released code", _frames(85), _sampling(1024)),
    PromptPreset("glm", "released code, models with 'glm' in their name", _frames(40), _sampling(2048)),
    PromptPreset("ernie", "released code, models with 'ernie' in their name", _frames(30), _sampling(1024)),
    PromptPreset(
        "reasoning",
        "released code, --with-reasoning",
        _frames(85),
        _sampling(4096),
        {"style": "reasoning"},
        rule_sets=("official-reasoning", "careful"),
    ),
)


def prompt(item: Item, preset: PromptPreset) -> Message:
    """The text, then the frames."""
    return Message(parts=(*blind_prompt(item, preset).parts, *item.media))


def blind_prompt(item: Item, preset: PromptPreset) -> Message:
    """The text alone, unchanged."""
    reasoning = preset.texts.get("style") == "reasoning"
    head, task = (_REASONING_HEAD, _REASONING_TASK) if reasoning else (_HEAD, ONLY_ANSWER)
    return Message(parts=(f"\n{head}\n\n{_question(item)}\n\n{task}",))


def question(item: Item, preset: PromptPreset, sees: bool) -> Message:
    """The text without the task that asks for the answer alone, then the frames."""
    return Message(parts=(f"\n{_HEAD}\n\n{_question(item)}", *(item.media if sees else ())))


def demand(item: Item, preset: PromptPreset) -> str:
    """That task."""
    return ONLY_ANSWER


def one_shot_prompt(example: Item, item: Item, preset: PromptPreset) -> Message:
    """The example's key frames, question, reasoning and answer, then the question, then its frames.

    This is the released code's "deep guide", which runs on QA_fewshot.txt.
    """
    question = f"Question: {item.question}\n{options_lines(item, 'Options:')}"
    return Message(parts=(*example_parts(example, question, ONLY_ANSWER), *item.media))


def _question(item: Item) -> str:
    return f"Question type: {problem_type(item)}\nQuestion: {item.question}\n{options_lines(item, 'Options:')}"


_FINAL = re.compile(r"Final Answer:\s*(.*)", re.IGNORECASE | re.DOTALL)
_BOX = re.compile(r"<\|begin_of_box\|>(.*?)<\|end_of_box\|>", re.DOTALL)
# Equal to the released r'[^A-Z0-9a-z]*([A-D])[^A-Z0-9a-z]*\s*$' in what it captures, without its quadratic time.
_LETTER_AT_END = re.compile(r"([A-D])[^A-Z0-9a-z]*\Z", re.IGNORECASE)
_LETTER_AT_START = re.compile(r"[^A-Z0-9a-z]*([A-D])", re.IGNORECASE)
_NUMBERS = re.compile(r"\b(\d+(?:\.\d+)?)\b")


def read_official(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The released parser, in the mode that asks for the answer alone."""
    return _read(item, text, 0)


def read_official_reasoning(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """Read the text after "Final Answer:", as the released parser in its reasoning mode."""
    stripped = text.strip()
    final = _FINAL.search(stripped)
    return _read(item, text, len(text) - len(text.lstrip()) + final.start(1)) if final else _read(item, text, 0)


def _read(item: Item, whole: str, start: int) -> ParsedAnswer:
    """Read the text after a position, without white space around."""
    start += len(whole[start:]) - len(whole[start:].lstrip())
    text = whole[start:].strip()
    boxed = _BOX.search(text)
    if boxed:
        return _as_is(item, boxed[1], start + boxed.start(1), "box")
    if item.kind == "number":
        numbers = list(_NUMBERS.finditer(text))
        if not numbers:
            return _as_is(item, text.rstrip("."), start, "whole text")
        return _found(float(numbers[-1][1]), start, numbers[-1], "last number")
    for pattern, rule in ((_LETTER_AT_END.search, "last letter"), (_LETTER_AT_START.match, "first letter")):
        letter = pattern(text)
        if letter:
            return _found(letter[1].upper(), start, letter, rule)
    return _by_option_text(item, text)


def _found(value: str | float, start: int, match: re.Match[str], rule: str) -> ParsedAnswer:
    return ParsedAnswer(value, span=(start + match.start(1), start + match.end(1)), rule=rule)


def _as_is(item: Item, text: str, start: int, rule: str) -> ParsedAnswer:
    """Read the text that the released code compares with the answer as it is: a letter in any case, or a float."""
    start += len(text) - len(text.lstrip())
    text = text.strip()
    span = start, start + len(text)
    if item.kind == "choice":
        if len(text) == 1 and text.upper() in item.letters:
            return ParsedAnswer(text.upper(), span=span, rule=rule)
        return nothing("no letter in the box")
    try:
        return ParsedAnswer(float(text), span=span, rule=rule)
    except ValueError:
        return nothing("no number")


def _by_option_text(item: Item, text: str) -> ParsedAnswer:
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    for letter, option in zip(item.letters, item.options, strict=True):
        if lines and re.search(r"\b" + re.escape(option.strip(". ")) + r"\b", lines[-1], re.IGNORECASE):
            return ParsedAnswer(letter, rule="text of an option")
    return nothing("no letter")


def _not_empty(item: Item, text: str) -> bool:
    return bool(text.strip())


def _released_task(item: Item) -> str:
    return item.task if item.task in LEVEL_OF else ""


RULE_SETS = (
    RuleSet(
        "official",
        read_official,
        score_in_floats(mra_spatialbench),
        counts=_not_empty,
        task=_released_task,
        alike=kind_and_answer,
    ),
    RuleSet(
        "official-reasoning",
        read_official_reasoning,
        score_in_floats(mra_spatialbench),
        counts=_not_empty,
        task=_released_task,
        alike=kind_and_answer,
    ),
    careful(task=lambda item: repair_task_name(item.task), score=score_exactly),
)


_LEVEL_TITLES = {
    "observation_and_measurement": "Observation",
    "topology_and_composition": "Topology & Relation",
    "symbolic_visual_reasoning": "Symbolic Reasoning",
    "spatial_causality": "Causality",
    "spatial_planning": "Planning",
}
_TASK_TITLES = {
    "object_counting": "Obj. Count",
    "object_size": "Obj. Size",
    "room_size": "Room Size",
    "absolute_distance": "Abs. Distance",
    "appearance_order": "App. Order",
    "appearance_order_on_self-defined_route": "App. Order (Self-Def. Route)",
    "relative_distance": "Rel. Distance",
    "relative_direction": "Rel. Direction",
    "relative_counting": "Rel. Count",
    "multi-hop_spatial_reasoning": "Multi-Hop Reasoning",
    "affordance": "Affordance",
    "landmark-constrained_pose_localization": "Landmark Constr. Location",
    "spatial_causal_reasoning": "Causal Reasoning",
    "visual_based_commands": "Visual Based Commands",
    "route_plan": "Route Plan",
}
SCORE = Mean(
    tuple(pool(*tasks) for tasks in LEVELS.values()), weights=tuple(WEIGHTS[level] for level in LEVELS), missing="zero"
)
TABLE = Table(
    (
        Column("average", "Ave.", pool(), digits=2),
        Column("score", "Score", SCORE, digits=2),
        *(
            Column(level, _LEVEL_TITLES[level], pool(*tasks), digits=2, group="Levels")
            for level, tasks in LEVELS.items()
        ),
        *(
            Column(task, _TASK_TITLES[task], pool(task), digits=2, group=_LEVEL_TITLES[level])
            for level, tasks in LEVELS.items()
            for task in tasks
            if len(tasks) > 1
        ),
    ),
    headline="score",
)


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
            "v1": ("QA_v1*.txt|QA_v1*.json|QA_fewshot.txt|QA.txt", "QA_fewshot.txt"),  # whose examples 'one-shot' shows
            "v2": ("QA.txt|QA_v2*.txt", "QA_fewshot.txt"),
            "few-shot": ("QA_fewshot.txt",),
        },
    ),
    sizes={"v1": 1347, "v2": 3193, "few-shot": 1347},
    question=question,
    demand=demand,
    one_shot=OneShot(lambda data, seed: examples(data), lambda item: repair_task_name(item.task), one_shot_prompt),
)
