"""Results as JSON can hold them."""

import json
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tolman.features.analyses import to_plain
from tolman.scoring.intervals import Interval


@dataclass(frozen=True)
class Found:
    interval: Interval | None
    values: np.ndarray
    rows: pl.DataFrame
    place: Path
    names: frozenset[str]
    by_number: dict[int, float]
    none: float


def test_a_result_as_json_can_hold_it() -> None:
    found = Found(
        Interval(0.5, 1.0), np.array([[1, 2], [3, 4]]), pl.DataFrame({"id": ["a"], "score": [None]}), Path("x/y"),
        frozenset({"b", "a"}), {4: np.float64(0.25)}, math.nan,
    )  # fmt: skip
    held = {
        "interval": {"low": 0.5, "high": 1.0}, "values": [[1, 2], [3, 4]], "rows": [{"id": "a", "score": None}],
        "place": "x/y", "names": ["a", "b"], "by_number": {"4": 0.25}, "none": None,
    }  # fmt: skip
    assert json.loads(json.dumps(to_plain([found, (np.bool_(True), pl.Series([1]))]), allow_nan=False)) == [
        held,
        [True, [1]],
    ]


def test_what_json_can_not_hold_is_told() -> None:
    with pytest.raises(TypeError, match="object can't be written as JSON; give the analysis a to_json function"):
        to_plain({"a": object()})
