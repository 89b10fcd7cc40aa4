"""Response stores: counting, deleting and writing out the answers that models gave."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tolman.errors import UsageError
from tolman.workflows.config import Setting
from tolman.workflows.settings import StorePlace

DAY = 86_400
"""Seconds."""


@dataclass(frozen=True, kw_only=True)
class StoreShowConfig:
    """Which store is shown."""

    store: StorePlace = None


@dataclass(frozen=True, kw_only=True)
class StorePruneConfig:
    """Which answers are deleted."""

    store: StorePlace = None
    model: Annotated[str | None, Setting("Name of the model whose answers are deleted. Default: all models.")] = None
    older_than: Annotated[
        float | None, Setting("Least age of answers that are deleted, days, from 0. Default: any age.", least=0)
    ] = None
    everything: Annotated[bool, Setting("Delete all answers.", option="--all")] = False


@dataclass(frozen=True, kw_only=True)
class StoreExportConfig:
    """Which store is written out, and where."""

    out: Annotated[Path, Setting("JSONL file to write.", positional=True)]
    store: StorePlace = None


@dataclass(frozen=True)
class StoredModel:
    """A model's answers in a store.

    Attributes:
        model: its name.
        answers: how many.
        first, last: when they came, seconds since 1970.
    """

    model: str
    answers: int
    first: float
    last: float


@dataclass(frozen=True)
class StoreSummary:
    """What a store holds.

    Attributes:
        place: its file, or its database without the password.
        size: bytes of the file, or of the table.
        models: by name.
    """

    place: str
    size: int
    models: tuple[StoredModel, ...]


def summarize_store(config: StoreShowConfig) -> StoreSummary:
    """Count the answers of each model.

    Raises:
        InputError: there is no store, or a damaged one.
    """
    from tolman.runs.store import open_store

    store = open_store(config.store, existing=True)
    try:
        rows = store.summary()
        size = store.size()
    finally:
        store.close()
    return StoreSummary(store.place, size, tuple(StoredModel(*row) for row in rows))


def prune_store(config: StorePruneConfig) -> int:
    """Delete answers, so that they are asked for again; how many.

    Raises:
        UsageError: nothing says which.
        InputError: there is no store, or a damaged one.
    """
    import time

    from tolman.runs.store import open_store

    if not (config.model or config.older_than is not None or config.everything):
        raise UsageError("say which answers: --model NAME, --older-than DAYS, or --all.")
    before = None if config.older_than is None else time.time() - DAY * config.older_than
    store = open_store(config.store, existing=True)
    try:
        return store.prune(model=config.model, before=before)
    finally:
        store.close()


def export_store(config: StoreExportConfig) -> int:
    """Write all answers with their requests as JSONL, whole or not at all; how many.

    Raises:
        InputError: there is no store, or a damaged one.
    """
    from tolman.files import atomic_write
    from tolman.runs.store import open_store

    store = open_store(config.store, existing=True)
    count = 0
    try:
        with atomic_write(config.out) as partial, partial.open("w", encoding="utf-8") as file:
            for row in store.export():
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
                count += 1
    finally:
        store.close()
    return count
