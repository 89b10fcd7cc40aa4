"""MMSI-Bench: its tables and figures of results."""

from tolman.workflows.papers import DiversityTable, Drawing, FactTable, Paper, PaperPart, ScoreTable

_RUN = "tolman run mmsi-bench --model MODEL"
_SAMPLES = "questions and reasoning are shown by the page of a run: tolman report RUNS --out report.html"
_PROMPTED = ("direct", "cot", "joined", "correspondence")

PAPER = Paper(
    name="mmsi-bench",
    title="MMSI-Bench: A Benchmark for Multi-Image Spatial Intelligence",
    benchmark="mmsi-bench",
    parts=(
        PaperPart("Figure 2", "Samples of each category", instead=_SAMPLES),
        PaperPart(
            "Figure 3",
            "Questions by category",
            (Drawing("benchmark", {"by": ("task",)}, of_questions=True),),
            command=_RUN,
        ),
        PaperPart("Table 2", "Statistics of the benchmark", (FactTable(),), command=_RUN),
        PaperPart(
            "Table 3",
            "Models, chance and people by category",
            (ScoreTable(("Table 3",)), Drawing("bars")),
            command=f"{_RUN}, and {_RUN} --protocol blind",
            protocols=("direct", "blind"),
        ),
        PaperPart(
            "Table 4",
            "Models tuned on spatial data",
            (ScoreTable(("Table 4",)),),
            command=_RUN,
            protocols=("direct",),
        ),
        PaperPart(
            "Figure 5",
            "Linguistic and visual prompting less the direct question",
            (Drawing("deltas"),),
            command=f"{_RUN} --protocol cot (also joined and correspondence)",
            protocols=_PROMPTED,
            least=2,
        ),
        PaperPart("Figure 6", "The four types of errors", instead=_SAMPLES),
        PaperPart(
            "Figure 7",
            "Types of errors and correct reasoning",
            (Drawing("errors", {"taxonomy": "mmsi"}, {"labels": "labels"}),),
            printed=("section 5.2",),
            command=(
                f"{_RUN} --protocol cot; tolman analyze errors RUN --judge JUDGE; then give --labels "
                "errors/labels.jsonl"
            ),
        ),
        PaperPart("Table 5", "Comparison with similar benchmarks", instead="other papers' facts, no result of a run"),
        PaperPart(
            "Table 6", "Diversity of the questions' wording", (DiversityTable(),), command=_RUN, printed=("Table 6",)
        ),
        PaperPart(
            "Figures 8 to 11",
            "Pictures with lines between matching points",
            instead="made by a protocol: tolman run mmsi-bench --protocol correspondence",
        ),
        PaperPart(
            "Table 10",
            "Prompting techniques by category",
            (ScoreTable(("Table 10",)),),
            command=f"{_RUN} --protocol cot (also joined and correspondence)",
            protocols=_PROMPTED,
            least=2,
        ),
        PaperPart(
            "Table 11",
            "Correlation with embodied tasks",
            (Drawing("scatter", {}, {"table": "downstream"}),),
            printed=("Table 11",),
            command=(
                "its results on EmbodiedBench come from simulated robots, which Tolman doesn't run; give yours as a "
                "CSV with a row for each model: --downstream FILE"
            ),
            protocols=("direct",),
        ),
        PaperPart(
            "Appendix F.6",
            "Scores by difficulty",
            (ScoreTable(("-",), by=("difficulty",)), Drawing("dots", {"by": ("difficulty",)})),
            command=f"{_RUN}, with the released difficulty, or tiers from people's times: tolman analyze humans RUNS",
            protocols=("direct",),
        ),
        PaperPart(
            "Appendix F.7",
            "Sources of each category",
            (Drawing("cross", {"by": ("task", "source")}, of_questions=True),),
            command="questions that carry a label 'source' or 'dataset'; the released ones don't",
        ),
        PaperPart("Figures 14 to 28", "Samples and cases of errors", instead=_SAMPLES),
    ),
)
