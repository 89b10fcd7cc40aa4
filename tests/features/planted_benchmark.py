"""The made-up benchmark of `planted` as a plugin, with its two harnesses' rules as scorers."""

from collections.abc import Callable
from pathlib import Path

import planted
from tolman.benchmarks.spec import BenchmarkSpec, PromptPreset
from tolman.item_table import read_items
from tolman.items import Item
from tolman.messages import Message
from tolman.scoring.answer_values import ParsedAnswer
from tolman.scoring.rule_sets import RuleSet
from tolman.scoring.score_table import Column, Mean, Table, pool

_TASKS = tuple(Column(task, task, pool(task)) for task in planted.TASKS)


def _load(folder: Path, subset: str) -> list[Item]:
    return read_items(folder / "items.parquet")


def _prompt(item: Item, preset: PromptPreset) -> Message:
    text = "\n".join([item.question, *item.lettered_options])
    return Message(parts=(planted.PROMPTS[False].format(question=text),))


def _reader(*, other: bool) -> Callable[[Item, str, int], ParsedAnswer]:
    def read(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
        found = planted.PARSERS[other](item.kind, text)
        return ParsedAnswer((found if item.kind == "choice" else float(found)) if found else None)

    return read


def _metric(*, other: bool) -> Callable[[Item, ParsedAnswer], float]:
    def score(item: Item, reading: ParsedAnswer) -> float:
        return planted.METRICS[other](item.kind, "" if reading.value is None else str(reading.value), item.answer)

    return score


BENCHMARK = BenchmarkSpec(
    name="planted",
    title="Planted",
    paper="",
    licence="",
    subsets={"all": "all questions"},
    load=_load,
    prompt=_prompt,
    blind_prompt=_prompt,
    presets=(PromptPreset("plain", "planted", rule_sets=("first", "last")),),
    rule_sets=(
        RuleSet("first", _reader(other=False), _metric(other=False)),
        RuleSet("last", _reader(other=True), _metric(other=True)),
    ),
    table=Table((*_TASKS, Column("average", "Avg.", Mean(tuple(c.node for c in _TASKS)))), headline="average"),
)
