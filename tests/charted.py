"""Runs of VSI-Bench's question types with answers made by hand, for figures and papers."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tolman import benchmarks
from tolman.benchmarks.spec import BenchmarkSpec
from tolman.item_table import data_hash
from tolman.items import Item
from tolman.responses import Outcome, Response, Usage
from tolman.runs.run_folder import RunFolder, RunRecord, RunSettings
from tolman.runs.run_scoring import score_run

DIRECTIONS = ("left", "right", "back")


def questions() -> list[Item]:
    """48 questions of 12 scenes: counts, distances, directions and routes."""
    found = []
    for n in range(12):
        common: dict[str, Any] = {"scene": f"s{n}", "labels": {"dataset": ("scannet", "arkitscenes")[n % 2]}}
        found += [
            Item(id=f"c{n}", question="How many?", kind="number", answer=str(2 + n % 5), task="object_counting", **common),
            Item(
                id=f"d{n}", question="How far?", kind="number", answer=f"{1 + n / 4:.1f}", unit="m",
                task="object_abs_distance", **common,
            ),
            Item(
                id=f"r{n}", question="Where?", kind="choice", answer="ABC"[n % 3], options=DIRECTIONS,
                task="object_rel_direction_medium", **common,
            ),
            Item(
                id=f"p{n}", question="Which way?", kind="choice", answer="ABCD"[n % 4],
                options=("Turn left", "Turn right", "Turn back", f"Stay at {n}"), task="route_planning", **common,
            ),
        ]  # fmt: skip
    return found


def answered(items: Sequence[Item], **wrong: str) -> list[Outcome]:
    """Right answers, but for items whose ids are named."""
    return [
        Response(
            id=item.id, response=wrong.get(item.id, item.answer), usage=Usage(input_tokens=90, output_tokens=10),
            seconds=2.0,
        )
        for item in items
    ]  # fmt: skip


def make_run(
    place: Path,
    outcomes: Sequence[Outcome],
    changes: Mapping[str, Any] | None = None,
    items: Sequence[Item] | None = None,
    subset_items: int | None = None,
    *,
    spec: BenchmarkSpec | None = None,
    metrics: Sequence[str] = (),
    **record: bool,
) -> Path:
    """The folder of a scored run.

    Args:
        place: the folder.
        outcomes: what came back.
        changes: settings that differ from those of a direct run on VSI-Bench, or of one by a benchmark's first preset.
        items: the questions; those of `questions` where None.
        subset_items: how many the subset has, as the run says; as many as there are where None.
        spec: by which it is scored; the named benchmark where None.
        metrics: further ones.
        record: what else the run's record says.
    """
    items = questions() if items is None else items
    changes = {"benchmark": "vsi-bench", **(changes or {})}
    spec = spec or benchmarks.get(changes["benchmark"])
    settings = RunSettings.model_validate(
        {
            "subset": next(iter(spec.subsets)), "data_hash": data_hash(items), "model": f"my/{place.name}",
            "protocol": "direct", "preset": spec.presets[0].name, **changes,
        }
    )  # fmt: skip
    made = RunRecord(settings=settings, subset_items=subset_items or len(items), data="here", **record)
    folder = RunFolder(place)
    folder.start(made)
    folder.write_items(list(items))
    folder.write_outcomes(outcomes)
    score_run(folder, spec, made, items, list(outcomes), metrics=metrics)
    return place
