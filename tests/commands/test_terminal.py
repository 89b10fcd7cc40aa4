"""Events in a terminal, and where there is none.

No text that is printed steers the terminal.

`tolman init`, and the file that it writes.
"""

import io
import json
import time
from pathlib import Path

import pytest
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text
from typer.testing import CliRunner

from tolman.cli import app
from tolman.commands.configured import console, has_table
from tolman.errors import UsageError
from tolman.features.config import fields_of, make, read_tables
from tolman.features.events import Advanced, Began, Ended, Events, Noted
from tolman.features.printing import TextConsole, progress, say, write_json
from tolman.features.report.render import print_wide
from tolman.features.run.config import InitConfig, RunConfig
from tolman.visible import visible


def tell(events: Events) -> None:
    events(Began("reading [scenes]"))
    events(Noted("skipped: a [b]: no box", "warning"))
    events(Began("choosing questions", 3))
    events(Advanced(2, "4k tokens"))
    events(Advanced())
    events(Ended())
    events(Noted("7 calls"))


def test_a_terminal_shows_the_step_its_count_and_its_state(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")  # a dumb one shows nothing that moves
    file = io.StringIO()
    with progress(Console(file=file, force_terminal=True, width=200)) as events:
        events(Began("choosing [questions]", 3))
        events(Advanced(2, "4k tokens"))
    shown = file.getvalue()
    assert "choosing [questions]" in shown
    assert "2/3" in shown
    assert "4k tokens" in shown


def test_elsewhere_notes_alone_stand_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    with progress() as events:
        tell(events)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err == "skipped: a [b]: no box\n7 calls\n"


def test_elsewhere_a_long_step_has_a_line_now_and_then_even_before_anything_is_done(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tolman.features.printing.SECONDS_APART", 0.1)
    shown = ""
    with progress() as events:
        events(Began("drawing [scenes]", 3))
        for line in ("drawing [scenes]: 0 of 3 after 0 s\n", "drawing [scenes]: 1 of 3 after 0 s\n"):
            for _ in range(200):
                shown += capsys.readouterr().err
                if line in shown:
                    break
                time.sleep(0.05)
            assert line in shown
            events(Advanced())


def test_what_advances_before_anything_began_is_passed_over(capsys: pytest.CaptureFixture[str]) -> None:
    with progress() as events:
        events(Advanced())
        events(Ended())
    assert capsys.readouterr() == ("", "")


HOSTILE = "a\x1b[2J\x1b]0;b\x07\x9b1m\u202ec"


@pytest.mark.parametrize("terminal", [False, True])
def test_texts_sentences_and_tables_are_shown(terminal: bool) -> None:
    file = io.StringIO()
    shown = TextConsole(file=file, force_terminal=terminal, color_system=None, width=200)
    grid = Table(title=escape(HOSTILE))
    grid.add_column(escape(HOSTILE))
    grid.add_row(escape(HOSTILE))
    say(shown, HOSTILE)
    shown.print(f"[bold]{escape(HOSTILE)}[/]", Text(HOSTILE))
    shown.print(grid)
    print_wide(shown, grid)
    text = file.getvalue()
    assert visible(text.replace("\x1b[1m", "").replace("\x1b[3m", "").replace("\x1b[0m", "")).count("\n") == text.count(
        "\n"
    )
    assert not set("\x07\x9b\u202e") & set(text)
    assert "\x1b[2J" not in text
    assert "\x1b]" not in text
    assert r"a\x1b[2J\x1b]0;b\x07\x9b1m\u202ec" in text


def test_a_name_between_colons_is_no_emoji() -> None:
    file = io.StringIO()
    shown = TextConsole(file=file)
    say(shown, "m.py:a: 1 failed")
    shown.print("m.py:b: 2 failed")
    assert file.getvalue().split("\n") == ["m.py:a: 1 failed", "m.py:b: 2 failed", ""]


def test_json_in_a_terminal_keeps_its_meaning() -> None:
    file = io.StringIO()
    write_json(TextConsole(file=file), {"said": HOSTILE}, ascii_only=False)
    assert visible(file.getvalue()) == file.getvalue()
    assert json.loads(file.getvalue()) == {"said": HOSTILE}


def test_every_console_of_the_commands_shows_them(capsys: pytest.CaptureFixture[str]) -> None:
    console().print(HOSTILE)
    console(stderr=True).print(HOSTILE)
    with progress() as events:
        events(Noted(HOSTILE))
    captured = capsys.readouterr()
    assert captured.out.count(r"\x1b[2J") == 1
    assert captured.err.count(r"\x1b[2J") == 2
    assert "\x1b[2J" not in captured.out + captured.err


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
