"""No command replaces or extends an input, or a folder of another kind."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner, Result

import tolman
from commands.test_every_command import CONFIGURED
from folders import contents
from tolman.cli import app
from tolman.errors import UsageError
from tolman.features.config import ConfigField, at_places, check_outputs, fields_of, make
from tolman.files import check_config, check_file, kind_of

WRITES = re.compile(
    r"written into|(File|Folder) to write|that is written|Folder (of|for) the (run|findings)|is added to for each"
)


def outputs_of(words: tuple[str, ...]) -> list[ConfigField]:
    return [one for one in fields_of(CONFIGURED[words].callback.config) if one.writes is not None]


WRITING = [(words, one) for words in CONFIGURED for one in outputs_of(words)]


FILES = ("file", "log", "result")


def each(written: Callable[[str | None], bool] = bool) -> pytest.MarkDecorator:
    """A test for every output, or for those of some kinds."""
    found = [
        pytest.param(*both, id=f"{' '.join(both[0])} {both[1].option}") for both in WRITING if written(both[1].writes)
    ]
    return pytest.mark.parametrize(("words", "one"), found)


def questions(count: int = 8) -> list[dict[str, Any]]:
    return [
        {"id": f"q{i}", "task": "t", "kind": "choice", "question": "Which?", "options": ("a", "b", "c", "d"),
         "answer": "ABCD"[i % 4], "scene": f"s{i}"}
        for i in range(count)
    ]  # fmt: skip


@pytest.fixture(autouse=True)
def _there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def typed(*words: str) -> Result:
    """What a command does that ends well."""
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    return done


def told(*words: str) -> str:
    """The sentence of a command that is refused."""
    return str(CliRunner().invoke(app, words).exception)


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A folder of each kind, which nothing changes."""
    place = tmp_path_factory.mktemp("places")
    tolman.load(questions(2)).save(place / "read")
    found = {name: place / name for name in ("benchmark", "run", "scenes", "pool", "review")}
    tolman.load(questions()).save(found["benchmark"])
    (found["benchmark"] / "images").mkdir()
    (found["benchmark"] / "images" / "one.png").write_bytes(b"\x89PNG")
    for name, files in {
        "run": ("run.json", "items.parquet", "responses.jsonl"),
        "scenes": ("scenes-00000.parquet", "simulation.json"),
        "pool": ("pool.parquet", "left_out.json"),
        "review": ("review.sqlite",),
    }.items():
        found[name].mkdir()
        for file in files:
            (found[name] / file).write_text("{}")
    assert [kind_of(path) for path in found.values()] == ["a benchmark", "a run", "scenes", "a media pool", "a review"]
    return found


def config_of(words: tuple[str, ...], one: ConfigField, out: Path, benchmark: Path) -> Any:
    """A config of a command with the required fields and that output."""
    values: dict[str, Any] = {}
    for field in fields_of(CONFIGURED[words].callback.config):
        if field.required or (field.setting.positional and field.scalar in (str, Path)):
            value: Any = str(benchmark) if field.scalar in (str, Path) else 3
            value = field.setting.choices[0] if field.setting.choices else value
            values[field.name] = [value] if field.several else value
    return make(CONFIGURED[words].callback.config, {**values, one.name: str(out)})


def refused(config: Any) -> bool:
    try:
        with at_places(config):
            return False
    except UsageError as error:
        assert str(error).endswith(".")
        return True


def test_every_option_that_writes_says_so() -> None:
    forgotten = [
        f"{' '.join(words)} {one.option}"
        for words, command in CONFIGURED.items()
        for one in fields_of(command.callback.config)
        if one.scalar is Path and one.writes is None and (one.name == "export" or WRITES.search(one.setting.help))
    ]
    assert not forgotten
    assert len(WRITING) > 40


OWN = {
    "run": ("run",), "scenes": ("scenes",), "pool": ("pool",), "ingested": ("scenes", "pool"), "review": ("review",),
    "benchmark": ("benchmark",),
}  # fmt: skip


