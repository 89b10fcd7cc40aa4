"""EASI's columns: the benchmark and scorer of each, the names of its parts, and the runs that belong there.

Source: EvolvingLMMs-Lab/EASI@0c1a41e, scripts/submissions/postprocess.py (`METRIC_MAP`) and backends/lmmseval.py
(`_METRIC_MAP`, `_TASK_MAP`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from tolman.errors import UsageError
from tolman.exports.exporters import RunSource
from tolman.exports.results import figures_of
from tolman.scoring.aggregate import Cell

BACKENDS = ("lmmseval", "vlmevalkit")
"""Whose scorers the figures are of; the names as EASI's files have them."""


@dataclass(frozen=True)
class SubScore:
    """A sub-score.

    Attributes:
        key: EASI's name.
        figure: key of the figure in the benchmark's table.
        metric: lmms-eval's name.
        backends: for which EASI has it.
    """

    key: str
    figure: str
    metric: str
    backends: tuple[str, ...] = BACKENDS


@dataclass(frozen=True)
class BoardColumn:
    """A column of EASI's board.

    Attributes:
        key: EASI's name.
        benchmark: Tolman's.
        subsets: each set of subsets whose runs together are the column.
        figure: key of the headline in the benchmark's table.
        metric: lmms-eval's name of it.
        tasks: lmms-eval's name for the task of each subset.
        scorers: backend → the scorer with its rules.
        parts: the sub-scores.
        further: subset → a sub-score that is the headline of a run on that subset.
        scale: EASI's factor for lmms-eval's figures.
    """

    key: str
    benchmark: str
    subsets: tuple[frozenset[str], ...]
    figure: str
    metric: str
    tasks: Mapping[str, str]
    scorers: Mapping[str, str]
    parts: tuple[SubScore, ...] = ()
    further: Mapping[str, SubScore] = field(default_factory=lambda: MappingProxyType({}))
    scale: int = 100


def _same(*names: str, ending: str = "_accuracy") -> tuple[SubScore, ...]:
    """Parts whose names are those of the table's figures with an ending."""
    return tuple(SubScore(f"{name}{ending}", name, f"{name}{ending}") for name in names)


_VSI = (
    SubScore("obj_appearance_order_accuracy", "appearance_order", "obj_appearance_order_accuracy"),
    SubScore("object_abs_distance", "abs_distance", "object_abs_distance_mra"),
    SubScore("object_counting", "object_count", "object_counting_mra"),
    SubScore("object_rel_direction_accuracy", "rel_direction", "object_rel_direction_accuracy"),
    SubScore("object_rel_distance_accuracy", "rel_distance", "object_rel_distance_accuracy"),
    SubScore("object_size_estimation", "object_size", "object_size_estimation_mra"),
    SubScore("room_size_estimation", "room_size", "room_size_estimation_mra"),
    SubScore("route_planning_accuracy", "route_plan", "route_planning_accuracy"),
)
_MMSI = (
    SubScore("attr_appr_accuracy", "appr", "Attribute (Appr.)"),
    SubScore("attr_meas_accuracy", "meas", "Attribute (Meas.)"),
    SubScore("motion_cam_accuracy", "motion_cam", "Motion (Cam.)"),
    SubScore("motion_obj_accuracy", "motion_obj", "Motion (Obj.)"),
    SubScore("msr_accuracy", "msr", "MSR"),
    *(
        SubScore(
            f"pos_{one}_{other}_accuracy",
            f"{one}_{other}",
            f"Positional Relationship ({one.title()}.–{other.title()}.)",
        )
        for one, other in (
            ("cam", "cam"),
            ("cam", "obj"),
            ("cam", "reg"),
            ("obj", "obj"),
            ("obj", "reg"),
            ("reg", "reg"),
        )
    ),
)
_VIEWSPATIAL = tuple(
    SubScore(f"{name}_accuracy", figure, f"{name}_accuracy")
    for name, figure in (
        ("camera_perspective_object_view_orientation", "camera_orientation"),
        ("camera_perspective_relative_direction", "camera_direction"),
        ("person_perspective_object_view_orientation", "person_orientation"),
        ("person_perspective_relative_direction", "person_direction"),
        ("person_perspective_scene_simulation_relative_direction", "person_scene"),
    )
)
_SITE = tuple(
    SubScore(f"{name}_caa", figure, "")
    for name, figure in (
        ("3d_information_understanding", "3d_inf"),
        ("counting_and_existence", "count"),
        ("movement_prediction_and_navigation", "mov"),
        ("multiview_and_crossimage_reasoning", "multiv"),
        ("object_localization_and_positioning", "loc"),
        ("spatial_relationship_reasoning", "rel"),
    )
)
_BLINK = tuple(
    SubScore(name, name, name, backends=("vlmevalkit",))
    for name in (
        "art_style", "counting", "forensic_detection", "functional_correspondence", "iq_test", "jigsaw",
        "multi_view_reasoning", "object_localization", "relative_depth", "relative_reflectance",
        "semantic_correspondence", "spatial_relation", "visual_correspondence", "visual_similarity",
    )
)  # fmt: skip
_3DSR = tuple(
    SubScore(name, name, f"{name}_accuracy")
    for name in (
        "height_higher", "location_above", "location_closer_to_camera", "location_next_to", "multi_object_closer_to",
        "multi_object_facing", "multi_object_parallel", "multi_object_same_direction",
        "multi_object_viewpoint_towards_object", "orientation_in_front_of", "orientation_on_the_left",
        "orientation_viewpoint",
    )
)  # fmt: skip


