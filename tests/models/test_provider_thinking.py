"""Reasoning as Anthropic's and Google's models are told to do it."""

from typing import Any

import pytest

from tolman.messages import Sampling, Thinking
from tolman.models.anthropic import Capabilities, fields_of, read_capabilities
from tolman.models.gemini import config_of

BOTH, ADAPTIVE, ENABLED = Capabilities(), Capabilities(enabled=False), Capabilities(adaptive=False)
ADAPTS = {"type": "adaptive"}


@pytest.mark.parametrize(
    ("can", "asked", "fields", "notes"),
    [
        (BOTH, {"on": True}, {"thinking": ADAPTS, "max_tokens": 10_016}, []),
        (
            BOTH, {"effort": "high"},
            {"thinking": ADAPTS, "output_config": {"effort": "high"}, "max_tokens": 16_016}, [],
        ),
        (BOTH, {"budget": 2048}, {"thinking": {"type": "enabled", "budget_tokens": 2048}, "max_tokens": 2064}, []),
        (
            BOTH, {"budget": 100}, {"thinking": {"type": "enabled", "budget_tokens": 1024}, "max_tokens": 1040},
            ["thinking sent as a budget of 1,024 tokens"],
        ),
        (
            ENABLED, {"effort": "low"}, {"thinking": {"type": "enabled", "budget_tokens": 4096}, "max_tokens": 4112},
            ["effort 'low' sent as a budget of 4,096 tokens"],
        ),
        (
            ADAPTIVE, {"budget": 2048}, {"thinking": ADAPTS, "max_tokens": 2064},
            ["reasoning budget of 2,048 tokens sent within the token limit only"],
        ),
    ],
)  # fmt: skip
def test_anthropics_models_are_told_what_they_take(
    can: Capabilities, asked: dict[str, Any], fields: dict[str, Any], notes: list[str]
) -> None:
    sampling = Sampling(temperature=0.0, top_p=0.5, top_k=40, max_tokens=16, thinking=Thinking(**asked))
    found, said = fields_of(sampling, 16, can)
    assert {name: value for name, value in found.items() if value is not None} == fields
    drawing = [f"{name} not sent: refused by the endpoint" for name in ("temperature", "top_p", "top_k")]
    assert said == [*drawing, *notes]


def test_what_anthropic_takes_beside_reasoning_is_sent() -> None:
    sampling = Sampling(temperature=1.0, top_p=0.95, max_tokens=16, thinking=Thinking(on=True))
    found, notes = fields_of(sampling, 16, BOTH)
    assert (found["temperature"], found["top_p"], notes) == (1.0, 0.95, [])


def test_capabilities_are_read_and_both_ways_assumed_where_nothing_is_said() -> None:
    types = {"adaptive": {"supported": False}, "enabled": {"supported": True}}
    assert read_capabilities({"capabilities": {"thinking": {"types": types}}}) == ENABLED
    assert read_capabilities({"id": "m"}) == read_capabilities(None) == BOTH


@pytest.mark.parametrize(
    ("model", "asked", "config", "notes"),
    [
        ("gemini-2.5-pro", {}, None, []),
        ("gemini-2.5-pro", {"on": True}, {"include_thoughts": True, "thinking_budget": -1}, []),
        ("gemini-2.5-pro", {"budget": 2048}, {"include_thoughts": True, "thinking_budget": 2048}, []),
        ("gemini-2.5-flash", {"budget": 0}, {"thinking_budget": 0}, []),
        (
            "gemini-2.5-flash", {"effort": "low"}, {"include_thoughts": True, "thinking_budget": 4096},
            ["effort 'low' sent as a budget of 4,096 tokens"],
        ),
        ("gemini-3-pro", {"effort": "low"}, {"include_thoughts": True, "thinking_level": "LOW"}, []),
        ("gemini-3-pro", {"on": True}, {"include_thoughts": True}, []),
        (
            "gemini-3-pro", {"budget": 8192}, {"include_thoughts": True, "thinking_level": "MEDIUM"},
            ["reasoning budget of 8,192 tokens sent as level MEDIUM"],
        ),
        ("gemini-3-pro", {"on": False}, {"thinking_level": "MINIMAL"}, ["thinking off sent as level MINIMAL"]),
        ("gemini-flash-latest", {"effort": "high"}, {"include_thoughts": True, "thinking_level": "HIGH"}, []),
    ],
)  # fmt: skip
def test_googles_models_are_told_a_number_or_a_level(
    model: str, asked: dict[str, Any], config: dict[str, Any] | None, notes: list[str]
) -> None:
    assert config_of(model, Thinking(**asked) if asked else None) == (config, notes)
