"""EASI's submissions: the figures of its own sample files, and what it and its readers demand."""

import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import released_rows
from answered import answered
from runs.logs.conftest import data_of, interchange  # noqa: F401
from tolman.errors import UsageError
from tolman.exports.easi import COLUMNS
from tolman.features.catalogue.compute import ExportResult, export
from tolman.features.catalogue.config import ExportConfig
from tolman.items import Item
from tolman.runs.logs.log import read_logs
from tolman.runs.rescore import score_file
from tolman.runs.run_items import load

HEAD = {"model": "made-up-org/made-up-vlm", "type": "instruction", "precision": "bfloat16"}
LMMS = "lmms-eval-0.7.3/20261122_102642_samples_"
KIT = "vlmevalkit-e8e78f05/made-up-vlm_"
ROWS = {
    "mindcube": ("tiny", released_rows.mindcube),
    "viewspatial": ("full", released_rows.viewspatial),
    "blink": ("val", released_rows.blink),
    "3dsrbench": ("vanilla", released_rows.threedsrbench),
    "embspatial": ("full", released_rows.embspatial),
}


def submitted(out: Path, *runs: Path, **settings: str) -> ExportResult:
    given = tuple(f"{key}={value}" for key, value in (HEAD | settings).items() if value)
    return export(ExportConfig(source=tuple(map(str, runs)), form="easi", out=out, settings=given))


def payload(out: Path) -> dict[str, object]:
    return json.loads((out / "easi_results.json").read_text())


@pytest.fixture
def run_of(tmp_path: Path) -> Callable[..., Path]:
    """Benchmark → a run on made-up rows in which the first answer is wrong and the others are right."""

    def made(name: str, subset: str | None = None, *, lost: bool = False, model: str = "m") -> Path:
        usual, write = ROWS[name]
        data = tmp_path / f"data-{name}"
        if not data.exists():
            data.mkdir()
            write(data)
        loaded = load(name, data, subset or usual)

        def said(place: int, item: Item) -> str | None:
            if lost and item is loaded.items[-1]:
                return None
            return released_rows.right_response(name, "official", item) if place else "?"

        out = tmp_path / f"run-{name}-{subset or usual}-{model}{'-lost' * lost}"
        return answered(loaded, out, said, benchmark=name, model=model)

    return made


@pytest.mark.parametrize(
    ("backend", "logs"),
    [
        ("lmmseval", {"vsi-bench": f"{LMMS}vsibench.jsonl", "mmsi-bench": f"{LMMS}mmsi_bench.jsonl"}),
        (
            "vlmevalkit",
            {
                "vsi-bench": f"{KIT}VSI-Bench_32frame.xlsx",
                "mmsi-bench": f"{KIT}MMSIBench_wo_circular.xlsx",
                "site": f"{KIT}SiteBenchImage.xlsx",
            },
        ),
    ],
)
@pytest.mark.full
def test_logs_become_the_submission_that_easi_makes_of_them(
    interchange: Path,  # noqa: F811
    data_of: Callable[[str], Path],  # noqa: F811
    tmp_path: Path,
    backend: str,
    logs: dict[str, str],
) -> None:
    if backend == "vlmevalkit":
        pytest.importorskip("fastexcel")
    runs = []
    for name, log in logs.items():
        subset = "image" if name == "site" else None
        score_file(interchange / log, benchmark=name, data=data_of(name), subset=subset, out=tmp_path / name, name="m")
        runs.append(tmp_path / name)
    with pytest.raises(UsageError, match=r"INCOMPLETE \(12 of the 5,130 released questions\); carry it out whole"):
        submitted(tmp_path / "out", *runs, backend=backend)
    result = submitted(tmp_path / "out", *runs, backend=backend, incomplete="mark")
    mine = payload(tmp_path / "out")
    theirs = json.loads(
        (interchange / "easi" / f"from-{backend.replace('lmmseval', 'lmms-eval')}/easi_results.json").read_text()
    )
    wanted = {board.key for board in COLUMNS if board.benchmark in logs and board.key != "vsi_debiased"}
    assert set(mine) == set(theirs)
    assert mine["scores"] == {key: theirs["scores"][key] for key in wanted}
    assert mine["subScores"] == {key: theirs["subScores"][key] for key in wanted}
    for key in ("modelName", "modelType", "precision", "revision", "weightType", "baseModel", "backend"):
        assert mine[key] == theirs[key]
    assert "INCOMPLETE: 12 of the 5,130 released questions" in str(mine["remarks"])
    assert any(note.startswith("INCOMPLETE: vsi_bench rests on a part") for note in result.notes)
    assert any(note.startswith("INCOMPLETE: site is over image") for note in result.notes) == ("site" in logs)


