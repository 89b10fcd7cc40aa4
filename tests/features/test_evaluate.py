"""Configs of runs: files that repeat them, suites, and older names of options."""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

import tolman
from terminal import tolman as command
from tolman.cli import app
from tolman.errors import UsageError
from tolman.features.config import make
from tolman.features.run.compute import requests_of
from tolman.features.run.config import RunConfig
from tolman.item_table import write_items
from tolman.items import Item

EXTRACT = Path(__file__).resolve().parents[1] / "extracts" / "vsi_bench_extract.jsonl"
RUN = ("run", "vsi-bench", "--data", str(EXTRACT), "--protocol", "blind", "--model", "baseline/random")


def test_the_file_in_a_runs_folder_repeats_the_run(tmp_path: Path) -> None:
    done = command(tmp_path, *RUN, "--seed", "7", "--limit", "10", "--out", "one")
    assert done.returncode == 0, done.stderr
    table = tomllib.loads((tmp_path / "one" / "tolman.toml").read_text())["run"]
    assert table == {
        "benchmark": "vsi-bench", "model": "baseline/random", "data": str(EXTRACT), "protocol": "blind", "seed": 7,
        "limit": 10, "out": "one",
    }  # fmt: skip
    again = command(tmp_path, "run", "--config", "one/tolman.toml", "--out", "two")
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "two" / "scores.json").read_bytes() == (tmp_path / "one" / "scores.json").read_bytes()


def test_a_repeated_runs_file_stays_movable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, choice: Callable[..., Item]
) -> None:
    project = tmp_path / "project"
    (project / "mine").mkdir(parents=True)
    write_items(project / "mine" / "items.parquet", [choice()])
    (project / "mine" / "benchmark.json").write_text('{"title": "Mine"}')
    monkeypatch.chdir(project)
    call = ["run", "./mine", "--model", "baseline/random", "--protocol", "blind", "--out", "one"]
    assert CliRunner().invoke(app, call).exit_code == 0
    monkeypatch.chdir(tmp_path)
    repeat = ["run", "--config", "project/one/tolman.toml"]
    assert CliRunner().invoke(app, repeat).exit_code == 0
    project.rename("moved")
    again = CliRunner().invoke(app, ["run", "--config", "moved/one/tolman.toml"])
    assert again.exit_code == 0, again.output
    assert CliRunner().invoke(app, ["run", "--config", "moved/one/tolman.toml", "--out", "two"]).exit_code == 0
    assert Path("two", "tolman.toml").exists()


def test_a_run_with_failures_has_its_file_too(tmp_path: Path) -> None:
    (tmp_path / "script.jsonl").write_text('{"id": "4", "response": "3"}\n')
    done = command(tmp_path, *RUN[:-1], "scripted/script.jsonl", "--limit", "3", "--out", "run")
    assert done.returncode == 1
    assert tomllib.loads((tmp_path / "run" / "tolman.toml").read_text())["run"]["limit"] == 3


def test_a_suite_is_several_tables_of_one_file(tmp_path: Path) -> None:
    tables = [
        f'[[run]]\nbenchmark = "vsi-bench"\ndata = "{EXTRACT}"\nmodel = "baseline/{name}"\nout = "{name}"\n'
        for name in ("random", "most-frequent")
    ]
    (tmp_path / "suite.toml").write_text("\n".join(tables))
    done = command(tmp_path, "run", "--config", "suite.toml", "--limit", "5")
    assert done.returncode == 0, done.stderr
    assert all((tmp_path / name / "scores.json").exists() for name in ("random", "most-frequent"))


def test_older_names_of_options_are_accepted_and_not_shown(tmp_path: Path) -> None:
    done = command(tmp_path, *RUN, "--repeats", "3", "--limit", "4", "--out", "run")
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "run" / "run.json").read_text())["settings"]["repeats"] == 3
    shown = command(tmp_path, "run", "--help", COLUMNS="200").stdout
    assert "--samples" in shown
    assert "--samples-per-vote" in shown
    assert "--repeats" not in shown
    assert "--draws" not in shown
    compared = command(tmp_path, "compare", "run", "run", "--scorer", "careful", "--json")
    assert json.loads(compared.stdout)["rules"] == "careful"


def test_a_setting_that_there_is_not_is_told_with_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text('[run]\nbenchmark = "vsi-bench"\nmodel = "baseline/random"\nprotocl = "blind"\n')
    done = command(tmp_path, "run", "--config", "run.toml")
    assert done.returncode == 2
    assert done.stderr.startswith("tolman: run.toml: there is no setting 'protocl'; did you mean 'protocol'?")


