"""Settings of reasoning as they are written."""

import pytest

from tolman.errors import UsageError
from tolman.features.run.compute import requests_of
from tolman.features.run.config import RunConfig, budgets_of, thinking_of
from tolman.messages import Thinking


def test_budgets_are_tokens_or_thousands_of_them() -> None:
    assert budgets_of(("0", "2048", "8k", "1.5K")) == (0, 2048, 8192, 1536)


@pytest.mark.parametrize("text", ["many", "-1", "2.5", "9999k", "8kb", ""])
def test_another_budget_is_told(text: str) -> None:
    with pytest.raises(UsageError, match=r"--reasoning-budget takes tokens, such as 0, 2048 or 8k"):
        budgets_of((text,))


def test_a_budget_that_stands_there_twice_is_told() -> None:
    with pytest.raises(UsageError, match="names a number twice: 2k,2048"):
        budgets_of(("2k", "2048"))


def test_settings_of_reasoning_are_one_object_or_none() -> None:
    assert thinking_of(None, None, None) is None
    assert thinking_of("on", "high", 100) == Thinking(on=True, effort="high", budget=100)
    assert thinking_of("off", None, 0) == Thinking(on=False, budget=0)


@pytest.mark.parametrize(
    ("on", "effort", "budget", "sentence"),
    [
        ("off", "high", None, "--thinking off and --effort high contradict"),
        ("off", None, 100, "--thinking off and --reasoning-budget 100 contradict"),
        ("on", None, 0, "--reasoning-budget 0 and --thinking on contradict"),
        ("on", "none", None, "--effort none and --thinking on contradict"),
    ],
)
def test_settings_that_contradict_each_other_are_told(
    on: str | None, effort: str | None, budget: int | None, sentence: str
) -> None:
    with pytest.raises(UsageError, match=sentence):
        thinking_of(on, effort, budget)


def test_several_budgets_and_frames_are_runs_of_their_own() -> None:
    config = RunConfig(
        benchmark="b",
        model="openai/m",
        base_url="http://x/v1",
        frames=(8, 16),
        reasoning_budget=("0", "2k"),
        effort=None,
    )
    found = list(requests_of(config))
    assert [one.part for one in found] == [
        "frames-8-reasoning-0", "frames-8-reasoning-2048", "frames-16-reasoning-0", "frames-16-reasoning-2048",
    ]  # fmt: skip
    assert [(one.sampling or {})["thinking"].budget for one in found] == [0, 2048, 0, 2048]
    assert {one.limits.again for one in found} == {0}
    assert next(iter(requests_of(RunConfig(benchmark="b", model="m", reasoning_budget=("2k",))))).limits.again == 2
    assert "thinking" not in (next(iter(requests_of(RunConfig(benchmark="b", model="m")))).sampling or {})
