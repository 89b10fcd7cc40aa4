"""The four papers that Tolman rebuilds: Thinking in Space (VSI-Bench), MMSI-Bench, SITE and SpatialBench.

Each lists its tables and figures of results.
"""

from __future__ import annotations

from tolman.benchmarks.spatialbench.spatialbench_rows import LEVELS
from tolman.features.paper import (
    CorrelationTable,
    DiversityTable,
    Drawing,
    FactTable,
    Paper,
    PaperPart,
    RunNeed,
    ScoreTable,
    SubsetTable,
)

_VSI_RUN = "tolman run vsi-bench --model MODEL"
_VSI_DIRECT = RunNeed("direct", essential=True)
_VSI_MAPS = "tolman run vsi-bench --model MODEL --protocol cognitive-map --map-categories scene --scenes SCENES"
_VSI_CASES = "cases are shown by the page of a run: tolman report RUNS --out report.html"

VSI_BENCH_PAPER = Paper(
    name="vsi-bench",
    title="Thinking in Space: How Multimodal Large Language Models See, Remember, and Recall Spaces",
    benchmark="vsi-bench",
    parts=(
        PaperPart(
            "Figure 4",
            "Statistics of the benchmark",
            (
                Drawing("benchmark", {"by": ("task", "dataset")}, of_questions=True),
                Drawing("cross", {"by": ("task", "dataset")}, of_questions=True),
            ),
            command=_VSI_RUN,
        ),
        PaperPart(
            "Figure 5",
            "Models, chance and people by task",
            (ScoreTable(("Figure 5",)), Drawing("bars")),
            command=_VSI_RUN,
            protocols=("direct",),
        ),
        PaperPart("Figure 6", "Self-explanations of a right and a wrong answer", instead=_VSI_CASES),
        PaperPart(
            "Figure 7",
            "Types of errors, found by people",
            (Drawing("errors", {"taxonomy": "vsi", "among_errors": True}, {"labels": "labels"}),),
            printed=("Figure 7",),
            command=(
                "tolman run vsi-bench --subset tiny --model MODEL --protocol self-explanation; label its reasoning "
                "with 'tolman review vsi-bench --errors-of RUN', or 'tolman analyze errors RUN --judge JUDGE'; then "
                "give --labels FILE"
            ),
        ),
        PaperPart(
            "Figure 8",
            "Linguistic prompting less the direct question",
            (Drawing("deltas"),),
            command=f"{_VSI_RUN} --protocol cot (also self-consistency and tree-of-thoughts)",
            protocols=("direct", "cot", "self-consistency", "tree-of-thoughts"),
            least=2,
            needs=(_VSI_DIRECT, RunNeed("cot"), RunNeed("self-consistency"), RunNeed("tree-of-thoughts")),
        ),
        PaperPart(
            "Table 1",
            "Chain of thought on VideoMME",
            instead="a control on a benchmark of general video understanding, whose questions Tolman doesn't hold",
        ),
        PaperPart(
            "Figures 9 and 19",
            "Cognitive maps next to the true ones",
            (Drawing("maps", {}, {"scenes": "scenes"}),),
            command=_VSI_MAPS,
            protocols=("cognitive-map",),
            grids=(10,),
        ),
        PaperPart(
            "Figure 10 and Table 4",
            "Locality of cognitive maps",
            (Drawing("locality", {}, {"scenes": "scenes"}),),
            printed=("Table 4",),
            command=_VSI_MAPS,
            protocols=("cognitive-map",),
            grids=(10,),
        ),
        PaperPart(
            "Tables 2 and 5",
            "Relative distance with and without a cognitive map, also by the size of its grid",
            (ScoreTable(("Table 5",)),),
            command=(
                f"{_VSI_RUN} --tasks object_rel_distance, "
                "and the same with --protocol cognitive-map, --protocol true-map "
                "and --grid 20"
            ),
            protocols=("direct", "cognitive-map", "true-map", "true-map+blind"),
            least=2,
            needs=(
                RunNeed("direct"),
                *(RunNeed(protocol, grid) for protocol in ("cognitive-map", "true-map") for grid in (10, 20)),
            ),
            grids=(10, 20),
            tasks=("object_rel_distance",),
        ),
        PaperPart(
            "Figure 11",
            "Score over the number of frames",
            (Drawing("curve", {"over": "frames"}),),
            command=f"{_VSI_RUN} --frames 4,8,16,32,64",
            protocols=("direct",),
            sweeps=True,
        ),
        PaperPart(
            "Figure 12 and Table 13",
            "With vision less without, and without less chance",
            (Drawing("deltas", {"chance": "best-constant"}, {}),),
            command=f"{_VSI_RUN}, and {_VSI_RUN} --protocol blind",
            protocols=("direct", "blind"),
            least=2,
        ),
        PaperPart(
            "Table 6",
            "Socratic: answers from captions",
            (ScoreTable(("Table 6",)),),
            command=f"{_VSI_RUN} --protocol caption-then-answer --captioner CAPTIONER, and {_VSI_RUN} --protocol blind",
            protocols=("direct", "caption-then-answer", "blind"),
            least=2,
            needs=(RunNeed("caption-then-answer", essential=True), RunNeed("direct"), RunNeed("blind")),
        ),
        PaperPart(
            "Table 7",
            "Question first, and videos shown twice",
            (ScoreTable(("-",)), Drawing("deltas")),
            command=f"{_VSI_RUN} --protocol question-first, and {_VSI_RUN} --protocol repeated-media",
            protocols=("direct", "question-first", "repeated-media"),
            least=2,
            needs=(_VSI_DIRECT, RunNeed("question-first"), RunNeed("repeated-media")),
        ),
        PaperPart(
            "Table 10",
            "A subset of 560 questions on which models score as on all",
            (SubsetTable(560),),
            command=f"{_VSI_RUN}, of three models at least",
            protocols=("direct",),
            subset="full",
            printed=("appendix C.2",),
        ),
        PaperPart(
            "Table 11",
            "Models on VSI-Bench (tiny)",
            (ScoreTable(("Figure 5",)),),
            command=f"{_VSI_RUN} --subset tiny, or of all questions, from which these are taken",
            protocols=("direct",),
            subset="tiny",
        ),
        PaperPart(
            "Table 12",
            "Models without vision",
            (ScoreTable(("-",)),),
            command=f"{_VSI_RUN} --protocol blind",
            protocols=("blind",),
        ),
        PaperPart("Figures 13 to 18", "Questions, error analyses and chains of thought", instead=_VSI_CASES),
    ),
)


