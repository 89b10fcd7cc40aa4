"""Mapping over processes: in order, errors whole, and stopped at once."""

from __future__ import annotations

import multiprocessing
import pickle
import time
from pathlib import Path

import pytest

from tolman.errors import InputError, MissingExtraError, TolmanError
from tolman.parallel import mapped


def slow_square(number: int) -> int:
    time.sleep(0.05 * (5 - number))
    return number * number


def refuse(number: int) -> int:
    if number == 1:
        raise InputError(Path("a.csv"), "is empty", row=3, fix="fill it")
    return number


def sleep(number: int) -> int:
    if number == 0:
        raise ValueError("first")
    time.sleep(60)
    return number


@pytest.mark.parametrize("workers", [1, 2])
def test_results_come_in_order(workers: int) -> None:
    assert list(mapped(slow_square, range(5), workers)) == [0, 1, 4, 9, 16]


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_comes_whole_when_its_turn_comes(workers: int) -> None:
    results = mapped(refuse, range(4), workers)
    assert next(results) == 0
    with pytest.raises(InputError, match=r"a.csv, row 3: is empty; fill it\.") as caught:
        next(results)
    assert (caught.value.path, caught.value.row, caught.value.exit_code) == ("a.csv", 3, 2)


def test_workers_are_not_waited_for_after_an_error() -> None:
    begin = time.monotonic()
    with pytest.raises(ValueError, match="first"):
        list(mapped(sleep, range(4), 2))
    assert time.monotonic() - begin < 30
    assert not multiprocessing.active_children()


@pytest.mark.parametrize(
    "error", [InputError("f", "is bad", field="x"), MissingExtraError("p", "e", "This"), TolmanError("t")]
)
def test_every_error_can_be_copied(error: TolmanError) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error)
    assert copy.__dict__ == error.__dict__
