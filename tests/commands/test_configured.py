"""Commands out of configs."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
from typer.testing import CliRunner

from tolman.commands.configured import Incomplete, configured
from tolman.errors import RunInterruptedError, UsageError
from tolman.features.config import Setting, read_tables, to_table

seen: list[tuple[Any, bool]] = []


@dataclass(frozen=True, kw_only=True)
class Example:
    benchmark: Annotated[str, Setting("Its name.", positional=True)]
    out: Annotated[Path | None, Setting("Folder.")] = None
    seed: Annotated[int, Setting("Seed of everything drawn at random.", least=0)] = 0
    max_rounds: Annotated[int, Setting("Rounds.", aliases=("--turns",))] = 5
    depth: Annotated[bool, Setting("Write depth.")] = False
    frames: Annotated[tuple[int, ...], Setting("Frames.", least=1)] = ()
    against: Annotated[tuple[str, ...], Setting("Columns.", repeated=True)] = ()
    password: Annotated[str | None, Setting("Password.", secret=True)] = None


app = typer.Typer()


@app.command()
@configured(Example)
def make_it(config: Example, as_json: Annotated[bool, typer.Option("--json")] = False) -> Path | None:
    """Make it.

    Example:  tolman make-it b
    """
    seen.append((config, as_json))
    if config.benchmark == "fails":
        raise Incomplete(config.out)
    if config.benchmark == "stopped":
        error = RunInterruptedError("Stopped.")
        error.folder = config.out
        raise error
    return config.out


@app.command()
def other() -> None:
    """Keep the first one a command of several."""


def run(*arguments: str, code: int = 0) -> tuple[Example, bool]:
    seen.clear()
    done = CliRunner().invoke(app, ["make-it", *arguments])
    if done.exception and not isinstance(done.exception, SystemExit | RunInterruptedError):
        raise done.exception
    assert getattr(done.exception, "exit_code", done.exit_code) == code, done.output
    return seen[0]


def test_options_are_the_fields() -> None:
    config, as_json = run(
        "b", "--seed", "3", "--frames", "8,16", "--against", "x", "--against", "y", "--depth", "--json"
    )
    assert config == Example(benchmark="b", seed=3, frames=(8, 16), against=("x", "y"), depth=True)
    assert as_json


def test_the_command_line_goes_before_the_file(tmp_path: Path) -> None:
    file = tmp_path / "c.toml"
    file.write_text('[make-it]\nbenchmark = "b"\nseed = 4\nmax-rounds = 2\ndepth = true\n')
    assert run("--config", str(file))[0] == Example(benchmark="b", seed=4, max_rounds=2, depth=True)
    assert run("c", "--config", str(file), "--seed", "0", "--no-depth")[0] == Example(benchmark="c", max_rounds=2)


def test_an_older_name_is_accepted_and_not_shown() -> None:
    assert run("b", "--turns", "7")[0].max_rounds == 7
    shown = CliRunner().invoke(app, ["make-it", "--help"]).output
    assert "--max-rounds" in shown
    assert "--turns" not in shown
    assert "Default: 5." in shown


def test_the_config_that_repeats_it_lies_beside_the_result(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    config, _ = run("b", "--out", str(out), "--frames", "8")
    assert run("--config", str(out / "tolman.toml"))[0] == config
    wanted = tmp_path / "wanted.toml"
    config, _ = run("b", "--seed", "9", "--write-config", str(wanted))
    assert run("--config", str(wanted))[0] == config


@pytest.mark.parametrize("benchmark", ["./b", "stopped"])
def test_a_config_that_is_repeated_from_elsewhere_keeps_the_folder_of_its_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, benchmark: str
) -> None:
    for folder in ("project/b", "project/out", "elsewhere"):
        (tmp_path / folder).mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "project")
    run(benchmark, "--out", "out", code=130 if benchmark == "stopped" else 0)
    written = Path("out/tolman.toml")
    before = written.read_text()
    assert 'directory = ".."' in before
    assert 'out = "out"' in before
    monkeypatch.chdir(tmp_path / "elsewhere")
    again = ("--config", "../project/out/tolman.toml")
    run(*again, code=130 if benchmark == "stopped" else 0)
    assert Path(again[1]).read_text() == before
    run(*again, "--seed", "3", code=130 if benchmark == "stopped" else 0)
    assert Path(again[1]).read_text() == f"{before}seed = 3\n"


def test_what_is_missing_is_told() -> None:
    with pytest.raises(UsageError, match="BENCHMARK is missing"):
        CliRunner().invoke(app, ["make-it"], catch_exceptions=False)


def test_a_suite_is_carried_out_for_each_of_its_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    suite = tmp_path / "suite.toml"
    tables = [f'[[make-it]]\nbenchmark = "{name}"\nout = "{name}"\n' for name in ("a", "fails", "b")]
    suite.write_text("".join(tables))
    for name in ("a", "fails", "b"):
        (tmp_path / name).mkdir()
    seen.clear()
    done = CliRunner().invoke(app, ["make-it", "--config", str(suite), "--seed", "3", "--write-config", "all.toml"])
    assert done.exit_code == 1  # and those after it are carried out all the same
    assert [config.benchmark for config, _ in seen] == ["a", "fails", "b"]
    assert {config.seed for config, _ in seen} == {3}
    for config, _ in list(seen):
        assert read_tables(tmp_path / config.benchmark / "tolman.toml", "make-it") == [to_table(config)]
    assert [table["benchmark"] for table in read_tables(tmp_path / "all.toml", "make-it")] == ["a", "fails", "b"]
    with pytest.raises(UsageError, match=r"has 3 \[\[make-it\]\] tables: write an 'out' into each"):
        CliRunner().invoke(app, ["make-it", "--config", str(suite), "--out", "x"], catch_exceptions=False)
    suite.write_text(tables[0] + '[[make-it]]\nbenchmark = "b"\nsed = 1\n')
    with pytest.raises(UsageError, match=r"suite.toml, table 2: there is no setting 'sed'; did you mean 'seed'\?"):
        CliRunner().invoke(app, ["make-it", "--config", str(suite)], catch_exceptions=False)


def test_a_default_of_zero_is_shown() -> None:
    assert "Default: 0." in CliRunner().invoke(app, ["make-it", "--help"]).output


def test_a_secret_is_never_written(tmp_path: Path) -> None:
    assert run("b", "--password", "hidden", "--write-config", str(tmp_path / "c.toml"))[0].password == "hidden"
    assert "hidden" not in (tmp_path / "c.toml").read_text()