_MMSI_RUN = "tolman run mmsi-bench --model MODEL"
_MMSI_SAMPLES = "questions and reasoning are shown by the page of a run: tolman report RUNS --out report.html"
_MMSI_DIRECT = RunNeed("direct", essential=True)
_MMSI_NEEDED = (_MMSI_DIRECT, RunNeed("cot"), RunNeed("joined"), RunNeed("correspondence"))
_MMSI_PROMPTED = ("direct", "cot", "joined", "correspondence")

MMSI_BENCH_PAPER = Paper(
    name="mmsi-bench",
    title="MMSI-Bench: A Benchmark for Multi-Image Spatial Intelligence",
    benchmark="mmsi-bench",
    parts=(
        PaperPart("Figure 2", "Samples of each category", instead=_MMSI_SAMPLES),
        PaperPart(
            "Figure 3",
            "Questions by category",
            (Drawing("benchmark", {"by": ("task",)}, of_questions=True),),
            command=_MMSI_RUN,
        ),
        PaperPart("Table 2", "Statistics of the benchmark", (FactTable(),), command=_MMSI_RUN),
        PaperPart(
            "Table 3",
            "Models, chance and people by category",
            (ScoreTable(("Table 3",)), Drawing("bars")),
            command=f"{_MMSI_RUN}, and {_MMSI_RUN} --protocol blind",
            protocols=("direct", "blind"),
            needs=(_MMSI_DIRECT, RunNeed("blind")),
        ),
        PaperPart(
            "Table 4",
            "Models tuned on spatial data",
            (ScoreTable(("Table 4",)),),
            command=_MMSI_RUN,
            protocols=("direct",),
        ),
        PaperPart(
            "Figure 5",
            "Linguistic and visual prompting less the direct question",
            (Drawing("deltas"),),
            command=f"{_MMSI_RUN} --protocol cot (also joined and correspondence)",
            protocols=_MMSI_PROMPTED,
            least=2,
            needs=_MMSI_NEEDED,
        ),
        PaperPart("Figure 6", "The four types of errors", instead=_MMSI_SAMPLES),
        PaperPart(
            "Figure 7",
            "Types of errors and correct reasoning",
            (Drawing("errors", {"taxonomy": "mmsi"}, {"labels": "labels"}),),
            printed=("section 5.2",),
            command=(
                f"{_MMSI_RUN} --protocol cot; tolman analyze errors RUN --judge JUDGE; then give --labels "
                "errors/labels.jsonl"
            ),
        ),
        PaperPart("Table 5", "Comparison with similar benchmarks", instead="other papers' facts, no result of a run"),
        PaperPart(
            "Table 6",
            "Diversity of the questions' wording",
            (DiversityTable(),),
            command=_MMSI_RUN,
            printed=("Table 6",),
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
            command=f"{_MMSI_RUN} --protocol cot (also joined and correspondence)",
            protocols=_MMSI_PROMPTED,
            least=2,
            needs=_MMSI_NEEDED,
        ),
        PaperPart(
            "Table 11",
            "Correlation with embodied tasks",
            (CorrelationTable(), Drawing("scatter", {}, {"table": "downstream"})),
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
            command=f"{_MMSI_RUN}, with the released difficulty, "
            "or tiers from people's times: tolman analyze humans RUNS",
            protocols=("direct",),
        ),
        PaperPart(
            "Appendix F.7",
            "Sources of each category",
            (Drawing("cross", {"by": ("task", "source")}, of_questions=True),),
            command="questions that carry a label 'source' or 'dataset'; the released ones don't",
        ),
        PaperPart("Figures 14 to 28", "Samples and cases of errors", instead=_MMSI_SAMPLES),
    ),
)


