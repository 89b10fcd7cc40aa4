"""One-shot: each question behind a solved example of its type, with reasoning and key frames.

Source: SpatialBench paper, section 5.3, and its released "deep guide" on QA_fewshot.txt. The paper has one example for
each task, and fifteen are released; the released code takes the first of each answer format, which are two. Here it is
one for each task, as the paper says. The examples themselves are not asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from tolman.benchmarks.base import BenchmarkSpec, OneShot, PromptPreset
from tolman.errors import UsageError
from tolman.items import Item
from tolman.protocols.base import Ask, Conversation, ProtocolOptions, Question, Strategy
from tolman.responses import Response

_LAID_OUT = "the released layout has the example's frames first, then its text, then the question, then its frames"


def converse(question: Question) -> Conversation:
    """One turn with the example in front."""
    how = question.benchmark.one_shot
    assert how is not None  # `check` has seen to it
    example = _examples(how, question.options.data)[how.task(question.item)]
    response: Response = yield Ask((how.prompt(example, question.item, question.preset),))
    return response.response


@lru_cache(maxsize=4)
def _load(how: OneShot, data: Path) -> Mapping[str, Item]:
    return how.load(data)


def _examples(how: OneShot, data: Path | None) -> Mapping[str, Item]:
    return _load(how, data) if data is not None else {}


def _others(benchmark: BenchmarkSpec, items: Sequence[Item], options: ProtocolOptions) -> list[Item]:
    """The questions that are no example."""
    if benchmark.one_shot is None:
        return list(items)
    used = {example.id for example in _examples(benchmark.one_shot, options.data).values()}
    return [item for item in items if item.id not in used]


def _check(benchmark: BenchmarkSpec, items: Sequence[Item], preset: PromptPreset, options: ProtocolOptions) -> None:
    how = benchmark.one_shot
    if how is None:
        raise UsageError(f"one-shot needs solved examples, and {benchmark.title} has none; SpatialBench does.")
    examples = _examples(how, options.data)
    lacking = sorted({item.task for item in items if how.task(item) not in examples})
    if lacking:
        raise UsageError(
            f"there is no solved example for the question types {', '.join(lacking)}; choose others with --tasks."
        )
    if not items:
        raise UsageError("only the examples themselves are left after the selection, and they are not asked.")


PROTOCOL = Strategy(
    "one-shot",
    converse,
    check=_check,
    present=_others,
    refuses={
        "blind": "an example of looking at frames doesn't help without frames",
        **dict.fromkeys(("question-first", "repeated-media", "correspondence", "joined"), _LAID_OUT),
    },
    summary="behind a solved example of the same type",
)
