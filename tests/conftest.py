"""Fixtures that many tests share."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tolman.items import Item

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("TOLMAN_SHARED", ROOT.parent / "shared"))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data; tests that need it are skipped where it is absent."""
    folder = SHARED / "data"
    if not folder.is_dir():
        pytest.skip(f"no real data at {folder} (set TOLMAN_SHARED)")
    return folder


@pytest.fixture
def choice() -> Callable[..., Item]:
    """Make a multiple-choice item."""

    def make(
        *options: str, answer: str = "A", id: str = "1", task: str = "t", scene: str | None = None, **rest: object
    ) -> Item:
        texts = options or ("chair", "table", "sofa", "lamp")
        return Item.model_validate(
            {
                "id": id,
                "question": "Which?",
                "kind": "choice",
                "answer": answer,
                "options": texts,
                "task": task,
                "scene": scene,
                **rest,
            }
        )

    return make


@pytest.fixture
def number() -> Callable[..., Item]:
    """Make a numerical item."""

    def make(answer: str = "2", unit: str = "count", id: str = "1", task: str = "n", scene: str | None = None) -> Item:
        return Item.model_validate(
            {
                "id": id,
                "question": "How many?",
                "kind": "number",
                "answer": answer,
                "unit": unit,
                "task": task,
                "scene": scene,
            }
        )

    return make
