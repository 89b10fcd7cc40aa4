"""Fixtures that many tests share."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from dialogues import Talk
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


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    """A folder in which items are put to a loopback server, with two images in it."""
    pillow = pytest.importorskip("PIL.Image", reason="images need the extra 'video'")
    for name, colour in (("a.jpg", "red"), ("b.jpg", "blue")):
        pillow.new("RGB", (32, 24), colour).save(tmp_path / name)
    return Talk(tmp_path)


@pytest.fixture
def direction(choice: Callable[..., Item]) -> Item:
    """A question of VSI-Bench about one image."""
    return choice(
        "front-left", "back-right", "back-left", "front-right", answer="C", id="7", task="object_rel_direction_hard",
        scene="d/s", media=[{"kind": "image", "path": "a.jpg"}],
        question="If I am standing by the stove and facing the sofa, is the tv to my front-left, front-right, back-left, "
        "or back-right?\nThe directions refer to the quadrants of a Cartesian plane (if I am standing at the origin and "
        "facing along the positive y-axis).",
    )  # fmt: skip
