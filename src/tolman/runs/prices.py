"""What tokens cost, from a file of the user's."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from tolman.errors import InputError


@dataclass(frozen=True)
class Price:
    """Of a million tokens, in whatever currency the file is in."""

    input: float
    output: float

    def cost(self, input_tokens: int, output_tokens: int) -> float:
        """Of some tokens."""
        return (self.input * input_tokens + self.output * output_tokens) / 1e6


def read_price(path: Path, model: str) -> Price:
    """A model's price in a JSON file: {"openai/NAME": {"input": 2.5, "output": 10}}, for a million tokens each.

    Raises:
        InputError: the file has no price for the model.
    """
    try:
        entry = json.loads(path.read_text(encoding="utf-8"))[model]
        return Price(float(entry["input"]), float(entry["output"]))
    except OSError as error:
        raise InputError(path, error.strerror or "can't be read") from None
    except (ValueError, KeyError, TypeError):
        fix = f'write {{"{model}": {{"input": 2.5, "output": 10}}}}, prices of a million tokens'
        raise InputError(path, f"has no price for {model}", fix=fix) from None