def _board(
    key: str, benchmark: str, subset: str, figure: str, metric: str, task: str, lmms: str, kit: str,
    parts: tuple[SubScore, ...] = (), further: Mapping[str, SubScore] = MappingProxyType({}), scale: int = 100,
) -> BoardColumn:  # fmt: skip
    scorers = {backend: name for backend, name in zip(BACKENDS, (lmms, kit), strict=True) if name}
    tasks = {subset: task, **dict.fromkeys(further, task)}
    return BoardColumn(key, benchmark, (frozenset({subset}),), figure, metric, tasks, scorers, parts, further, scale)


COLUMNS = (
    _board("vsi_bench", "vsi-bench", "full", "average", "vsibench_overall", "vsibench_multiimage", "lmms-eval",
           "vlmevalkit", _VSI),
    _board("mmsi_bench", "mmsi-bench", "full", "average", "average", "mmsi_bench", "lmms-eval", "vlmevalkit", _MMSI),
    _board("mindcube_tiny", "mindcube", "tiny", "overall", "overall_accuracy", "mindcube_tiny", "official", "easi",
           _same("among", "around", "rotation")),
    _board("viewspatial", "viewspatial", "full", "overall", "overall_accuracy", "viewspatial", "official", "easi",
           _VIEWSPATIAL),
    BoardColumn("site", "site", (frozenset({"full"}), frozenset({"image", "video"})), "overall", "chance_adjusted_acc",
          {"image": "site_bench_image", "video": "site_bench_video_multiimage"},
          {"lmmseval": "lmms-eval", "vlmevalkit": "vlmevalkit"}, _SITE),
    _board("blink", "blink", "val", "pooled", "blink_acc", "blink", "lmms-eval", "vlmevalkit", _BLINK),
    _board("3dsrbench", "3dsrbench", "vanilla", "overall", "vanilla_accuracy", "3dsrbench_circular", "lmms-eval",
           "official", _3DSR, {"circular": SubScore("circ_eval_overall", "overall", "circular_accuracy")}),
    _board("embspatial", "embspatial", "full", "overall", "embspatial_acc", "embspatial", "official", "easi",
           _same("ai2thor", "mp3d", "scannet")),
    _board("mmsi_video_bench", "mmsi-video", "full", "overall", "overall_accuracy", "mmsi_video_u50", "lmms-eval",
           "easi"),
    _board("omnispatial_(manual_cot)", "omnispatial", "test", "overall", "omnispatial", "omnispatial_test", "", "easi"),
    _board("spar_bench", "spar", "full", "overall", "sparbench_score", "sparbench", "official", "easi", scale=1),
    _board("vsi_debiased", "vsi-bench", "debiased", "average", "vsibench_overall", "vsibench_debiased_multiimage",
           "lmms-eval", "vlmevalkit", _VSI),
)  # fmt: skip
"""The columns. BLINK's is pooled over all questions, not the authors' mean over tasks; 3DSRBench's counts every row."""
REQUIRED = tuple(board.key for board in COLUMNS[:8])
"""The eight without which EASI's board shows a model as unfinished."""


