"""Suites: what a file becomes, what it is refused for, and runs of whole processes that are killed and go on by two."""

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import terminal
import tolman
from runs.letters import bench, serving_process
from tolman.errors import InputError, UsageError
from tolman.features.run.suite_file import models_of, read_suite

SUITE = """
out = "out"
concurrency = 4

[[model]]
model = "openai/one"
base_url = "http://one/v1"

[[model]]
model = "openai/two"
base_url = "http://two/v1"
max_tokens = 9

[[benchmark]]
benchmark = "./a"
max_tokens = 5

[[benchmark]]
benchmark = "./b"

[[protocol]]
protocol = "direct"

[[protocol]]
protocol = "cot"
reasoning-tokens = 100
"""


def written(place: Path, text: str) -> Path:
    path = place / "suite.toml"
    path.write_text(text)
    return path


def test_runs_are_all_combinations_each_in_its_folder(tmp_path: Path) -> None:
    configs = read_suite(written(tmp_path, SUITE))
    assert [(c.model, c.benchmark, c.protocol) for c in configs] == [
        (f"openai/{m}", f"./{b}", p) for m in ("one", "two") for b in ("a", "b") for p in ("direct", "cot")
    ]
    assert len({c.out for c in configs}) == 8
    assert configs[0].out == Path("out/a/openai-one-direct")
    # The model's table holds before the protocol's, that before the benchmark's.
    assert [c.max_tokens for c in configs] == [5, 5, None, None, 9, 9, 9, 9]
    assert {c.reasoning_tokens for c in configs if c.protocol == "cot"} == {100}
    assert {c.concurrency for c in configs} == {4}


def test_a_setting_has_two_spellings(tmp_path: Path) -> None:
    text = SUITE.replace("concurrency = 4", "max_tokens = 3").replace("max_tokens = 5", "max-tokens = 5")
    found = [c.max_tokens for c in read_suite(written(tmp_path, text))]
    assert found == [5, 5, 3, 3, 9, 9, 9, 9]
    with pytest.raises(InputError, match="'max_tokens' and 'max-tokens' are one setting; leave one out"):
        read_suite(written(tmp_path, SUITE.replace("max_tokens = 9", "max_tokens = 9\nmax-tokens = 8")))


def test_what_is_given_holds_before_the_file(tmp_path: Path) -> None:
    configs = read_suite(written(tmp_path, SUITE), {"out": "elsewhere", "limit": 3, "max_tokens": 1})
    assert {(c.limit, c.max_tokens) for c in configs} == {(3, 1)}
    assert {c.out.parts[0] for c in configs if c.out} == {"elsewhere"}


def test_lists_of_names_are_tables_for_short(tmp_path: Path) -> None:
    configs = read_suite(written(tmp_path, 'model = ["openai/a", "openai/b"]\nbenchmark = "./x"\n'))
    assert [c.model for c in configs] == ["openai/a", "openai/b"]
    assert {c.protocol for c in configs} == {"direct"}
    assert configs[0].out == Path("runs/suite/x/openai-a-direct")


def test_one_endpoints_runs_come_after_each_other(tmp_path: Path) -> None:
    text = SUITE + '\n[[model]]\nmodel = "hf/x"\n\n[[model]]\nmodel = "hf/y"\n'
    groups = models_of(read_suite(written(tmp_path, text)))
    assert [len(group) for group in groups] == [4, 4, 8]  # networks of this machine share it


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[[model]]\nmodel = 'openai/a'\n", r"suite.toml: has no \[\[benchmark\]\] table; write"),
        (SUITE.replace("max_tokens = 9", "max_token = 9"), "line 12: there is no setting 'max_token'; did you mean 'max_tokens'"),
        ("concurency = 3\n" + SUITE, "line 1: there is no setting 'concurency'; did you mean 'concurrency'"),
        (SUITE.replace("concurrency = 4", "concurrency = 0"), "--concurrency takes at least 1, not 0"),
        (SUITE.replace("concurrency = 4", "concurrency = 'many'"), "--concurrency takes a whole number"),
        (SUITE.replace("openai/two", "openai/one"), "has openai/one at http://one/v1 and at http://two/v1; give each a 'label'"),
        (SUITE.replace("./b", "./a"), "has openai/one with direct on ./a twice; leave one out"),
        (SUITE + "[[model]]\nlabel = 'x'\n", r"\[\[model\]\] table 3 says no 'model'"),
        ("model = 3\nbenchmark = 'x'", r"'model' is no table; write \[\[model\]\]"),
        ("model = [3]\nbenchmark = 'x'", "'model' holds 3; write"),
        ("model = ", "is no TOML"),
    ],
)  # fmt: skip
def test_a_wrong_file_is_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises((InputError, UsageError), match=sentence):
        read_suite(written(tmp_path, text))


def suite(place: Path, url: str, models: int = 3, benchmarks: int = 3, items: int = 30) -> None:
    for name in "abcdef"[:benchmarks]:
        bench(place / name, items)
    lines = ['out = "out"', 'store = "store.sqlite"', "concurrency = 4", f"benchmark = {json.dumps([f'./{n}' for n in 'abcdef'[:benchmarks]])}"]  # fmt: skip
    lines += ['protocol = ["direct", "cot"]']
    for number in range(models):
        lines += ["[[model]]", f'model = "openai/m{number}"', f'base_url = "{url}"']
    written(place, "\n".join(lines) + "\n")


