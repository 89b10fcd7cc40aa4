"""The four papers that Tolman rebuilds: Thinking in Space (VSI-Bench), MMSI-Bench, SITE and SpatialBench.

Each is a file of the folder `rebuilt`, which lists its tables and figures of results. A step's other keys are those of
its class.
"""

from __future__ import annotations

from pathlib import Path

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
from tolman.toml_catalogue import read_table, with_tuples

_STEPS: dict[str, type[Step]] = {
    "figure": Drawing,
    "scores": ScoreTable,
    "facts": FactTable,
    "diversity": DiversityTable,
    "subset": SubsetTable,
    "correlation": CorrelationTable,
}


def _paper(name: str) -> Paper:
    _, table = read_table(Path(__file__).with_name("rebuilt") / f"{name}.toml")
    content = with_tuples(table)
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


PAPERS = tuple(map(_paper, ("vsi-bench", "mmsi-bench", "site", "spatialbench")))
