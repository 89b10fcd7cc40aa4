"""`tolman init`, and the file that it writes."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from tolman.cli import app
from tolman.commands.configured import has_table
from tolman.errors import UsageError
from tolman.features.config import fields_of, make, read_tables
from tolman.features.run.config import InitConfig, RunConfig


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def written(name: str = "tolman.toml") -> RunConfig:
    assert has_table(name, "run")
    (table,) = read_tables(Path(name), "run")
    config: RunConfig = make(RunConfig, table)
    return config


def test_off_a_terminal_options_and_defaults_answer_and_run_takes_the_file() -> None:
    done = CliRunner().invoke(app, ["init", "--limit", "7", "--frames", "8"])
    assert done.output == "Written: tolman.toml. Next: tolman run tolman.toml\n"
    expected = RunConfig(benchmark="vsi-bench", model="baseline/best-constant", limit=7, frames=(8,))
    assert written() == expected
    dry = CliRunner().invoke(app, ["run", "tolman.toml", "--dry-run", "--data", "nowhere"])
    assert "nowhere" in str(dry.exception)  # the file was read, and the option with it


def test_in_a_terminal_it_asks_for_what_no_option_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tolman.commands.evaluate._in_terminal", lambda: True)
    answers = "mmsi-bench\nopenai/m\nhttp://localhost:8000/v1\n"
    done = CliRunner().invoke(app, ["init"], input=answers + "5\n")
    assert done.exit_code == 0, done.output
    assert written() == RunConfig(
        benchmark="mmsi-bench", model="openai/m", base_url="http://localhost:8000/v1", limit=5
    )
    CliRunner().invoke(app, ["init", "--out", "other.toml", "--limit", "3"], input="\n\n")
    assert written("other.toml") == RunConfig(benchmark="vsi-bench", model="baseline/best-constant", limit=3)


def test_a_shell_completes_the_names_that_init_takes() -> None:
    (benchmark,) = (one for one in fields_of(InitConfig) if one.name == "benchmark")
    assert benchmark.setting.names is not None
    assert "easi-8" not in benchmark.setting.names()
    assert "vsi-bench" in benchmark.setting.names()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["no-such-bench"], "there is no benchmark 'no-such-bench'"),
        (["--model", "gpt-4o"], "there is no model 'gpt-4o'"),
        (["--model", "openai/"], "there is no model 'openai/'"),
        (["--base-url", "localhost:8000/v1"], "write http://localhost:8000/v1, not 'localhost:8000/v1'"),
        (["--base-url", "http://a:1/v1,ftp://b:2/v1"], "write http://b:2/v1, not 'ftp://b:2/v1'"),
    ],
)
def test_what_run_would_refuse_is_not_written(options: list[str], said: str) -> None:
    done = CliRunner().invoke(app, ["init", *options])
    assert isinstance(done.exception, UsageError)
    assert said in str(done.exception)
    assert not Path("tolman.toml").exists()


def test_a_folder_of_the_file_is_made_and_its_comments_name_it() -> None:
    done = CliRunner().invoke(app, ["init", "--out", "new/first.toml"])
    assert done.output == "Written: new/first.toml. Next: tolman run new/first.toml\n"
    assert "# Run it:        tolman run new/first.toml\n" in Path("new/first.toml").read_text()


def test_nothing_is_overwritten() -> None:
    Path("tolman.toml").write_text("mine = 1")
    done = CliRunner().invoke(app, ["init"])
    assert str(done.exception) == "tolman.toml is there already; give another file with --out."
    assert Path("tolman.toml").read_text() == "mine = 1"
