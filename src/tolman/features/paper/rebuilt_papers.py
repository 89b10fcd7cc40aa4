"""The four papers that Tolman rebuilds: Thinking in Space (VSI-Bench), MMSI-Bench, SITE and SpatialBench.

Each is a file of the folder `rebuilt`, which lists its tables and figures of results. A step's other keys are those of
its class.
"""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any

from tolman.features.paper import (
    CorrelationTable,
    DiversityTable,
    Drawing,
    FactTable,
    Paper,
    PaperPart,
    RunNeed,
    ScoreTable,
    Step,
    SubsetTable,
)

_STEPS: dict[str, type[Step]] = {
    "figure": Drawing,
    "scores": ScoreTable,
    "facts": FactTable,
    "diversity": DiversityTable,
    "subset": SubsetTable,
    "correlation": CorrelationTable,
}


def _paper(name: str) -> Paper:
    text = files("tolman.features.paper").joinpath("rebuilt", f"{name}.toml").read_text(encoding="utf-8")
    content = _with_tuples(tomllib.loads(text))
    parts = tuple(
        PaperPart(
            **part
            | {
                "steps": tuple(_STEPS[step.pop("step")](**step) for step in part.get("steps", ())),
                "needs": tuple(RunNeed(**need) for need in part.get("needs", ())),
            }
        )
        for part in content["parts"]
    )
    return Paper(name, content["title"], content["benchmark"], parts)


def _with_tuples(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _with_tuples(part) for key, part in value.items()}
    return tuple(map(_with_tuples, value)) if isinstance(value, list) else value


PAPERS = tuple(map(_paper, ("vsi-bench", "mmsi-bench", "site", "spatialbench")))