def test_every_setting_reaches_the_run() -> None:
    config = make(
        RunConfig,
        {
            "benchmark": "b", "model": "openai/m", "data": "d", "media": "e", "subset": "s", "revision": "r",
            "protocol": "cot", "preset": "p", "out": "o", "base_url": "u", "body": '{"a": 1}', "scenes": "w",
            "device": "cpu", "dtype": "auto", "batch_size": 2, "concurrency": 3, "timeout": 4.0, "retries": 5,
            "time_limit": 6.0, "judge": "openai/j", "judge_base_url": "v", "judge_body": '{"b": 2}', "judge_sample": "5%",
            "prices": "f.json", "temperature": 0.5, "top_p": 0.6, "top_k": 7, "max_tokens": 8, "seed": 9, "samples": 10,
            "reasoning_tokens": 11, "samples_per_vote": 12, "looks": 6, "grid": 13, "map_categories": "scene",
            "captioner": "openai/c", "captioner_url": "x", "matcher": "sift", "frames": "14", "fps": 15.0,
            "max_frames": 16, "quality": 17, "longest_side": 18, "tasks": "t", "ids": "1,2", "exclude": "3", "limit": 19,
            "store": "g", "frame_store": "h", "count_failures_as_wrong": True,
        },
    )  # fmt: skip
    (request,) = requests_of(config)
    assert (request.benchmark, request.model, request.data, request.media) == ("b", "openai/m", Path("d"), Path("e"))
    assert (request.subset, request.revision, request.protocol, request.preset) == ("s", "r", "cot", "p")
    assert request.store == "g"
    assert (request.out, request.frame_store, request.prices) == (Path("o"), Path("h"), Path("f.json"))
    options = request.options
    assert (options.base_url, options.body, options.scenes) == ("u", {"a": 1}, Path("w"))
    for one in (options, request.captioner_options, request.judge.options if request.judge else options):
        assert (one.device, one.dtype, one.batch_size, one.concurrency, one.timeout, one.seed) == (
            "cpu", "auto", 2, 3, 4.0, 9,
        )  # fmt: skip
    assert request.captioner_options.base_url == "x"
    assert (request.limits.retries, request.limits.run_seconds) == (5, 6.0)
    assert request.judge is not None
    assert (request.judge.model, request.judge.options.base_url, request.judge.options.body) == (
        "openai/j",
        "v",
        {"b": 2},
    )
    assert (request.judge.limits.retries, str(request.judge.sample)) == (5, "5%")
    assert request.sampling == {"temperature": 0.5, "top_p": 0.6, "top_k": 7, "max_tokens": 8}
    assert request.frames == {"count": 14, "per_second": 15.0, "cap": 16, "quality": 17, "longest_side": 18}
    assert request.protocol_options == {
        "reasoning_tokens": 11, "draws": 12, "looks": 6, "grid": 13, "map_categories": "scene", "captioner": "openai/c",
        "matcher": "sift",
    }  # fmt: skip
    selection = request.selection
    assert (selection.tasks, selection.ids, selection.exclude, selection.limit) == (("t",), ("1", "2"), ("3",), 19)
    assert (request.repeats, request.failures_are_wrong) == (10, True)


def test_ids_may_stand_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "ids.txt").write_text("4\n76\n\n4\n")
    run = tolman.evaluate("vsi-bench", "baseline/random", data=EXTRACT, ids=tmp_path / "ids.txt", out=tmp_path / "run")
    assert [item.id for item in run.items()] == ["4", "76"]
    assert run.record.settings.selection.describe() == "--ids (2)"


@pytest.mark.parametrize("body", ["[1]", "{"])
def test_a_body_is_a_json_object(body: str) -> None:
    with pytest.raises(tolman.errors.UsageError, match="--body takes a JSON object"):
        next(requests_of(RunConfig(benchmark="b", model="m", body=body)))


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"model": "openai/x", "on": "ray"}, r"carries local networks \(hf/…\); openai/x on ray is none"),
        ({"model": "hf/x", "on": "processes"}, "hf/x on processes is none"),
        ({"model": "hf/x", "on": "ray://nowhere"}, "--on takes here, processes, ray or ray://HOST:PORT"),
        ({"model": "hf/x", "workers": 2}, "name that with --on"),
    ],
)
def test_only_local_networks_go_to_a_cluster(given: dict[str, object], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        list(requests_of(RunConfig(benchmark="vsi-bench", **given)))  # type: ignore[arg-type]