def handles(pid: int, number: signal.Signals) -> bool:
    """Whether a process has a handler of a signal, as it has once its imports are done."""
    status = Path(f"/proc/{pid}/status").read_text()
    return bool(int(re.search(r"SigCgt:\s*(\w+)", status)[1], 16) >> (number - 1) & 1)  # type: ignore[index]


def started(place: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tolman", "run", "suite.toml", "--json"],
        cwd=place, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def means(text: str) -> list[dict[str, Any]]:
    return [row for table in json.loads(text)["benchmarks"] for row in table["rows"] if row["headline"]]


@pytest.mark.full
def test_killed_and_stopped_it_goes_on_by_two_at_once(tmp_path: Path) -> None:
    """3 models, 3 benchmarks, 2 protocols: SIGKILL, SIGTERM, then two processes; what was asked twice was in flight."""
    with serving_process(0.05) as url:
        suite(tmp_path, url)
        for number, code in ((signal.SIGKILL, -9), (signal.SIGTERM, 143)):
            process = started(tmp_path)
            while not handles(process.pid, signal.SIGTERM):
                time.sleep(0.05)
            time.sleep(2)
            process.send_signal(number)
            process.communicate(timeout=60)
            assert process.returncode == code
        both = [started(tmp_path), started(tmp_path)]
        told = [process.communicate(timeout=300) for process in both]
        assert [process.returncode for process in both] == [0, 0], told
        with_json = [means(out) for out, _ in told]
        assert with_json[0] == with_json[1]
        assert len(with_json[0]) == 18
        assert {row["figures"]["mean"]["value"] if "mean" in row["figures"] else 100.0 for row in with_json[0]} == {
            100.0
        }
        wanted = 3 * 3 * (1 + 2) * 30  # step by step takes two calls
        assert wanted <= total(url) <= wanted + 2 * 3 * 4  # two were stopped, each with four in flight for each model
    assert (tmp_path / "out" / "index.html").exists()


def total(url: str) -> int:
    import urllib.request

    with urllib.request.urlopen(url.removesuffix("/v1") + "/stats") as reply:
        return int(json.load(reply)["requests"])


def test_a_suite_has_one_report_and_a_dead_model_stops_no_other(tmp_path: Path) -> None:
    with serving_process(0.0) as url:
        suite(tmp_path, url, models=1, benchmarks=2, items=6)
        path = tmp_path / "suite.toml"
        path.write_text(path.read_text() + '[[model]]\nmodel = "openai/dead"\nbase_url = "http://127.0.0.1:9/v1"\n')
        done = terminal.typed(tmp_path, "run", "suite.toml", "--retries", "0", status=1)
        assert "out/b/openai-dead-cot: http://127.0.0.1:9/v1 can't be reached" in " ".join(done.stdout.split())
        assert "Letters a · all" in done.stdout
        page = (tmp_path / "out" / "index.html").read_text()
        assert "Letters b · all" in page
        assert 'href="a.html"' in page
        assert (tmp_path / "out" / "suite.toml").read_text() == path.read_text()
        terminal.typed(tmp_path, "run", "suite.toml", "--retries", "0", status=1)
        assert total(url) == 2 * 6 * 3  # nothing again; step by step takes two calls


def test_a_dry_run_asks_nothing(tmp_path: Path) -> None:
    with serving_process(0.0) as url:
        suite(tmp_path, url, models=2, benchmarks=1, items=6)
        done = terminal.typed(tmp_path, "run", "suite.toml", "--dry-run", "--json")
        found = json.loads(done.stdout)
        assert [(one["model"], one["protocol"], one["items"], one["calls"]) for one in found] == [
            (f"openai/m{m}", p, 6, calls) for m in range(2) for p, calls in (("direct", 6), ("cot", 12))
        ]
        assert total(url) == 0
    one = terminal.typed(tmp_path, "run", "./a", "--model", "openai/m", "--protocol", "cot", "--dry-run")
    assert "Nothing was asked." in one.stdout
    assert not (tmp_path / "runs").exists()


def test_a_folder_that_cannot_be_read_stops_no_other(tmp_path: Path) -> None:
    questions = [
        {
            "id": f"q{i}",
            "task": "t",
            "kind": "choice",
            "question": "Which?",
            "options": ("a", "b"),
            "answer": "AB"[i % 2],
        }
        for i in range(8)
    ]
    for name in ("broken", "whole"):
        tolman.load(questions).save(tmp_path / name)
    table = tmp_path / "broken" / "items.parquet"
    table.write_bytes(table.read_bytes()[:300])
    suite = 'benchmark = ["./broken", "./whole"]\nmodel = ["baseline/random"]\nprotocol = ["blind"]\n'
    (tmp_path / "suite.toml").write_text(suite)
    done = terminal.typed(tmp_path, "run", "suite.toml", "--out", "out", status=1)
    assert "broken/items.parquet: is no readable table of items" in done.stdout
    assert (tmp_path / "out/whole/baseline-random-blind/scores.json").exists()
    assert "INCOMPLETE" in (tmp_path / "out/index.html").read_text()