@pytest.mark.full
def test_four_benchmarks_have_their_columns_and_parts(run_of: Callable[..., Path], tmp_path: Path) -> None:
    runs = [run_of(name) for name in ("viewspatial", "blink", "3dsrbench", "embspatial")]
    result = submitted(tmp_path / "out", *runs, run_of("3dsrbench", "circular"), incomplete="mark")
    found = payload(tmp_path / "out")
    assert found["scores"] == {"3dsrbench": 91.6667, "blink": 80.0, "embspatial": 66.6667, "viewspatial": 66.6667}
    parts = found["subScores"]
    assert parts["3dsrbench"]["circ_eval_overall"] == 75.0
    assert parts["embspatial"] == {"ai2thor_accuracy": 100.0, "mp3d_accuracy": 0.0, "scannet_accuracy": 100.0}
    assert parts["viewspatial"]["person_perspective_scene_simulation_relative_direction_accuracy"] is None
    assert "blink" not in parts
    assert any("without a score are vsi_bench, mmsi_bench, mindcube_tiny, site" in note for note in result.notes)


def test_the_archive_is_flat_and_read_back(run_of: Callable[..., Path], tmp_path: Path) -> None:
    submitted(tmp_path / "out", run_of("embspatial"), incomplete="mark")
    with zipfile.ZipFile(tmp_path / "out" / "easi_results.zip") as archive:
        names = archive.namelist()
        assert {name.partition("/")[0] for name in names} == {"made-up-vlm"}
        assert all(name.count("/") == 1 for name in names)
        (results,) = [name for name in names if name.endswith("_results.json")]
        figures = json.loads(archive.read(results))["results"]["embspatial"]
    assert figures["embspatial_acc,none"] == pytest.approx(2 / 3, abs=1e-6)
    (log,) = read_logs(tmp_path / "out" / "easi_results.zip")
    assert log.rows[0].response == "?"
    assert log.figures["embspatial_acc"] == pytest.approx(2 / 3, abs=1e-6)
    (told,) = read_logs(tmp_path / "out" / "easi_results.json")
    assert told.figures["embspatial/scannet_accuracy"] == 100.0


@pytest.mark.full
def test_what_easi_does_not_take_is_refused(run_of: Callable[..., Path], tmp_path: Path) -> None:
    run, out = run_of("blink"), tmp_path / "out"
    for settings, sentence in (
        ({"model": ""}, "EASI wants the model's model; give them, such as --set model=Qwen/"),
        ({"model": "m"}, "--set model takes ORGANISATION/NAME of the hub, not 'm'"),
        ({"model": "a/.."}, "takes ORGANISATION/NAME"),
        ({"type": "chat"}, "--set type takes pretrained, finetuned, instruction, rl, not 'chat'"),
        ({"precision": "fp8"}, "--set precision takes bfloat16"),
        ({"weights": "Delta"}, "Delta weights need the model that they are of"),
        ({"incomplete": "yes"}, "--set incomplete takes 'mark', not 'yes'"),
    ):
        with pytest.raises(UsageError, match=sentence):
            submitted(out, run, **settings)
    with pytest.raises(UsageError, match="are both runs of blink"):
        submitted(out, run, shutil.copytree(run, tmp_path / "again"), incomplete="mark")
    with pytest.raises(UsageError, match="the runs are of several models"):
        submitted(out, run, run_of("embspatial", model="other"), incomplete="mark")
    with pytest.raises(UsageError, match=r"is a run of 3dsrbench \(flip\), which is no column of EASI's board"):
        submitted(out, run_of("3dsrbench", "flip"), incomplete="mark")
    with pytest.raises(UsageError, match="1 of 12 answers missing"):
        submitted(out, run_of("3dsrbench", lost=True))
    assert not out.exists()


def test_failures_are_told_in_what_is_written(run_of: Callable[..., Path], tmp_path: Path) -> None:
    result = submitted(tmp_path / "out", run_of("3dsrbench", lost=True), incomplete="mark")
    assert "INCOMPLETE: 1 of 12 answers missing" in str(payload(tmp_path / "out")["remarks"])
    assert "1 of 12 answers missing" in result.notes[0]
    (log,) = read_logs(tmp_path / "out" / "easi_results.zip")
    assert sum(row.response is None for row in log.rows) == 1
