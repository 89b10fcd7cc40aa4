"""Thinking in Space (VSI-Bench): its tables and figures of results."""

from tolman.workflows.papers import Drawing, Paper, PaperPart, ScoreTable, SubsetTable

_RUN = "tolman run vsi-bench --model MODEL"
_MAPS = "tolman run vsi-bench --model MODEL --protocol cognitive-map --map-categories scene --scenes SCENES"
_CASES = "cases are shown by the page of a run: tolman report RUNS --out report.html"

PAPER = Paper(
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
            command=_RUN,
        ),
        PaperPart(
            "Figure 5",
            "Models, chance and people by task",
            (ScoreTable(("Figure 5",)), Drawing("bars")),
            command=_RUN,
            protocols=("direct",),
        ),
        PaperPart("Figure 6", "Self-explanations of a right and a wrong answer", instead=_CASES),
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
            command=f"{_RUN} --protocol cot (also self-consistency and tree-of-thoughts)",
            protocols=("direct", "cot", "self-consistency", "tree-of-thoughts"),
            least=2,
        ),
        PaperPart(
            "Table 1",
            "Chain of thought on VideoMME",
            instead="a control on a benchmark of general video understanding, whose questions Tolman doesn't hold",
        ),
        PaperPart(
            "Figures 9 and 19",
            "Cognitive maps beside the true ones",
            (Drawing("maps", {}, {"scenes": "scenes"}),),
            command=_MAPS,
            protocols=("cognitive-map",),
        ),
        PaperPart(
            "Figure 10 and Table 4",
            "Locality of cognitive maps",
            (Drawing("locality", {}, {"scenes": "scenes"}),),
            printed=("Table 4",),
            command=_MAPS,
            protocols=("cognitive-map",),
        ),
        PaperPart(
            "Tables 2 and 5",
            "Relative distance with and without a cognitive map, also by the size of its grid",
            (ScoreTable(("Table 5",)),),
            command=(
                f"{_RUN} --tasks object_rel_distance, and the same with --protocol cognitive-map, --protocol true-map "
                "and --grid 20"
            ),
            protocols=("direct", "cognitive-map", "true-map", "true-map+blind"),
            least=2,
        ),
        PaperPart(
            "Figure 11",
            "Score over the number of frames",
            (Drawing("curve", {"over": "frames"}),),
            command=f"{_RUN} --frames 4,8,16,32,64",
            protocols=("direct",),
            sweeps=True,
        ),
        PaperPart(
            "Figure 12 and Table 13",
            "With vision less without, and without less chance",
            (Drawing("deltas", {"chance": "best-constant"}, {}),),
            command=f"{_RUN}, and {_RUN} --protocol blind",
            protocols=("direct", "blind"),
            least=2,
        ),
        PaperPart(
            "Table 6",
            "Socratic: answers from captions",
            (ScoreTable(("Table 6",)),),
            command=f"{_RUN} --protocol caption-then-answer --captioner CAPTIONER, and {_RUN} --protocol blind",
            protocols=("direct", "caption-then-answer", "blind"),
            least=2,
        ),
        PaperPart(
            "Table 7",
            "Question first, and videos shown twice",
            (ScoreTable(("-",)), Drawing("deltas")),
            command=f"{_RUN} --protocol question-first, and {_RUN} --protocol repeated-media",
            protocols=("direct", "question-first", "repeated-media"),
            least=2,
        ),
        PaperPart(
            "Table 10",
            "A subset of 560 questions on which models score as on all",
            (SubsetTable(560),),
            command=f"{_RUN}, of three models at least",
            protocols=("direct",),
            subset="full",
            printed=("appendix C.2",),
        ),
        PaperPart(
            "Table 11",
            "Models on VSI-Bench (tiny)",
            (ScoreTable(("Figure 5",)),),
            command=f"{_RUN} --subset tiny",
            protocols=("direct",),
            subset="tiny",
        ),
        PaperPart(
            "Table 12",
            "Models without vision",
            (ScoreTable(("-",)),),
            command=f"{_RUN} --protocol blind",
            protocols=("blind",),
        ),
        PaperPart("Figures 13 to 18", "Questions, error analyses and chains of thought", instead=_CASES),
    ),
)
