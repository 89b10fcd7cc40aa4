"""Scenes and benchmarks of the version before: read, audited, and made again under the names they had.

Which of a scene's many answers are kept was their order then, and is drawn since: `chosen_since.json` has the hashes of what is
chosen now. Questions that are chosen then and now are the same, but for the order of their options.
"""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from before.actors import FIXTURES
from before.holding import holds
from before.plans import CHOSEN, GENERATED, audit, digest
from terminal import tolman

pytest.importorskip("shapely", reason="questions are made with the extra 'build'")


SINCE: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_name("chosen_since.json").read_text(encoding="utf-8"))


def rows(benchmark: Path) -> list[dict[str, Any]]:
    """The questions of a folder."""
    (path,) = (benchmark / "data").glob("*.parquet")
    return pl.read_parquet(path).to_dicts()


def text(row: dict[str, Any]) -> dict[str, Any]:
    """What is asked, and what it is filed under."""
    return {
        name: row[name] for name in ("id", "question", "kind", "answer", "unit", "options", "task", "scene", "media")
    }


def test_scenes_are_read(place: Path) -> None:
    done = tolman(place, "scenes", "worlds", "--json", code=0)
    assert "simulated/3-0002" in done.stdout


@pytest.mark.full
@pytest.mark.parametrize("name", ["choices", "site"])
def test_the_same_command_makes_the_same_questions(place: Path, name: str) -> None:
    tolman(place, "generate", "worlds", *CHOSEN[name], "--out", f"again/{name}", code=0)
    before = {row["id"]: text(row) for row in rows(place / "benchmarks" / name)}
    again = {row["id"]: text(row) for row in rows(place / "again" / name)}
    places = ("options", "answer")  # where the right option stands is dealt out among those that are chosen
    for one in before.keys() & again.keys():
        a, b = before[one], again[one]
        assert {k: v for k, v in a.items() if k not in places} == {k: v for k, v in b.items() if k not in places}
        assert sorted(a["options"] or ()) == sorted(b["options"] or ())
    assert digest(place / "again" / name) == SINCE["chosen"][name]


@pytest.mark.parametrize(
    "name", [name if name == "mmsi" else pytest.param(name, marks=pytest.mark.full) for name in GENERATED]
)
def test_each_preset_gives_the_committed_questions(place: Path, name: str) -> None:
    tolman(place, "generate", "worlds", *GENERATED[name], "--out", f"whole/{name}", code=0)
    assert digest(place / "whole" / name) == SINCE["generated"][name]


def test_families_are_found_under_the_names_they_had(place: Path) -> None:
    """All of them by name, as scripts have them, give the questions of then."""
    provenance = json.loads((FIXTURES / "benchmarks" / "mixed" / "provenance.json").read_text())
    names = provenance["preset"]["families"]
    assert {"relative_distance", "relative-distance", "camera-object"} <= set(names)
    tolman(
        place, "generate", "worlds", *CHOSEN["paper"], "--families", ",".join(names[:8]), "--out", "named/paper", code=0
    )
    assert digest(place / "named" / "paper") == SINCE["chosen"]["paper"]


@pytest.mark.parametrize("name", ["official", "mixed"])
def test_a_published_benchmark_is_audited_as_before(place: Path, expected: dict[str, Any], name: str) -> None:
    done = tolman(place, *audit(name))
    in_doubt = any(row["in_doubt"] for row in expected["audits"][name])
    assert done.returncode == int(in_doubt), done.stderr
    # "The person" isn't found any more where the wearer with the orange helmet is in the picture too.
    assert holds(expected["audits"][name], json.loads(done.stdout)) == SINCE["audited"].get(name, [])


def test_a_published_benchmark_is_run_with_the_same_figures(place: Path) -> None:
    script = "scripted/answers/mixed.jsonl"
    done = tolman(place, "run", "./benchmarks/mixed", "--model", script, "--out", "fresh/mixed", "--json")
    assert done.returncode == 1, done.stderr  # one answer is missing
    old, new = (json.loads((place / part / "mixed" / "scores.json").read_text()) for part in ("runs", "fresh"))
    assert {"official", "careful"} & set(old["rule_sets"])
    assert holds(old | {"tolman": new["tolman"]}, new) == []
