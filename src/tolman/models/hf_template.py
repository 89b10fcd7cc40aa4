"""What a chat template can be told of reasoning: its switch, under either name, and the word for how much.

| argument | templates |
|---|---|
| `enable_thinking` | Qwen3 and Qwen3.5, GLM-4.5, Gemma 4 |
| `thinking` | Granite, DeepSeek, Kimi |
| `reasoning_effort` | gpt-oss |

A template ignores what it doesn't know, so nothing else tells that an argument did nothing.
"""

from __future__ import annotations

import re

from tolman.messages import Thinking

SWITCHES = ("enable_thinking", "thinking")
EFFORT = "reasoning_effort"
NO_SWITCH = "reasoning as the network does it by itself: its chat template has no switch"
NO_EFFORT = "effort not told: the network's chat template has no such setting"
"""Notes of responses."""
_CODE = re.compile(r"\{[{%](.*?)[%}]\}", re.DOTALL)
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")


def variables_of(template: object) -> frozenset[str]:
    """Which of the arguments above a chat template reads.

    Args:
        template: its text; None where a checkpoint has none.
    """
    code = _QUOTED.sub("", " ; ".join(_CODE.findall(str(template or ""))))
    return frozenset(name for name in (*SWITCHES, EFFORT) if re.search(rf"(?<![.\w]){name}\b", code))


def arguments_of(template: object, asked: Thinking | None) -> dict[str, bool | str]:
    """The arguments that tell a template how much the network is to reason, of those that it reads."""
    if asked is None or asked.wanted is None:
        return {}
    known = variables_of(template)
    found: dict[str, bool | str] = {name: asked.wanted for name in SWITCHES if name in known}
    if EFFORT in known and asked.effort not in (None, "none"):
        found[EFFORT] = str(asked.effort)
    return found


def not_told(template: object, asked: Thinking | None) -> list[str]:
    """Notes on what of the settings of reasoning a template has no place for."""
    if asked is None:
        return []
    told = arguments_of(template, asked)
    notes = [] if told or asked.wanted is None else [NO_SWITCH]
    return notes + ([NO_EFFORT] if asked.effort not in (None, "none") and EFFORT not in told else [])
