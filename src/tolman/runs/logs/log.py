"""Log: one task of another program's evaluation, in terms that all programs share.

A module of this package declares `LOG`, a `LogFormat`: which files it takes, and how they become Logs. A plugin adds
another program's by declaring one, another package by the entry point group `tolman.logs`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tolman.registry import Registry

FAILED_CALLS = ("Failed to obtain answer via API", "[LMMS_EVAL_REQUEST_FAILED")
"""Texts that other harnesses store in place of an answer when a call failed."""


@dataclass(frozen=True, kw_only=True)
class LogRow:
    """One question of a log. What a program doesn't write is None, or empty.

    Attributes:
        place: the row's number in its file, counted from 1, or its name there.
        id: the benchmark's own id.
        question_id: a number or name that may be the benchmark's id or another count: never taken unchecked.
        order: its position in the order of the split, from 0.
        prompt: the text that was sent, or the question with its options.
        scene: the scene or the video that the row names.
        media: names of the files that were shown.
        target: the true answer as the program writes it: 'A', '(A)', 'A. left', '2.9'.
        response: the text that came back, without reasoning that the program split off; None where there is none.
        reasoning: that reasoning.
        failure: why there is no response. Exactly one of `response` and `failure` is given.
        prediction: what the program read out of the response; '' where it read nothing.
        score: what the program gave, 0 to 1.
        frames: how many frames were shown.
        finish_reason: why the model stopped, in the program's word.
        input_tokens, output_tokens: of the call.
        repeat: 0 for the first time that the question was asked, 1 for the second …
        labels: what else the row says of its question: its type, its category.
    """

    place: int | str
    id: str | None = None
    question_id: str | None = None
    order: int | None = None
    prompt: str | None = None
    scene: str | None = None
    media: tuple[str, ...] = ()
    target: str | None = None
    response: str | None = None
    reasoning: str | None = None
    failure: str | None = None
    prediction: str | None = None
    score: float | None = None
    frames: int | None = None
    finish_reason: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    repeat: int = 0
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Log:
    """One task of one evaluation.

    Attributes:
        path: the file; of a part of an archive, the archive.
        program: who wrote it: 'lmms-eval', 'vlmevalkit', 'inspect', 'easi'.
        version: of the program; '' where the log doesn't say.
        task: the program's name of what was evaluated: 'vsibench', 'VSI-Bench_32frame'.
        model: who answered; '' where the log doesn't say.
        settings: what the log says of how it was run.
        rows: the questions; none where the file holds figures only.
        figures: the program's own figures by its own names, in its own units.
    """

    path: Path
    program: str
    version: str = ""
    task: str = ""
    model: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    rows: tuple[LogRow, ...] = ()
    figures: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class LogFormat:
    """How one program's files are read.

    Attributes:
        name: what `--format` takes.
        title: as its authors write it.
        takes: file → whether it is one of this program's, told from its name and its first rows.
        read: file → the Logs in it, in its order. Raises InputError.
    """

    name: str
    title: str
    takes: Callable[[Path], bool]
    read: Callable[[Path], list[Log]]


def _problem(thing: object) -> str:
    return "" if isinstance(thing, LogFormat) else "is no LogFormat of tolman.runs.logs.log"


REGISTRY = Registry("log format", "tolman.runs.logs", "LOG", "tolman.logs", named_by_file=False, check=_problem)


def text_or_failure(text: str | None) -> tuple[str | None, str | None]:
    """The `response` and the `failure` of a text in a log: a failed call's message and an empty text are failures."""
    if text is None or not text.strip():
        return None, "the log holds no text"
    why = failed_call(text)
    return (None, why) if why else (text, None)


def failed_call(text: str) -> str | None:
    """Why a text is no response but what a harness writes in place of one; None for all others."""
    failed = any(sign in text for sign in FAILED_CALLS)
    return f"the log records a failed call: {text.strip()[:300]}" if failed else None


def read_logs(path: Path, form: str | None = None) -> list[Log]:
    """The Logs of a file.

    Args:
        path: the file.
        form: the program's name; found out from the file where None.

    Returns:
        None or more; an empty list where no format takes the file.

    Raises:
        InputError: the file is one of the program's and can't be read.
        UsageError: no format has that name.
    """
    if form is not None:
        chosen: LogFormat = REGISTRY.get(form)
        return chosen.read(path)
    for own in REGISTRY.all().values():
        if own.takes(path):
            found: list[Log] = own.read(path)
            return found
    return []
