"""A run of a Python function that is stopped or killed goes on: whole processes."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from runs.letters import write_letters
from terminal import tolman as typed
from tolman.models.code import UNKNOWN, code_of
from tolman.models.python import PythonModel
from tolman.responses import Failure, FailureKind, Response

ITEMS = 40
MODEL = """
import os, time
from pathlib import Path

def answer(messages):
    with Path("calls").open("a") as calls:
        calls.write("x")
    stop = Path("stop")
    while len(Path("calls").read_text()) > 25 and stop.exists():
        time.sleep(0.01)
    return "A"
"""
SCRIPT = """
import tolman
from model import answer
tolman.evaluate("./bench", answer, protocol="blind", out="run")
"""
LINE = ("run", "./bench", "--model", "python/model.py:answer", "--protocol", "blind", "--out", "run")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    write_letters(tmp_path / "bench", ITEMS)
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "script.py").write_text(SCRIPT)
    (tmp_path / "calls").write_text("")
    (tmp_path / "stop").touch()
    return tmp_path


def calls(place: Path) -> int:
    return len((place / "calls").read_text())


def stop_at_26(place: Path, number: signal.Signals, *arguments: str) -> tuple[int, str]:
    """Start a process that is stopped in its 26th call; its exit code and what it said."""
    with subprocess.Popen([sys.executable, *arguments], cwd=place, stderr=subprocess.PIPE, text=True) as process:
        while calls(place) < 26:
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(number)
        (place / "stop").unlink()
        _, said = process.communicate(timeout=120)
    return process.returncode, " ".join(said.split())


def answers(place: Path) -> int:
    return len((place / "run" / "responses.jsonl").read_text().splitlines())


@pytest.mark.parametrize("way", [["-m", "tolman", *LINE], pytest.param(["script.py"], marks=pytest.mark.full)])
def test_a_killed_run_of_a_function_goes_on(place: Path, way: list[str]) -> None:
    stop_at_26(place, signal.SIGKILL, *way)
    before = calls(place)
    done = subprocess.run([sys.executable, *way], cwd=place, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert calls(place) - before == ITEMS - 25
    assert answers(place) == ITEMS
    assert not (place / "run" / "unfinished.jsonl").exists()


def test_a_stopped_run_goes_on_and_a_whole_one_begins_again(place: Path) -> None:
    code, said = stop_at_26(place, signal.SIGINT, "-m", "tolman", *LINE)
    assert code == 130
    assert "of 40 answered and kept; run the same command again to resume." in said
    before, kept = calls(place), answers(place)
    done = typed(place, *LINE, code=0)
    assert calls(place) - before == ITEMS - kept
    assert f"{kept} answers of an earlier start are reused" in " ".join(done.stderr.split())
    before = calls(place)
    assert typed(place, *LINE).returncode == 0
    assert calls(place) - before == ITEMS


def test_answers_of_other_code_are_not_reused(place: Path) -> None:
    stop_at_26(place, signal.SIGKILL, "-m", "tolman", *LINE)
    (place / "model.py").write_text(MODEL.replace('"A"', '"B"'))
    before = calls(place)
    done = typed(place, *LINE, code=0)
    assert calls(place) - before == ITEMS
    assert "Answers of an earlier start are not reused: the code has changed since." in " ".join(done.stderr.split())
    assert '"A"' not in (place / "run" / "responses.jsonl").read_text()


def test_other_settings_are_refused_where_answers_were_kept(place: Path) -> None:
    stop_at_26(place, signal.SIGKILL, "-m", "tolman", *LINE)
    done = typed(place, *LINE, "--temperature", "0.5", code=2)
    assert "run holds a run with sampling" in done.stderr


def test_an_earlier_whole_run_of_other_code_is_not_mixed_in(place: Path) -> None:
    (place / "stop").unlink()
    assert typed(place, *LINE).returncode == 0
    (place / "model.py").write_text(MODEL.replace('"A"', '"B"').replace("> 25", "> 45"))
    typed(place, *LINE, "--time-limit", "0.000001", code=1)
    assert '"A"' not in (place / "run" / "responses.jsonl").read_text()


def test_a_line_that_was_being_written_is_left_out(tmp_path: Path) -> None:
    from tolman.runs.response_store import UnfinishedRun

    run = UnfinishedRun(tmp_path, "code")
    run.begin()
    for one in (Response(id="a", response="x"), Failure(id="b", kind=FailureKind.SERVER, message="m")):
        run.add(one)
    run.end(is_whole=False)
    with run.path.open("a") as file:
        file.write('{"id": "c", "resp')
    again = UnfinishedRun(tmp_path, "code")
    kept, others = again.begin()
    again.end(is_whole=False)
    assert (list(kept), others) == ([("a", 0)], False)
    other = UnfinishedRun(tmp_path, "other")
    assert other.begin()[1]
    other.end(is_whole=True)
    assert not other.path.exists()


def function_of(source: str) -> object:
    """A function that was typed in, as in a notebook."""
    names: dict[str, object] = {"__name__": "a_notebook"}
    exec(source, names)
    return names["f"]


def test_a_function_without_a_file_is_told_by_its_compiled_code() -> None:
    source = "k = 1\ndef g(m): return str(k)\ndef f(m): return g(m)"
    codes = {
        code_of(PythonModel(function_of(text)))  # type: ignore[arg-type]
        for text in (source, source, source.replace("k = 1", "k = 2"), source.replace("str(k)", "str(k + 1)"))
    }
    assert len(codes) == 3
    assert UNKNOWN not in codes


def test_a_version_stands_in_place_of_the_code() -> None:
    class Mine:
        version = "2"

        def __call__(self, messages: object) -> str:
            return "A"

    assert code_of(PythonModel(Mine())) == "version 2"


CALLABLES = """
import functools, itertools
import tolman

