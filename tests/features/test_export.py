"""`tolman export`: forms by name, their settings, folders that are whole or not there."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from answered import answered
from exports.materials import write_benchmark
from terminal import tolman
from tolman import plugins
from tolman.errors import UsageError
from tolman.features.catalogue.compute import export
from tolman.features.catalogue.config import ExportConfig
from tolman.plugins import load_plugin
from tolman.runs.run_items import load

PLUGIN = """
from tolman.exports.exporters import Exported, RunsExport


def write(runs, target):
    for run in runs:
        (target.folder / run.folder.path.name).write_text(f"{run.record.settings.model} {len(run.items)}")
        assert run.figures["items"] == len(run.outcomes)
    return Exported("read it", (f"colour: {target.settings.get('colour')}",))


EXPORT = RunsExport("listing", write, {"colour": "Colour. Default: none."})
"""


def run_of(folder: Path, out: Path) -> Path:
    return answered(load(f"{folder}/", None, None), out, lambda place, item: "A", benchmark=f"{folder}/")


def config(*source: str, form: str = "lmms-eval", out: Path, settings: Sequence[str] = ()) -> ExportConfig:
    return ExportConfig(source=source, form=form, out=out, settings=tuple(settings))


def test_runs_are_exported_by_a_form_of_a_plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugins, "_loaded", {})
    (tmp_path / "listing.py").write_text(PLUGIN)
    load_plugin(tmp_path / "listing.py")
    folder = write_benchmark(tmp_path / "tiny")
    runs = [str(run_of(folder, tmp_path / name)) for name in ("one", "two")]
    result = export(config(*runs, form="listing", out=tmp_path / "out", settings=["colour=red"]))
    assert {path.name: path.read_text() for path in (tmp_path / "out").iterdir()} == {"one": "m 7", "two": "m 7"}
    assert (result.files, result.use, result.notes) == (2, "read it", ("colour: red",))
    with pytest.raises(UsageError, match="takes runs, which know their data"):
        export(ExportConfig(source=(runs[0],), form="listing", out=tmp_path / "new", subset="all"))


def test_what_is_wrong_is_said(tmp_path: Path) -> None:
    folder = str(write_benchmark(tmp_path / "tiny"))
    run = str(run_of(Path(folder), tmp_path / "run"))
    out = tmp_path / "out"
    cases = {
        "there is no export 'lmms'; did you mean 'lmms-eval'?": config(folder, form="lmms", out=out),
        "has no setting 'tusk'; did you mean 'task'?": config(folder, out=out, settings=["tusk=a"]),
        "--set takes KEY=VALUE, not 'task'": config(folder, out=out, settings=["task"]),
        "is there and not empty; name a new folder with --out": config(folder, out=tmp_path),
        "takes one benchmark, not 2": config(folder, folder, out=out),
        "is a run, and the form 'lmms-eval' takes a benchmark": config(run, out=out),
        "nothing to export": config(out=out),
        r"lies in .*tiny, which this command reads; give a folder outside": config(
            folder, form="croissant", out=Path(folder) / "sub"
        ),
    }
    for sentence, wrong in cases.items():
        with pytest.raises(UsageError, match=r"(?s)" + sentence.replace("?", r"\?")):
            export(wrong)
        assert not out.exists()


@pytest.mark.parametrize("form", ["inspect", "vlmevalkit"])
def test_what_is_written_compiles_and_says_how_it_is_used(tmp_path: Path, form: str) -> None:
    folder = str(write_benchmark(tmp_path / "tiny"))
    result = export(config(folder, form=form, out=tmp_path / "out"))
    scripts = list((tmp_path / "out").glob("*.py"))
    assert len(scripts) == 1
    compile(scripts[0].read_text(), str(scripts[0]), "exec")
    assert str(scripts[0]) in result.use
    readme = (tmp_path / "out" / "README.md").read_text()
    assert "7 questions. Made up." in readme
    assert scripts[0].name in readme


@pytest.mark.full
def test_the_command_prints_how_the_other_program_takes_it(tmp_path: Path) -> None:
    write_benchmark(tmp_path / "tiny")
    done = tolman(tmp_path, "export", "./tiny", "--as", "lmms-eval", "--out", "tasks")
    assert done.returncode == 0, done.stderr
    assert "tasks: task folder of lmms-eval, 7 files" in done.stdout
    assert "--tasks tolman_tiny --include_path tasks" in done.stdout
    done = tolman(tmp_path, "export", "./tiny", "--as", "lmms-eval", "--out", "again", "--json")
    assert json.loads(done.stdout)["files"] == 7