@each()
def test_no_command_writes_into_a_folder_of_another_kind(
    words: tuple[str, ...], one: ConfigField, places: dict[str, Path]
) -> None:
    elsewhere = places["benchmark"].with_name("read")
    for kind, folder in places.items():
        if one.writes in ("file", "log"):
            for file in (path for path in folder.iterdir() if path.is_file()):
                assert refused(config_of(words, one, file, elsewhere)), file
        elif kind not in OWN.get(one.writes or "", ()):
            assert refused(config_of(words, one, folder, elsewhere)), kind
            inside = kind == "benchmark" and one.writes in ("run", "runs", "result")
            if folder.name != "review":
                assert refused(config_of(words, one, folder / "new", elsewhere)) != inside, kind
    free = places["run"].with_name("new.csv" if one.writes in ("file", "log") else "new")
    assert not refused(config_of(words, one, free, elsewhere))


@each(lambda kind: kind not in (*FILES, "runs"))
def test_no_command_writes_over_what_it_reads(
    words: tuple[str, ...], one: ConfigField, places: dict[str, Path]
) -> None:
    config = config_of(words, one, places["benchmark"].parent, places["benchmark"])
    read = [f.name for f in fields_of(type(config)) if str(places["benchmark"]) in str(getattr(config, f.name))]
    assert refused(config) or not read


@each(FILES.__contains__)
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("mine.csv", "question_id,prediction\n1,A\n"),
        ("mine.tsv", "id\tanswer\n1\tA\n"),
        ("mine.json", '{"q1": "A"}'),
        ("mine.json", '[{"id": "q1", "response": "A"}]'),
        ("mine.jsonl", '{"id": "q1", "failure": "timeout"}\n'),
    ],
)
def test_no_command_writes_over_predictions(
    words: tuple[str, ...], one: ConfigField, name: str, text: str, places: dict[str, Path], tmp_path: Path
) -> None:
    file = tmp_path / name
    file.write_text(text)
    with pytest.raises(UsageError, match=f"{name} holds predictions or answers by id; give another file with"):
        check_outputs(config_of(words, one, file, places["benchmark"]))
    file.write_text("model,average\nm,3.5\n" if name.endswith("sv") else '{"runs": [{"model": "m"}]}\n')
    check_outputs(config_of(words, one, file, places["benchmark"]))  # as an earlier report left it


@pytest.mark.filterwarnings("ignore::tolman.errors.ColumnsTakenWarning")
def test_a_report_replaces_its_own_tables_and_not_those_that_its_runs_were_scored_from(tmp_path: Path) -> None:
    tolman.load(questions()).save("be")
    (tmp_path / "mine.csv").write_text("nr,said\n" + "".join(f"q{i},A\n" for i in range(8)))
    typed("score", "mine.csv", "--benchmark", "./be", "--columns", "id=nr,response=said", "--out", "r")
    typed("run", "./be", *RUN, "--out", "s")
    for suffix in ("csv", "json"):
        for words in (["report", "r"], ["compare", "r", "s"]):
            for _ in range(2):
                typed(*words, "--out", f"{words[0]}.{suffix}")
    before = (tmp_path / "mine.csv").read_bytes()
    assert (
        told("report", "r", "--out", "mine.csv") == "mine.csv holds the responses of r; give another file with --out."
    )
    assert (tmp_path / "mine.csv").read_bytes() == before


RUN = ["--model", "baseline/random", "--protocol", "blind"]


@pytest.mark.parametrize("out", ["be", "be/images", ".", "be/../be"])
def test_a_run_never_replaces_its_benchmark(out: str, tmp_path: Path) -> None:
    tolman.load(questions()).save("be")
    Path("be/images").mkdir()
    Path("be/images/one.png").write_bytes(b"\x89PNG")
    before = contents(tmp_path)
    with pytest.raises(UsageError, match="--out"):
        CliRunner().invoke(app, ["run", "./be", *RUN, "--limit", "4", "--out", out], catch_exceptions=False)
    with pytest.raises(UsageError, match="--out"):
        tolman.evaluate("./be", lambda messages: "A", limit=3, out=out)
    assert contents(tmp_path) == before


def test_a_run_inside_its_benchmark_is_refused_but_for_the_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tolman.load(questions()).save(tmp_path / "b")
    monkeypatch.chdir(place)
    with pytest.raises(UsageError, match="holds a benchmark"):
        tolman.evaluate(".", "baseline/random", protocol="blind", ids="q1,q2", out=".")
    run = tolman.evaluate(".", "baseline/random", protocol="blind")
    assert run.path.parts[:2] == ("runs", "b-all")
    assert pl.read_parquet("items.parquet").height == 8


