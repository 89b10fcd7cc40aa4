"""The commands as a user types them, with their typos."""

import inspect
import json
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import typer.main

import terminal
from tolman import cli

EXTRACT = Path(__file__).resolve().parent / "extracts" / "vsi_bench_extract.jsonl"


def tolman(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return terminal.tolman(cwd, *arguments)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two runs in it."""
    folder = tmp_path_factory.mktemp("place")
    for name in ("best-constant", "random"):
        done = tolman(
            "run", "vsi-bench", "--data", str(EXTRACT), "--protocol", "blind", "--model", f"baseline/{name}", "--out", name,
            cwd=folder,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    return folder


def test_run_writes_a_folder_that_says_all_about_itself(place: Path) -> None:
    record = json.loads((place / "random" / "run.json").read_text())
    assert record["settings"]["model"] == "baseline/random"
    assert record["settings"]["seed"] == 0
    assert record["settings"]["data_hash"]
    figures = json.loads((place / "random" / "scores.json").read_text())
    assert set(figures["rule_sets"]) == {"official", "careful"}
    assert figures["rule_sets"]["official"]["expectation_cells"]["rel_distance"]["value"] == pytest.approx(25)
    assert {p.name for p in (place / "random").iterdir()} == {
        "run.json", "items.parquet", "responses.jsonl", "scores.parquet", "scores.json", "report.html", "tolman.toml",
        "usage.json",
    }  # fmt: skip


def test_the_same_run_twice_gives_the_same_bytes(place: Path) -> None:
    before = {name: (place / "random" / name).read_bytes() for name in ("responses.jsonl", "scores.json")}
    tolman("run", "vsi-bench", "--data", str(EXTRACT), "--protocol", "blind", "--model", "baseline/random", "--out", "random", cwd=place)  # fmt: skip
    assert before == {name: (place / "random" / name).read_bytes() for name in before}


def test_compare_takes_several_runs_and_corrects_over_all_of_them(place: Path) -> None:
    done = tolman("compare", "best-constant", "random", "random", cwd=place)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("detectable") == 3  # two headings and what it means
    rows = sum(" … " in line or " –  " in line for line in done.stdout.splitlines())
    assert f"corrected for {rows} tests" in done.stdout


@pytest.mark.parametrize("name", ["t.md", "t.csv", "t.tex", "t.json", "t.html"])
def test_report_writes_every_form(place: Path, name: str) -> None:
    done = tolman("report", "best-constant", "random", "--out", name, cwd=place)
    assert done.returncode == 0, done.stderr
    assert "baseline/best-constant" in (place / name).read_text().replace("\\-", "-")


@pytest.mark.parametrize("published", ["none", "baselines", "paper", "all"])
def test_the_page_of_a_run_has_the_published_rows_of_its_table(place: Path, published: str) -> None:
    done = tolman("score", "random", "--published", published, "--json", cwd=place)
    assert done.returncode == 0, done.stderr
    rows = [row for row in json.loads(done.stdout)["rows"] if row["rules"] == "published"]
    assert bool(rows) == (published != "none")
    assert (place / "random" / "report.html").read_text().count('<tr class="published">') == len(rows)


def test_score_takes_responses_and_ends_with_one_where_some_are_missing(place: Path) -> None:
    first = json.loads(EXTRACT.read_text().splitlines()[0])
    (place / "answers.jsonl").write_text(json.dumps({"id": first["id"], "response": first["ground_truth"]}))
    done = tolman("score", "answers.jsonl", "--benchmark", "vsi-bench", "--data", str(EXTRACT), "--out", "s", cwd=place)
    assert done.returncode == 1
    assert "\nINCOMPLETE: answers: 95 missing of 96 items" in done.stdout
    wrong = tolman("score", "answers.jsonl", "--benchmark", "vsi-bench", "--data", str(EXTRACT), "--count-failures-as-wrong", "--out", "w", cwd=place)  # fmt: skip
    assert "counted as wrong" in wrong.stdout


def test_a_part_is_marked(place: Path) -> None:
    limited = ("--model", "baseline/random", "--limit", "10", "--out", "p")
    done = tolman("run", "vsi-bench", "--data", str(EXTRACT), *limited, cwd=place)
    assert "baseline/random [10 of 5,130]" in done.stdout
    notes = tolman("report", "p", "--notes", cwd=place)
    assert "PART: baseline/random: 10 of 96 items (--limit 10)." in notes.stdout


def test_a_terminal_without_a_width_prints_all_the_same(place: Path) -> None:
    done = terminal.tolman(place, "report", "nowhere", COLUMNS="0")
    assert done.returncode == 2
    assert "nowhere" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["run", "vsi-bnch", "--model", "baseline/random"], "there is no benchmark 'vsi-bnch'"),
        (["run", "vsi-bench", "--model", "baseline/randm"], "there is no baseline 'randm'"),
        (["run", "vsi-bench", "--model", "baseline/random", "--data", "nowhere"], "nowhere: does not exist"),
        (["run", "vsi-bench", "--model", "baseline/random", "--data", "."], "holds no VSI-Bench questions"),
        (["run", "vsi-bench", "--model", "baseline/random", "--data", "DATA", "--subset", "tinny"], "no subset 'tinny'; did you mean 'tiny'"),
        (["run", "vsi-bench", "--model", "baseline/random", "--data", "DATA", "--subset", "circular"], "To ask any questions this way, give --protocol circular."),
        (["run", "vsi-bench", "--model", "baseline/random", "--data", "DATA", "--protocol", "blnd"], "no protocol 'blnd'"),
        (["run", "vsi-bench", "--model", "baseline/random", "--data", "DATA", "--preset", "x"], "no preset 'x'; known: open"),
        (["run", "vsi-bench", "--model", "baseline/random", "--data", "DATA", "--tasks", "x"], "no question type 'x'"),
        (["score", "nothing.jsonl", "--benchmark", "vsi-bench", "--data", "DATA"], "nothing.jsonl: does not exist"),
        (["score", "random/responses.jsonl"], "Name it with --benchmark"),
        (["score", "random/responses.jsonl", "--benchmark", "vsi-bench", "--data", "DATA", "--format", "x"], "no response format 'x'"),
        (["compare", "random", "nowhere"], "nowhere: is no run folder"),
        (["compare", "random", "best-constant", "--rules", "x"], "don't share the rule set 'x'; shared: official, careful"),
        (["report", "random", "--format", "doc"], "there is no report format 'doc'"),
        (["report", "random", "--published", "some"], "--published takes none, baselines, newest, all"),
        (["benchmarks", "x"], "there is no benchmark 'x'"),
    ],
)  # fmt: skip
def test_a_typo_is_one_sentence_and_exit_code_two(place: Path, arguments: list[str], sentence: str) -> None:
    done = tolman(*(str(EXTRACT) if a == "DATA" else a for a in arguments), cwd=place)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_help_names_every_command_with_an_example(place: Path) -> None:
    for command in ("benchmarks", "run", "score", "compare", "report"):
        done = tolman(command, "--help", cwd=place)
        assert done.returncode == 0
        assert "Example:" in done.stdout


def test_the_hub_that_cannot_be_reached_is_one_sentence(place: Path) -> None:
    command = ("run", "site", "--model", "baseline/random")
    done = terminal.tolman(place, *command, HF_HUB_OFFLINE="1", HF_HOME=str(place / "hf"))
    assert done.returncode == 2
    assert "can't be fetched from the Hugging Face hub" in done.stderr
    assert "--data FOLDER" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_root_has_every_command_of_every_module() -> None:
    """They are named in one table, so that a command line imports the module of its own command alone."""
    found: dict[str, str] = {}
    for file in (Path(cli.__file__).parent / "commands").glob("*.py"):
        module = import_module(f"tolman.commands.{file.stem}")
        found |= {name: file.stem for name in cli.GROUPS if hasattr(module, f"{name}_app")}
        commands = module.app.registered_commands if hasattr(module, "app") else []
        found |= {one.name or one.callback.__name__: file.stem for one in commands}
    assert found == {name: module for name, (module, _) in cli.COMMANDS.items()}
    assert all(cli.command(name).name == name for name in cli.COMMANDS)


@pytest.mark.parametrize(("begun", "found"), [("recon", "reconcile"), ("run --frame-s", "--frame-store")])
def test_a_shell_completes_commands_and_options(begun: str, found: str) -> None:
    asked = {
        "_TOLMAN_COMPLETE": "complete_bash",
        "COMP_WORDS": f"tolman {begun}",
        "COMP_CWORD": str(len(begun.split())),
    }
    code = "import sys; sys.argv = ['tolman']; from tolman.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, **asked}, capture_output=True, text=True)
    assert done.stdout.split() == [found], done.stderr


def test_the_list_of_commands_says_what_each_says_first() -> None:
    """So that the list of all needs none of them."""
    for name, (_, said) in cli.COMMANDS.items():
        assert said == inspect.cleandoc(cli.command(name).help or "").split("\n\n")[0], name


def test_a_mistyped_command_is_told_the_nearest(tmp_path: Path) -> None:
    done = tolman("rnu", cwd=tmp_path)
    assert done.returncode == 2
    assert "Did you mean 'run'?" in done.stderr


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_terminal_that_lacks_a_sign_gets_another(encoding: str) -> None:
    command = [sys.executable, "-m", "tolman", "benchmarks"]
    done = subprocess.run(command, capture_output=True, env={**os.environ, "PYTHONIOENCODING": encoding}, check=False)
    assert done.returncode == 0, done.stderr
    done.stdout.decode(encoding)


def test_a_command_is_made_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    make = typer.main.get_command_from_info

    def counted(command_info: Any, **settings: Any) -> Any:
        made.append(command_info.callback.__name__)
        return make(command_info, **settings)

    monkeypatch.setattr(typer.main, "get_command_from_info", counted)
    cli.command.cache_clear()
    assert cli.command("score").name == "score"
    assert made == ["score"]


MANY = (
    r"\b1 (?:[a-z]+ )?(?:items|questions|calls|answers|responses|rows|frames|scenes|runs|files|tests|models|groups)\b"
)


def test_a_number_of_one_has_words_for_one(tmp_path: Path) -> None:
    (tmp_path / "data.jsonl").write_text(EXTRACT.read_text().splitlines()[0] + "\n")
    identity = json.loads(EXTRACT.read_text().splitlines()[0])["id"]
    (tmp_path / "lost.jsonl").write_text(json.dumps({"id": str(identity), "failure": "timeout"}))
    data = ("vsi-bench", "--data", "data.jsonl")
    blind = ("--protocol", "blind", "--notes", "--published", "none")
    lines = [
        ("run", *data, "--model", "baseline/random", "--out", "a", *blind),
        ("run", *data, "--model", "baseline/best-constant", "--out", "b", *blind),
        ("score", "lost.jsonl", "--benchmark", *data, "--out", "lost", "--notes", "--published", "none"),
        ("compare", "a", "b"),
        ("reconcile", "a", "b"),
        ("report", "a", "b", "lost", "--notes", "--by", "task", "--published", "none"),
        ("analyze", "deltas", "a"),
        ("curate", "duplicates", *data),
    ]
    said = "\n".join(done.stdout + done.stderr for done in (tolman(*line, cwd=tmp_path) for line in lines))
    assert "INCOMPLETE: lost: 1 failed of 1 item, not in the figures" in said
    assert "PART: the data holds 1 of the 5,130 released questions." in said
    assert " 1 effective scene; an interval needs at least 6" in said
    assert "None of 1 item has different scores." in said
    assert re.findall(MANY, said) == []
