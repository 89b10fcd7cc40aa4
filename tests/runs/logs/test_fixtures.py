"""Every log that another program wrote is joined with its items, with ids and without, and gets that program's figure.

One table says which benchmark a file is about, what joins it, and which scorer and figure are that program's.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from behind_logs import LMMS, ZIP
from tolman.benchmarks.spec import BenchmarkSpec
from tolman.cli import app
from tolman.items import Item
from tolman.runs.logs.join import join, target_agrees
from tolman.runs.logs.log import Log, read_logs
from tolman.runs.rescore import score_file
from tolman.scoring.rule_sets import RuleSet

pytestmark = pytest.mark.filterwarnings("ignore::tolman.errors.IncompleteGroupWarning")

KIT = "vlmevalkit-e8e78f05/made-up-vlm_"
INSPECT = "inspect/2026-11-22T02-28-"


@dataclass(frozen=True)
class Fixture:
    """A file and what it must give.

    Attributes:
        file: below the folder of files from elsewhere.
        benchmark, subset: what it is about; the first subset where empty.
        by: what joins its rows.
        scorer: the rule set that does what the program does.
        percent: the program's own figure, as its results file has it.
        figure: the name of that there; empty where only another file has it.
        column: of the benchmark's table; the headline where empty.
        parts: column → the program's name of the same figure, of the log's further figures.
        drawn: whether the program drew options at random, so that its figure can't be had again from the responses.
    """

    file: str
    benchmark: str
    by: str
    scorer: str
    percent: float
    figure: str = ""
    subset: str = ""
    column: str = ""
    parts: dict[str, str] = field(default_factory=dict)
    drawn: bool = False


TYPES_OF_VSI = {
    "object_count": "object_counting", "abs_distance": "object_abs_distance", "object_size": "object_size_estimation",
    "room_size": "room_size_estimation", "rel_distance": "object_rel_distance", "route_plan": "route_planning",
    "rel_direction": "object_rel_direction", "appearance_order": "obj_appearance_order",
}  # fmt: skip
NUMBERS_OF_VSI = ("object_count", "abs_distance", "object_size", "room_size")


def _of_vsi(mra: str) -> dict[str, str]:
    return {key: f"{name}_{mra if key in NUMBERS_OF_VSI else 'accuracy'}" for key, name in TYPES_OF_VSI.items()}


PAIRS_OF_MMSI = {"cam_cam": "Cam.–Cam.", "obj_obj": "Obj.–Obj.", "reg_reg": "Reg.–Reg.", "cam_obj": "Cam.–Obj.",
                 "obj_reg": "Obj.–Reg.", "cam_reg": "Cam.–Reg."}  # fmt: skip
OF_MMSI = {
    **{key: f"Positional Relationship ({pair})" for key, pair in PAIRS_OF_MMSI.items()},
    "meas": "Attribute (Meas.)", "appr": "Attribute (Appr.)", "motion_cam": "Motion (Cam.)",
    "motion_obj": "Motion (Obj.)", "msr": "MSR",
}  # fmt: skip
OF_MMSI_IN_KIT = {
    **{key: f"Pos-{pair.replace('.', '').replace('–', '-')}_accuracy" for key, pair in PAIRS_OF_MMSI.items()},
    "meas": "Attr-Meas_accuracy", "appr": "Attr-Appr_accuracy", "motion_cam": "Motion-Cam_accuracy",
    "motion_obj": "Motion-Obj_accuracy", "msr": "MSR_accuracy",
}  # fmt: skip
OF_SITE_IN_KIT = {
    "accuracy": "overall_accuracy", "count": "counting & existence_caa", "rel": "spatial relationship reasoning_caa",
    "loc": "object localization & positioning_caa", "3d_inf": "3d information understanding_caa",
    "multiv": "multi-view & cross-image reasoning_caa", "mov": "movement prediction & navigation_caa",
}  # fmt: skip
OF_VIEWSPATIAL = {
    "camera_direction": "camera_perspective_relative_direction", "person_direction": "person_perspective_relative_direction",
    "camera_orientation": "camera_perspective_object_view_orientation",
    "person_orientation": "person_perspective_object_view_orientation",
    "person_scene": "person_perspective_scene_simulation_relative_direction",
}  # fmt: skip

FIXTURES = [
    Fixture(f"{LMMS}vsibench.jsonl", "vsi-bench", "id", "lmms-eval", 1.875, "vsibench_overall", parts=_of_vsi("mra")),
    Fixture(f"{LMMS}mmsi_bench.jsonl", "mmsi-bench", "question id", "lmms-eval", 25.0, "average", parts=OF_MMSI),
    Fixture(f"{LMMS}site_bench_image.jsonl", "site", "prompt", "lmms-eval", -6.00707, "chance_adjusted_acc", "image",
            drawn=True),
    Fixture(f"{LMMS}site_bench_video.jsonl", "site", "prompt", "lmms-eval", -18.57708, "chance_adjusted_acc", "video",
            drawn=True),
    *(Fixture(f"{LMMS}blink_{task}.jsonl", "blink", "id", "lmms-eval", 0.0, "blink_acc", column=task)
      for task in ("counting", "jigsaw", "relative_depth")),
    Fixture(f"{LMMS}mindcube_tiny.jsonl", "mindcube", "prompt", "lmms-eval", 0.0, "overall_accuracy", column="pooled",
            parts={key: f"{key}_accuracy" for key in ("around", "among", "rotation")}),
    Fixture(f"{LMMS}viewspatial.jsonl", "viewspatial", "prompt", "lmms-eval", 0.0, "overall_accuracy",
            parts={key: f"{name}_accuracy" for key, name in OF_VIEWSPATIAL.items()}),
    Fixture(f"{LMMS}embspatial.jsonl", "embspatial", "id", "lmms-eval", 20.0, "embspatial_acc",
            parts={key: f"{key}_accuracy" for key in ("ai2thor", "mp3d", "scannet")}),
    Fixture(f"{LMMS}3dsrbench_circular.jsonl", "3dsrbench", "id", "lmms-eval", 0.0, "vanilla_accuracy",
            parts={key: f"{key}_accuracy" for key in ("height", "location", "orientation")}),
    *(Fixture(f"{LMMS}3dsrbench_circular.jsonl", "3dsrbench", "id", f"lmms-eval-{setting}", 0.0,
              f"{setting.replace('-', '_')}_accuracy") for setting in ("flip", "circular", "flip-circular")),
    *(Fixture(f"{KIT}{name}.xlsx", "vsi-bench", "id", "vlmevalkit", 12.291667, "overall",
              parts=_of_vsi("MRA:.5:.95:.05"))
      for name in ("VSI-Bench_32frame", "VSI-Bench_32frame_extract_matching")),
    *(Fixture(f"{KIT}{name}.xlsx", "mmsi-bench", "question id", "vlmevalkit", 16.666667, "overall",
              parts=OF_MMSI_IN_KIT)
      for name in ("MMSIBench_wo_circular", "MMSIBench_wo_circular_extract_matching")),
    *(Fixture(f"{KIT}{name}.xlsx", "site", "prompt", "vlmevalkit", -27.208481, "overall_caa", "image",
              parts=OF_SITE_IN_KIT)
      for name in ("SiteBenchImage", "SiteBenchImage_extract_matching")),
    *(Fixture(f"{INSPECT}{name}", "tiny-mc", "id", "inspect", 66.666667, "choice/accuracy")
      for name in ("38-00-00_tiny-mc_KHsXVGLLfZcxsJiEQjb3Ac.eval", "40-00-00_tiny-mc_j7bsWEzbvPcRdW7Pyphg4N.json")),
    Fixture(f"{INSPECT}40-00-00_tiny-number_W3rkQ6tijtXac6cWMcgjPZ.eval", "tiny-number", "id", "inspect", 60.0,
            "relative_accuracy/mean"),
    Fixture("lmms-eval-task/20261122_103608_samples_tinygen.jsonl", "tinygen", "id", "lmms-eval", 0.0),
    Fixture("wandb/samples.table.json", "tracked", "id", "table", 90.0),
    Fixture("mlflow/samples.json", "tracked", "id", "table", 90.0),
]  # fmt: skip
"""All logs but EASI's archive, which holds those of many benchmarks."""

