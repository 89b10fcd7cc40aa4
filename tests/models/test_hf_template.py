"""What chat templates are told of reasoning, under the names that each reads."""

import pytest

from tolman.messages import Thinking
from tolman.models.hf_network import NO_EFFORT, NO_SWITCH, arguments_of, not_told, variables_of

QWEN = "{% if enable_thinking is defined and enable_thinking is false %}<think>\n\n</think>{% endif %}"
GRANITE = "{%- if not thinking is defined %}{%- set thinking = false %}{%- endif %}{% if thinking %}Think.{% endif %}"
GPT_OSS = "{{- 'Reasoning: ' + reasoning_effort + '\\n' }}"
NEITHER = "thinking {# thinking #}{{ message.thinking }}{{ 'enable_thinking' }}{{ message['thinking'] }}"


@pytest.mark.parametrize(
    ("template", "read"),
    [
        (QWEN, {"enable_thinking"}),
        (GRANITE, {"thinking"}),
        (GPT_OSS, {"reasoning_effort"}),
        (QWEN + GRANITE + GPT_OSS, {"enable_thinking", "thinking", "reasoning_effort"}),
        (NEITHER, set()),
        (None, set()),
    ],
)
def test_a_template_reads_what_its_code_names(template: str | None, read: set[str]) -> None:
    assert variables_of(template) == read


@pytest.mark.parametrize(
    ("template", "asked", "told", "notes"),
    [
        (QWEN, {"on": False}, {"enable_thinking": False}, []),
        (GRANITE, {"on": False}, {"thinking": False}, []),
        (GRANITE, {"budget": 2048}, {"thinking": True}, []),
        (GRANITE, {"effort": "high"}, {"thinking": True}, [NO_EFFORT]),
        (GRANITE, {"effort": "none"}, {"thinking": False}, []),
        (GPT_OSS, {"effort": "high"}, {"reasoning_effort": "high"}, []),
        (GPT_OSS, {"on": True}, {}, [NO_SWITCH]),
        (NEITHER, {"effort": "high"}, {}, [NO_SWITCH, NO_EFFORT]),
        (GRANITE, None, {}, []),
    ],
)
def test_a_template_is_told_what_it_reads_and_the_rest_is_noted(
    template: str, asked: dict[str, object] | None, told: dict[str, object], notes: list[str]
) -> None:
    thinking = None if asked is None else Thinking.model_validate(asked)
    assert arguments_of(template, thinking) == told
    assert not_told(template, thinking) == notes
