"""SITE: its tables and figures of results."""

from tolman.workflows.papers import Drawing, FactTable, Paper, PaperPart, ScoreTable

_RUN = "tolman run site --model MODEL"
_SAMPLES = "questions are shown by the page of a run: tolman report RUNS --out report.html"
_ROBOTS = (
    "its results on LIBERO-Spatial come from fine-tuning on robots' trajectories, which Tolman doesn't do; give yours "
    "as a CSV with a row for each model: --downstream FILE"
)
_SCATTER = Drawing("scatter", {}, {"table": "downstream"})

PAPER = Paper(
    name="site",
    title="SITE: towards Spatial Intelligence Thorough Evaluation",
    benchmark="site",
    parts=(
        PaperPart("Table 1", "Comparison with similar benchmarks", instead="other papers' facts, no result of a run"),
        PaperPart("Table 2", "Statistics of the benchmark", (FactTable(),), command=_RUN),
        PaperPart(
            "Table 3",
            "View association and frames reordering, ego to exo and back",
            (ScoreTable(("-",), by=("family", "dataset")),),
            printed=("Table 3",),
            command=f"{_RUN}; or generate such questions of your own: tolman generate SCENES --preset site",
            protocols=("direct",),
        ),
        PaperPart(
            "Table 4",
            "Models by category, chance-adjusted accuracy",
            (ScoreTable(("Table 4",)), Drawing("bars")),
            command=_RUN,
            protocols=("direct",),
        ),
        PaperPart(
            "Tables 5 and 6",
            "Correlation with manipulation by robots",
            (_SCATTER,),
            printed=("Table 5", "Table 6"),
            command=_ROBOTS,
            protocols=("direct",),
        ),
        PaperPart(
            "Figure 4",
            "Questions by the three systems of cognitive science",
            (
                Drawing(
                    "benchmark",
                    {"by": ("scale", "factor", "information", "change")},
                    of_questions=True,
                ),
            ),
            command="questions that carry these labels: tolman generate SCENES, or tolman curate classify FOLDER",
        ),
        PaperPart("Figures 5 and 6", "Samples of each category", instead=_SAMPLES),
        PaperPart(
            "Figure 7a",
            "Models by category at a glance",
            (Drawing("radar"),),
            command=_RUN,
            protocols=("direct",),
        ),
        PaperPart(
            "Figure 7b",
            "Questions by category",
            (Drawing("benchmark", {"by": ("task",)}, of_questions=True),),
            command=f"{_RUN}; --before FOLDER counts those before balancing beside",
        ),
        PaperPart("Figure 8", "A question about the order of frames", instead=_SAMPLES),
    ),
)