EASI = [
    Fixture(ZIP, "vsi-bench", "id", "lmms-eval", 1.875, "vsi_bench"),
    Fixture(ZIP, "mmsi-bench", "question id", "lmms-eval", 25.0, "mmsi_bench"),
    Fixture(ZIP, "site", "prompt", "lmms-eval", -0.7463, "site", drawn=True),
    Fixture(ZIP, "blink", "id", "lmms-eval", 35.7143, "blink"),
    Fixture(ZIP, "blink", "id", "lmms-eval", 35.7143, "blink", column="pooled"),
    Fixture(ZIP, "blink", "id", "lmms-eval-first-letter", 32.142857, column="pooled"),  # of lmms-eval 75571cf
    Fixture(ZIP, "mindcube", "prompt", "lmms-eval", 0.0, "mindcube_tiny", column="pooled"),
    Fixture(ZIP, "viewspatial", "prompt", "lmms-eval", 0.0, "viewspatial"),
    Fixture(ZIP, "embspatial", "id", "lmms-eval", 20.0, "embspatial"),
    Fixture(ZIP, "3dsrbench", "id", "lmms-eval", 0.0, "3dsrbench"),
    Fixture(ZIP, "3dsrbench", "id", "lmms-eval-circular", 0.0, "3dsrbench/circ_eval_overall"),
]
"""Figures of `easi_results.json`, in percent, from the archive beside it."""

