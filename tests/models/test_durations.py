"""Durations, as people and endpoints write them."""

import pytest

from tolman.models.pacing import in_words, seconds_of


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90", 90), ("90s", 90), ("20m", 1200), ("2h", 7200), ("6m0s", 360), ("12ms", 0.012), ("1h30m", 5400),
        ("1.5s", 1.5), ("1m 5s", 65), ("1d2h", 93600), ("20 min", 1200), ("0", 0),
        ("soon", None), ("", None), ("-5", None), ("5x", None), ("m5", None), ("inf", None), ("nan", None),
    ],
)  # fmt: skip
def test_durations_are_read(text: str, seconds: float | None) -> None:
    found = seconds_of(text)
    assert found is None if seconds is None else found == pytest.approx(seconds)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.5, "0.5 s"), (1, "1 s"), (31.2, "31 s"), (119, "119 s"), (1200, "20 min"), (3600, "1 h"), (5400, "1 h 30 min")],
)
def test_durations_are_written(seconds: float, text: str) -> None:
    assert in_words(seconds) == text
