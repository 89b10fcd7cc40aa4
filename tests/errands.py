"""Functions that tests have carried out by workers, which import them by their names."""

import os
import time
from pathlib import Path

from tolman.errors import InputError


def slow_square(number: int) -> int:
    time.sleep(0.05 * (5 - number))
    return number * number


def square(number: int) -> int:
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


def note_and_sleep(place: str) -> None:
    Path(place).write_text(str(os.getpid()))
    time.sleep(60)


def die_first(argument: tuple[str, int]) -> int:
    """End this process without a word, so many times for each place."""
    place, times = argument
    tries = Path(place)
    with tries.open("a") as file:
        file.write("x")
    if len(tries.read_text()) <= times:
        os._exit(1)
    return times


def read_relative(name: str) -> str:
    return Path(name).read_text(encoding="utf-8")