IN_KIT = {"vsi_bench": "VSI-Bench_32frame", "mmsi_bench": "MMSIBench_wo_circular", "site": "SiteBenchImage"}
"""EASI's key → VLMEvalKit's name of what it was made of."""

SITE_TASKS = ("site_bench_image", "site_bench_video_multiimage")
"""What EASI makes its figure of SITE of."""

NO_LOGS = (
    "README.md", "inputs/", "croissant/", "lmms-eval-task/tasks/", "inspect/tiny_spatial.py",
    "_results.json", "easi_results.json", "_acc.csv", "status.json",
)  # fmt: skip
"""Questions, a benchmark, tasks, and figures without rows."""


def opened(path: Path) -> list[Log]:
    if path.suffix == ".xlsx":
        pytest.importorskip("fastexcel")
    if path.suffix == ".eval":
        _needs_zstandard()
    return read_logs(path)


def _needs_zstandard() -> None:
    try:
        import compression.zstd  # type: ignore[import-not-found]  # noqa: F401
    except ImportError:
        pytest.importorskip("backports.zstd")


def with_its_draws(logs: list[Log], items: list[Item], rules: RuleSet) -> tuple[int, float]:
    """How many options the program drew, and SITE's chance-adjusted accuracy in percent with these draws in the place
    of Tolman's: what is left of a figure that can't be had again from the responses."""
    drawn, above_chance, most = 0, 0.0, 0.0
    for log in logs:
        for row, item in join(log, items).pairs:
            read = rules.read(item, row.response or "", 0)
            drawn += read.guessed
            chance = 1 / len(item.options)
            value = row.score if read.guessed else rules.score(item, read)
            assert value is not None
            above_chance, most = above_chance + value - chance, most + 1 - chance
    return drawn, 100 * above_chance / most


def cases(*tables: list[Fixture]) -> list[Any]:
    """Fixtures as parameters: the first of each benchmark and program is fast, the others are for the full suite."""
    found, known = [], set()
    for one in (fixture for table in tables for fixture in table):
        name = f"{Path(one.file).name}-{one.benchmark}-{one.scorer}-{one.column}"
        program = "lmms-eval" if one.scorer.startswith("lmms-eval") else one.scorer
        marks = [pytest.mark.full] if (one.benchmark, program) in known else []
        known.add((one.benchmark, program))
        found.append(pytest.param(one, id=name, marks=marks))
    return found


def test_every_file_is_in_the_table_or_is_no_log(interchange: Path) -> None:
    files = {path.relative_to(interchange).as_posix() for path in interchange.rglob("*") if path.is_file()}
    told = {fixture.file for fixture in (*FIXTURES, *EASI)}
    assert told <= files
    rest = sorted(file for file in files - told if not any(part in file for part in NO_LOGS))
    assert rest == []


@pytest.mark.parametrize("fixture", cases(FIXTURES))
def test_a_log_is_joined_with_ids_and_without(
    interchange: Path, items_of: Callable[..., list[Item]], fixture: Fixture
) -> None:
    (log,) = opened(interchange / fixture.file)
    items = items_of(fixture.benchmark, fixture.subset)
    joined = join(log, items)
    ids = [item.id for _, item in joined.pairs]
    assert joined.by == fixture.by
    assert len(set(ids)) == len(log.rows)
    assert len(log.rows) == len(items) or fixture.benchmark == "blink"  # whose logs hold one task each
    assert all(target_agrees(row, item) for row, item in joined.pairs)
    without = replace(log, rows=tuple(replace(row, id=None, question_id=None) for row in log.rows))
    assert [item.id for _, item in join(without, items).pairs] == ids
    assert join(without, items).by == "prompt"
    if fixture.benchmark == "blink":
        items = [item for item in items if item.id in ids]  # positions are those of one task's file
    bare = replace(without, rows=tuple(replace(row, prompt=None) for row in without.rows))
    assert [item.id for _, item in join(bare, items).pairs] == ids
    assert join(bare, items).by == "order"


