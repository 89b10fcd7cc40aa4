"""What a user's type checker is to accept; `tests/test_typed.py` has mypy look at it."""

from collections.abc import Callable

import polars as pl

import tolman


async def answer(messages: list[dict[str, object]]) -> str:
    return "A"


def use() -> None:
    benchmark: tolman.Benchmark = tolman.load("vsi-bench", subset="tiny")
    items: list[tolman.Item] = benchmark.items()
    run: tolman.Run = tolman.evaluate(benchmark, answer, protocol="blind")
    runs: list[tolman.Run] = tolman.evaluate(["vsi-bench", "site"], "baseline/random")
    own: tolman.Run = tolman.evaluate(items, answer)
    scores: tolman.Scores = tolman.score({"1": "A"}, benchmark)
    value: float | None = scores.headline.value
    reward: float = tolman.reward(items[0], "A", scorer="careful")
    frame: pl.DataFrame = run.samples()
    ids: list[str] = tolman.open_scenes("scenes").ids()
    page: str = tolman.report([*runs, own]).render("html")
    difference: float = tolman.compare(run, own).comparisons[0].differences["average"].value
    questions: int = tolman.generate("scenes", "bench").questions
    print(value, reward, frame, ids, page, difference, questions)


async def use_async() -> None:
    run: tolman.Run = await tolman.aevaluate("vsi-bench", answer)
    several: list[tolman.Run] = await tolman.aevaluate(["vsi-bench"], answer)
    print(run, several)


verb: Callable[..., object] = tolman.simulate