def test_a_run_is_not_put_around_other_runs(tmp_path: Path) -> None:
    place = tolman.load(questions()).save(tmp_path / "b")
    tolman.evaluate(place, "baseline/random", protocol="blind", out=tmp_path / "runs" / "one")
    with pytest.raises(UsageError, match="contains the run"):
        tolman.evaluate(place, "baseline/random", protocol="blind", out=tmp_path / "runs")
    with pytest.raises(UsageError, match="holds a run"):
        tolman.evaluate(place, "baseline/random", protocol="blind", out=tmp_path / "runs" / "one" / "two")


def test_questions_of_another_benchmark_inside_a_run_stay(tmp_path: Path) -> None:
    out = tmp_path / "r"

    def model(messages: object) -> str:
        return "A"

    tolman.evaluate(tolman.load(questions(8)).items(), model, out=out)
    before = contents(out / "benchmark")
    with pytest.raises(UsageError, match="holds other questions"):
        tolman.evaluate(tolman.load(questions(4)).items(), model, out=out)
    assert contents(out / "benchmark") == before
    tolman.load(questions(4)).save(out / "benchmark", overwrite=True)
    assert contents(out / "benchmark") != before


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A benchmark b in which a question is asked twice, and runs r and s."""
    place = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        tolman.load([*questions(), questions()[0] | {"id": "again"}]).save("b")
        for seed, out in enumerate("rs"):
            tolman.evaluate("./b", "baseline/random", protocol="blind", out=out, seed=seed)
    return place


def test_reports_and_configs_replace_no_record(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(runs)
    before = contents(runs)
    for arguments in (
        ["report", "r", "--out", "r/run.json"],
        ["compare", "r", "r", "--out", "r/scores.json"],
        ["run", "./b", *RUN, "--out", "r", "--write-config", "b/benchmark.json"],
    ):
        with pytest.raises(UsageError, match="give another file with --"):
            CliRunner().invoke(app, arguments, catch_exceptions=False)
    with pytest.raises(UsageError, match="belongs to"):
        tolman.report("r", out="r/run.json")
    assert contents(runs) == before
    tolman.report("r", out="r/table.csv")
    tolman.report("r", out="r/table.csv")


FOREIGN = {
    "mine.html": "<!doctype html><p>A page of mine about models.</p>",
    "mine.md": "# Notes\n\nTolman's figures are good.\n",
    "mine.tex": "\\documentclass{article}\n\\begin{document}Mine\\end{document}\n",
    "mine.csv": "paper,year\nours,2026\n",
    "mine.json": '{"settings": 3}\n',
}


@pytest.mark.parametrize("name", FOREIGN)
def test_reports_replace_earlier_reports_and_no_other_document(
    name: str, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(runs)
    file, suffix = Path(name), Path(name).suffix
    commands = [["report", "r"]]
    commands += [["compare", "r", "s"]] if suffix != ".tex" else []
    commands += [["reconcile", "r", "s"]] if suffix not in (".tex", ".csv") else []
    for words in commands:
        file.write_text(FOREIGN[name])
        said = told(*words, "--out", name)
        assert said == f"{name} isn't a report that Tolman wrote; remove it, or give another file with --out."
        assert file.read_text() == FOREIGN[name]
        file.write_text("")
        for _ in range(2):
            typed(*words, "--out", name)
    if suffix == ".json":
        assert json.loads(file.read_text())["written_by"] == "Tolman"


@pytest.mark.parametrize(
    ("words", "option", "name"),
    [
        (("figure", "bars", "r"), "--out", "mine.svg"),
        (("figure", "bars", "r"), "--out", "mine.pdf"),
        (("figure", "bars", "r"), "--out", "mine.png"),
        (("figure", "bars", "r"), "--csv", "mine.csv"),
        (("curate", "duplicates", "./b", "--names-only"), "--out", "mine.jsonl"),
    ],
)
def test_drawings_and_tables_of_others_are_kept(
    words: tuple[str, ...], option: str, name: str, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(runs)
    file = Path(name)
    for content in ("mine", "role,name\nowner,Anna\n"):
        file.write_text(content)
        said = told(*words, option, name)
        assert said == f"{name} isn't a report that Tolman wrote; remove it, or give another file with {option}."
        assert file.read_text() == content
    file.unlink()
    for _ in range(2):
        typed(*words, option, name)
    assert file.stat().st_size > 4


def test_a_page_of_scenes_replaces_no_other_page(tmp_path: Path) -> None:
    file = tmp_path / "scenes.html"
    file.write_text(FOREIGN["mine.html"])
    assert "isn't a report that Tolman wrote" in told("scenes", str(tmp_path), "--out", str(file))
    assert file.read_text() == FOREIGN["mine.html"]


@pytest.mark.parametrize("name", ["index.html", "index.md", "table-1.csv"])
def test_a_rebuilt_paper_replaces_no_files_of_others(name: str, tmp_path: Path) -> None:
    out = tmp_path / "paper"
    out.mkdir()
    (out / name).write_text("mine")
    said = told("paper", "vsi-bench", str(tmp_path / "run"), "--out", str(out))
    assert said == f"{out / name} isn't of Tolman; remove it, or give another folder with --out."
    assert contents(out) == {name: b"mine"}


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("summary.json", ["--scenes", "scenes"]),
        ("exclude.txt", ["--scenes", "scenes"]),
        ("shortcuts.json", ["--shortcuts"]),
    ],
)
def test_an_audit_replaces_no_files_of_others(name: str, words: list[str]) -> None:
    tolman.load(questions()).save("b")
    for folder in ("audit", "scenes"):
        Path(folder).mkdir()
    Path("audit", name).write_text('{"mine": 1}')
    said = told("audit", "./b", *words)
    assert said == f"audit/{name} isn't of Tolman; remove it, or give another folder with --out."
    assert Path("audit", name).read_text() == '{"mine": 1}'


def test_a_config_replaces_only_a_config(tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text("[project]\nname = 'mine'\n")
    with pytest.raises(UsageError, match="isn't a config that Tolman wrote"):
        check_config(file)
    file.write_text("# tolman 0.1.0: 'tolman run --config x' repeats this.\n")
    check_config(file)


def test_a_run_keeps_the_file_that_repeats_it(tmp_path: Path) -> None:
    tolman.load(questions()).save("be")
    run = ["run", "./be", *RUN, "--out", "r"]
    typed(*run)
    before = (tmp_path / "r" / "tolman.toml").read_bytes()
    said = told("report", "r", "--write-config", "r/tolman.toml")
    assert said == "r/tolman.toml repeats how a run was made; give another file with --write-config."
    assert (tmp_path / "r" / "tolman.toml").read_bytes() == before
    typed(*run, "--write-config", "r/tolman.toml")


def test_tables_of_binary_data_are_replaced_by_no_report(tmp_path: Path) -> None:
    pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "mine.csv")
    with pytest.raises(UsageError, match="is a Parquet table"):
        check_file(tmp_path / "mine.csv")


def test_media_may_be_all_that_is_below_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "other").mkdir()
    place = tolman.load(questions()).save(tmp_path / "b")
    tolman.evaluate(place, "baseline/random", protocol="blind", media=".", out="run")
    monkeypatch.chdir(tmp_path / "other")
    (tmp_path / "media" / "run").mkdir(parents=True)
    tolman.evaluate(place, "baseline/random", protocol="blind", media="../media", out="../media/new")
    (tmp_path / "media" / "run" / "v.mp4").write_bytes(b"")
    with pytest.raises(UsageError, match="which this command reads; give a folder outside of it"):
        tolman.evaluate(place, "baseline/random", protocol="blind", media="../media", out="../media/run")


def test_a_suite_is_not_carried_out_in_a_benchmark(tmp_path: Path) -> None:
    tolman.load(questions()).save("b")
    (tmp_path / "suite.toml").write_text('benchmark = ["./b"]\nmodel = ["baseline/random"]\nprotocol = ["blind"]\n')
    before = contents(tmp_path)
    with pytest.raises(UsageError, match="holds a benchmark"):
        CliRunner().invoke(app, ["run", "suite.toml", "--out", "b"], catch_exceptions=False)
    assert contents(tmp_path) == before
