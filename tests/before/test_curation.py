"""A recipe that the version before carried out in part goes on: stages that are done are not done again."""

from pathlib import Path
from typing import Any

from before.plans import CURATE, digest
from terminal import tolman

STAGES = ("import", "duplicates", "classify")


def state(pool: Path) -> dict[str, tuple[int, bytes]]:
    """Which folder a stage is, and its stamp."""
    return {name: ((pool / name).stat().st_ino, (pool / name / "stage.json").read_bytes()) for name in STAGES}


def test_a_recipe_goes_on_after_the_stages_that_are_done(place: Path, expected: dict[str, Any]) -> None:
    pool = place / "curation" / "pool"
    # Another version does the stages again. Nothing answers for the model that sorted the questions: the store does.
    tolman(place / "curation", *CURATE, code=0)
    before = state(pool)
    tolman(place / "curation", *CURATE, code=0)
    assert state(pool) == before
    assert digest(pool / "benchmark") == expected["curated"]


def test_a_stage_that_is_done_again_finds_its_answers(place: Path, expected: dict[str, Any]) -> None:
    command = [part if part != "pool" else "fresh" for part in CURATE]
    tolman(place / "curation", *command, code=0)
    assert digest(place / "curation" / "fresh" / "benchmark") == expected["curated"]