def make(text, stop=10**6):
    def answer(messages):
        return text if next(said) < stop else None
    return answer

class Mine:
    def __init__(self, text, stop=10**6):
        self.text, self.stop = text, stop
    def __call__(self, messages):
        return self.text if next(said) < self.stop else None
    def ask(self, messages):
        return self(messages)

def bound(text, stop, messages):
    return text if next(said) < stop else None

kinds = {
    "closure": make,
    "lambda": lambda text, stop=10**6: lambda messages: text if next(said) < stop else None,
    "object": Mine,
    "method": lambda text, stop=10**6: Mine(text, stop).ask,
    "partial": lambda text, stop=10**6: functools.partial(bound, text, stop),
}
for name, kind in kinds.items():
    said = itertools.count()
    tolman.evaluate("./bench", kind("A", 20), protocol="blind", out=name, retries=0)
    notes = []
    run = tolman.evaluate("./bench", kind("B"), protocol="blind", out=name, retries=0, events=notes.append)
    assert {one.response for one in run.outcomes()} == {"B"}, name
    assert "Answers of an earlier start are not reused: the model can't be identified" in str(notes), notes
"""


def test_answers_of_a_callable_that_cannot_be_identified_are_not_reused(place: Path) -> None:
    (place / "script.py").write_text(CALLABLES)
    done = subprocess.run([sys.executable, "script.py"], cwd=place, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_an_object_of_a_file_is_identified_by_the_file_that_names_it(place: Path) -> None:
    (place / "library.py").write_text(
        "class Mine:\n    def __init__(s, a): s.a = a\n    def __call__(s, m): return s.a\n"
    )
    codes = []
    for text in "AAB":
        (place / "named.py").write_text(f"from library import Mine\nmodel = Mine('{text}')\n")
        line = (
            "from tolman import models; from tolman.models.model import ModelOptions; from tolman.models.code import "
            "code_of; print(code_of(models.create('python/named.py:model', ModelOptions())))"
        )
        done = subprocess.run([sys.executable, "-c", line], cwd=place, capture_output=True, text=True, check=True)
        codes.append(done.stdout)
    assert codes[0] == codes[1] != codes[2]


SEVERAL = """
import pytest
import tolman
from tolman.errors import RunConflictError

class Mine:
    def __init__(self, text): self.text = text
    def __call__(self, messages): return self.text

def plain(messages): return "A"

def texts(run):
    return {one.response for one in run.outcomes()}

for bench in ("./bench", list(tolman.load("./bench"))):
    runs = [tolman.evaluate(bench, Mine(text), protocol="blind") for text in "ABA"]
    assert [texts(run) for run in runs] == [{"A"}, {"B"}, {"A"}], runs
    first = runs[0].path
    assert [run.path.name for run in runs[1:]] == [f"{first.name}-2", f"{first.name}-3"]
    paths = {tolman.evaluate(bench, plain, protocol="blind").path for _ in range(2)}
    assert len(paths) == 1, paths
    paths = {tolman.evaluate(bench, plain, protocol="blind", out=f"named-{first.parent.name}").path for _ in range(2)}
    with pytest.raises(RunConflictError, match="holds a finished run, and x isn't known to be the callable"):
        tolman.evaluate(bench, Mine("B"), protocol="blind", out=first, name="x")
    assert texts(runs[0]) == {"A"}
"""


@pytest.mark.full
def test_another_callable_gets_another_folder(place: Path) -> None:
    (place / "script.py").write_text(SEVERAL)
    done = subprocess.run([sys.executable, "script.py"], cwd=place, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