@pytest.mark.parametrize("fixture", cases(FIXTURES))
def test_each_row_has_its_programs_score(
    interchange: Path,
    items_of: Callable[..., list[Item]],
    benchmark_of: Callable[[str], BenchmarkSpec],
    fixture: Fixture,
) -> None:
    (log,) = opened(interchange / fixture.file)
    rules = benchmark_of(fixture.benchmark).rule_set(fixture.scorer)
    compared = 0
    for row, item in join(log, items_of(fixture.benchmark, fixture.subset)).pairs:
        assert row.response is not None
        read = rules.read(item, row.response, 0)
        if row.prediction is not None and fixture.benchmark == "blink":
            assert row.prediction == (read.value or "")
        if row.score is not None and not read.guessed:
            assert rules.score(item, read) == pytest.approx(row.score), row
            compared += 1
    held = any(row.score is not None for row in log.rows)
    assert compared >= len(log.rows) / 3 if held else fixture.scorer == "vlmevalkit" and "_extract" not in fixture.file


@pytest.mark.parametrize("fixture", cases(FIXTURES, EASI))
def test_scoring_a_log_prints_its_programs_figure(
    interchange: Path,
    data_of: Callable[[str], Path],
    items_of: Callable[..., list[Item]],
    benchmark_of: Callable[[str], BenchmarkSpec],
    tmp_path: Path,
    fixture: Fixture,
) -> None:
    logs = opened(interchange / fixture.file)
    benchmark = benchmark_of(fixture.benchmark)
    own = read_logs(interchange / ZIP.replace(".zip", ".json")) if fixture in EASI else logs
    if fixture.figure:
        percents = 100 if (own[0].program == "lmms-eval" and not fixture.drawn) or own[0].program == "inspect" else 1
        assert own[0].figures[fixture.figure] * percents == pytest.approx(fixture.percent)
    folder, figures = score_file(
        interchange / fixture.file, benchmark=fixture.benchmark, data=data_of(fixture.benchmark),
        subset=fixture.subset or None, out=tmp_path / "out",
    )  # fmt: skip
    settings = folder.record().settings.model_settings
    assert (settings["program"], settings["joined_by"]) == (logs[0].program, fixture.by)
    assert settings["imported"] == Path(fixture.file).name
    cells = figures["rule_sets"][fixture.scorer]["cells"]
    column = fixture.column or benchmark.table.headline
    if fixture.drawn:
        of_it = [log for log in logs if log.task in SITE_TASKS] if fixture in EASI else logs
        items = items_of(fixture.benchmark, fixture.subset)
        drawn, percent = with_its_draws(of_it, items, benchmark.rule_set(fixture.scorer))
        assert drawn > 0
        assert percent == pytest.approx(fixture.percent, abs=1e-4)
        return
    assert cells[column]["value"] == pytest.approx(fixture.percent, abs=1e-4)
    for key, name in fixture.parts.items():
        scale = 100 if logs[0].program == "lmms-eval" else 1
        assert cells[key]["value"] == pytest.approx(scale * own[0].figures[name], abs=1e-4), key


@pytest.mark.parametrize("kit", [False, True])
def test_easis_figures_are_those_of_the_logs(interchange: Path, kit: bool) -> None:
    (figures,) = read_logs(interchange / f"easi/from-{'vlmevalkit' if kit else 'lmms-eval'}/easi_results.json")
    headlines = {key: value for key, value in figures.figures.items() if "/" not in key}
    if kit:
        found = {one.file: one.percent for one in FIXTURES}
        given = {key: found[f"{KIT}{IN_KIT[key]}.xlsx"] for key in headlines}
    else:
        given = {one.figure: one.percent for one in EASI if one.figure in headlines}
    assert given == pytest.approx(headlines, abs=1e-4)


def test_the_command_prints_the_programs_figure_beside_the_authors(
    interchange: Path, data_of: Callable[[str], Path], tmp_path: Path
) -> None:
    command = ["score", str(interchange / f"{LMMS}embspatial.jsonl"), "--benchmark", "embspatial"]
    ran = CliRunner().invoke(app, [*command, "--data", str(data_of("embspatial")), "--out", str(tmp_path / "out")])
    assert ran.exit_code == 0, ran.output
    (printed,) = [line for line in ran.output.splitlines() if " lmms-eval " in line]
    assert printed.partition(" lmms-eval ")[2].split()[0].startswith("20.0")
