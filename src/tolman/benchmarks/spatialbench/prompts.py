"""SpatialBench's prompts and presets.

Source: XPR2004/SpatialBench, benchmark_vision_base64.py. The text comes first, then the frames: at most one for
each whole second of the video, at most 64. Without an exemplar the released template leaves an empty first line.
"""

from __future__ import annotations

from tolman.benchmarks.base import PromptPreset
from tolman.benchmarks.solved_example import example_parts, options_lines, problem_type
from tolman.items import Item
from tolman.media.sampling import Frames
from tolman.messages import Message, Sampling

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
