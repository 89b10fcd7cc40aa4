"""SpatialBench: its tables and figures of results."""

from tolman.benchmarks.spatialbench.taxonomy import LEVELS
from tolman.workflows.papers import Drawing, Paper, PaperPart, ScoreTable

_RUN = "tolman run spatialbench --model MODEL"
_CASES = "cases are shown by the page of a run: tolman report RUNS --out report.html"

PAPER = Paper(
    name="spatialbench",
    title="SpatialBench: Benchmarking Multimodal Large Language Models for Spatial Cognition",
    benchmark="spatialbench",
    parts=(
        PaperPart(
            "Figure 4",
            "Statistics of the benchmark",
            (
                Drawing("benchmark", {"by": ("task", "level", "scene_type")}, of_questions=True),
                Drawing("cross", {"by": ("level", "scene_type")}, of_questions=True),
            ),
            command=_RUN,
        ),
        PaperPart(
            "Table 1",
            "Models by task and level, with the capability score",
            (ScoreTable(("Table 1",)),),
            command=_RUN,
            protocols=("direct",),
        ),
        PaperPart(
            "Figure 5",
            "Models by cognitive level",
            (Drawing("bars", {"columns": tuple(LEVELS)}),),
            command=_RUN,
            protocols=("direct",),
        ),
        PaperPart(
            "Table 2",
            "With one solved example before the question",
            (ScoreTable(("Table 1", "Table 2 (HTML version)")), Drawing("deltas")),
            command=f"{_RUN}, and {_RUN} --protocol one-shot",
            protocols=("direct", "one-shot"),
            least=2,
        ),
        PaperPart(
            "Table 3",
            "People beside models",
            (ScoreTable(("Table 3",)),),
            command=f"answers of people: tolman review spatialbench, then --runs FOLDER of the same; or {_RUN}",
            protocols=("direct",),
        ),
        PaperPart("Figures 6 to 9", "Reasoning of models and people, and cases", instead=_CASES),
    ),
)