_SITE_RUN = "tolman run site --model MODEL"
_SITE_SAMPLES = "questions are shown by the page of a run: tolman report RUNS --out report.html"
_ROBOTS = (
    "its results on LIBERO-Spatial come from fine-tuning on robots' trajectories, which Tolman doesn't do; give yours "
    "as a CSV with a row for each model: --downstream FILE"
)
_SCATTER = Drawing("scatter", {}, {"table": "downstream"})

SITE_PAPER = Paper(
    name="site",
    title="SITE: towards Spatial Intelligence Thorough Evaluation",
    benchmark="site",
    parts=(
        PaperPart("Table 1", "Comparison with similar benchmarks", instead="other papers' facts, no result of a run"),
        PaperPart("Table 2", "Statistics of the benchmark", (FactTable(),), command=_SITE_RUN),
        PaperPart(
            "Table 3",
            "View association and frames reordering, ego to exo and back",
            (ScoreTable(("-",), by=("family", "dataset")),),
            printed=("Table 3",),
            command=f"{_SITE_RUN}; or generate such questions of your own: tolman generate SCENES --preset site",
            protocols=("direct",),
        ),
        PaperPart(
            "Table 4",
            "Models by category, chance-adjusted accuracy",
            (ScoreTable(("Table 4",)), Drawing("bars")),
            command=_SITE_RUN,
            protocols=("direct",),
        ),
        PaperPart(
            "Tables 5 and 6",
            "Correlation with manipulation by robots",
            (CorrelationTable(), _SCATTER),
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
        PaperPart("Figures 5 and 6", "Samples of each category", instead=_SITE_SAMPLES),
        PaperPart(
            "Figure 7a",
            "Models by category at a glance",
            (Drawing("radar"),),
            command=_SITE_RUN,
            protocols=("direct",),
        ),
        PaperPart(
            "Figure 7b",
            "Questions by category",
            (Drawing("benchmark", {"by": ("task",)}, of_questions=True),),
            command=f"{_SITE_RUN}; --before FOLDER also counts those before balancing",
        ),
        PaperPart("Figure 8", "A question about the order of frames", instead=_SITE_SAMPLES),
    ),
)


_SB_RUN = "tolman run spatialbench --model MODEL"
_SB_CASES = "cases are shown by the page of a run: tolman report RUNS --out report.html"

SPATIALBENCH_PAPER = Paper(
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
            command=_SB_RUN,
        ),
        PaperPart(
            "Table 1",
            "Models by task and level, with the capability score",
            (ScoreTable(("Table 1",)),),
            command=_SB_RUN,
            protocols=("direct",),
        ),
        PaperPart(
            "Figure 5",
            "Models by cognitive level",
            (Drawing("bars", {"columns": tuple(LEVELS)}),),
            command=_SB_RUN,
            protocols=("direct",),
        ),
        PaperPart(
            "Table 2",
            "With one solved example before the question",
            (ScoreTable(("Table 1", "Table 2 (HTML version)")), Drawing("deltas")),
            command=f"{_SB_RUN}, and {_SB_RUN} --protocol one-shot",
            protocols=("direct", "one-shot"),
            least=2,
        ),
        PaperPart(
            "Table 3",
            "People and models",
            (ScoreTable(("Table 3",)),),
            command=f"{_SB_RUN}, and answers of people: tolman review spatialbench, then --runs FOLDER of the same",
            protocols=("direct",),
            needs=(RunNeed(people=True),),
        ),
        PaperPart("Figures 6 to 9", "Reasoning of models and people, and cases", instead=_SB_CASES),
    ),
)


PAPERS = (VSI_BENCH_PAPER, MMSI_BENCH_PAPER, SITE_PAPER, SPATIALBENCH_PAPER)