@dataclass(frozen=True)
class ColumnRuns:
    """The runs of one column.

    Attributes:
        board: the column.
        runs: whose rows are pooled for the headline and its parts; there may be none where `further` has some.
        further: runs whose headline is a sub-score, by subset.
    """

    board: BoardColumn
    runs: tuple[RunSource, ...]
    further: dict[str, RunSource]

    @property
    def all_runs(self) -> list[RunSource]:
        """All of them."""
        return [*self.runs, *self.further.values()]

    def figures(self, backend: str) -> tuple[float | None, dict[str, float | None]]:
        """Return headline and sub-scores, 0–100 at four decimal places as EASI has them; None for those without items.

        Raises:
            UsageError: Tolman has no scorer with the rules of the backend.
        """
        scorer = self.scorer(backend)
        found = figures_of(self.runs, scorer) if self.runs else {}
        parts = {part.key: _rounded(found.get(part.figure)) for part in self.board.parts if backend in part.backends}
        for subset, part in self.board.further.items():
            if backend in part.backends:
                run = self.further.get(subset)
                parts[part.key] = _rounded(figures_of([run], scorer).get(part.figure)) if run is not None else None
        return _rounded(found.get(self.board.figure)), parts

    def scorer(self, backend: str) -> str:
        """The name of the scorer with the rules of a backend.

        Raises:
            UsageError: Tolman has none.
        """
        if backend not in self.board.scorers:
            known = next(iter(self.board.scorers))
            raise UsageError(
                f"{self.board.benchmark} has no scorer with the rules of {backend}; leave its run out, or give --set "
                f"backend={known}."
            )
        return self.board.scorers[backend]


def columns_of(runs: Sequence[RunSource], *, parts: bool = False) -> list[ColumnRuns]:
    """The columns that runs are of, in the board's order.

    Args:
        runs: of one model.
        parts: whether a column may lack a subset, such as SITE's videos.

    Raises:
        UsageError: a run is of no column, two are of the same, or a column lacks a subset.
    """
    taken: dict[str, dict[str, RunSource]] = {}
    for run in runs:
        settings = run.record.settings
        board = _board_of(run)
        other = taken.setdefault(board.key, {}).setdefault(settings.subset, run)
        if other is not run:
            raise UsageError(
                f"{other.folder.path} and {run.folder.path} are both runs of {settings.benchmark} ({settings.subset}); "
                "name one of them."
            )
    found = []
    for board in COLUMNS:
        by_subset = taken.get(board.key, {})
        further = {name: run for name, run in by_subset.items() if name in board.further}
        pooled = {name: run for name, run in by_subset.items() if name not in further}
        _check_subsets(board, pooled, parts=parts)
        if by_subset:
            found.append(ColumnRuns(board, tuple(pooled.values()), further))
    return found


def is_on_board(run: RunSource) -> bool:
    """Check whether a run is of one of the board's columns."""
    return _column_of(run) is not None


def _column_of(run: RunSource) -> BoardColumn | None:
    settings = run.record.settings
    for board in COLUMNS:
        if board.benchmark == settings.benchmark and (
            settings.subset in board.further or any(settings.subset in one for one in board.subsets)
        ):
            return board
    return None


def _board_of(run: RunSource) -> BoardColumn:
    settings, found = run.record.settings, _column_of(run)
    if found is not None:
        return found
    known = ", ".join(f"{b.benchmark} ({' or '.join(' with '.join(sorted(s)) for s in b.subsets)})" for b in COLUMNS)
    raise UsageError(
        f"{run.folder.path} is a run of {settings.benchmark} ({settings.subset}), which is no column of EASI's board; "
        f"it has {known}."
    )


def _check_subsets(board: BoardColumn, runs: dict[str, RunSource], *, parts: bool) -> None:
    """Refuse one subset of those that make a column together, and several that hold the same questions."""
    if not runs or frozenset(runs) in board.subsets:
        return
    whole = next((one for one in board.subsets if frozenset(runs) < one), None)
    if whole is None:
        raise UsageError(
            f"the runs of {board.benchmark} ({', '.join(sorted(runs))}) hold the same questions; name one."
        )
    if not parts:
        raise UsageError(
            f"EASI's figure of {board.benchmark} is over {' and '.join(sorted(whole))} questions together, and there "
            f"is only a run of {', '.join(sorted(runs))}; name the other too, leave it out, or mark it with --set "
            "incomplete=mark."
        )


def _rounded(cell: Cell | None) -> float | None:
    return None if cell is None or cell.value is None else round(cell.value, 4)
