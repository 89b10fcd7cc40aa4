"""What tokens cost."""

import json
from pathlib import Path

import pytest

from tolman.errors import InputError
from tolman.responses import Usage
from tolman.runs.prices import Price, read_price

USAGE = Usage(input_tokens=1000, cached_tokens=600, output_tokens=100, reasoning_tokens=90)


def test_cached_tokens_have_a_price_of_their_own_where_it_is_known(tmp_path: Path) -> None:
    path = tmp_path / "prices.json"
    path.write_text(json.dumps({"a": {"input": 2, "output": 10}, "b": {"input": 2, "output": 10, "cached": 0.5}}))
    assert read_price(path, "a").cost(USAGE) == pytest.approx((2 * 1000 + 10 * 100) / 1e6)
    assert read_price(path, "b").cost(USAGE) == pytest.approx((2 * 400 + 0.5 * 600 + 10 * 100) / 1e6)


def test_more_cached_tokens_than_there_are_cost_no_less_than_nothing() -> None:
    assert Price(2, 10, 0.5).cost(Usage(input_tokens=10, cached_tokens=50)) == pytest.approx(0.5 * 10 / 1e6)


@pytest.mark.parametrize("entry", [{"input": 2}, {"input": 2, "output": 10, "cached": "cheap"}, [2, 10], None])
def test_a_price_that_cannot_be_read_is_told(tmp_path: Path, entry: object) -> None:
    path = tmp_path / "prices.json"
    path.write_text(json.dumps({"a": entry}))
    with pytest.raises(InputError, match="has no price for a"):
        read_price(path, "a")


@pytest.mark.parametrize("name", ["outptu", "reasoning"])
def test_an_unknown_key_is_told_with_the_known_ones(tmp_path: Path, name: str) -> None:
    path = tmp_path / "prices.json"
    path.write_text(json.dumps({"a": {"input": 2, name: 10} | ({"output": 10} if name == "reasoning" else {})}))
    with pytest.raises(InputError, match=rf"has the unknown key '{name}' for a; use input, output, cached"):
        read_price(path, "a")


@pytest.mark.parametrize("name", ["input", "output", "cached"])
@pytest.mark.parametrize("value", [-1, float("nan"), float("inf"), "-inf", "nan"])
def test_a_price_that_is_no_finite_number_from_0_is_refused(tmp_path: Path, name: str, value: object) -> None:
    path = tmp_path / "prices.json"
    path.write_text(json.dumps({"a": {"input": 2, "output": 10, name: value}}))
    sentence = rf"prices.json, field '{name}': has the price .* for a; write a finite number from 0"
    with pytest.raises(InputError, match=sentence):
        read_price(path, "a")
