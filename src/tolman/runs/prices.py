"""What tokens cost, from a file of the user's."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from tolman.errors import InputError
from tolman.responses import Usage


@dataclass(frozen=True)
class Price:
    """Of a million tokens, in whatever currency the file is in.

    Attributes:
        input, output: of tokens that are read and written; reasoning is written.
        cached: of tokens read that the endpoint had from earlier calls; None where it isn't known.
    """

    input: float
    output: float
    cached: float | None = None

    def cost(self, usage: Usage) -> float:
        """Of a call's tokens; those that the endpoint had cached cost as much as others where no price of theirs is
        known."""
        price = self.input if self.cached is None else self.cached
        cached = min(usage.cached_tokens, usage.input_tokens)
        new = usage.input_tokens - cached
        return (self.input * new + price * cached + self.output * usage.output_tokens) / 1e6


def read_price(path: Path, model: str) -> Price:
    """A model's price in a JSON file: {"openai/NAME": {"input": 2.5, "output": 10, "cached": 0.25}}, of a million
    tokens each; `cached` may be left out.

    Raises:
        InputError: the file has no price for the model.
    """
    try:
        entry = json.loads(path.read_text(encoding="utf-8"))[model]
        cached = entry.get("cached")
        return Price(float(entry["input"]), float(entry["output"]), None if cached is None else float(cached))
    except OSError as error:
        raise InputError(path, error.strerror or "can't be read") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        fix = f'write {{"{model}": {{"input": 2.5, "output": 10}}}}, prices of a million tokens'
        raise InputError(path, f"has no price for {model}", fix=fix) from None
