"""`import tolman`: the same scores from a script, a thread, a running event loop and the command. Over HTTP."""

import asyncio
import hashlib
import inspect
import json
import os
import pkgutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import terminal
import tolman
from loopback import Server, serving
from three_rooms import ROOMS
from tolman.errors import InputError, MissingExtraError, UsageError
from tolman.features.config import fields_of
from tolman.features.events import Advanced, Began, Ended, Event, Noted
from tolman.features.report.config import ReportConfig

EXTRACT = Path(__file__).resolve().parent / "extracts" / "vsi_bench_extract.jsonl"
SETTINGS: dict[str, Any] = {"data": EXTRACT, "protocol": "blind"}
Make = Callable[..., tolman.Item]


def letter(text: str) -> str:
    """An answer that the question's text determines."""
    return "ABCD123"[hashlib.sha256(text.encode()).digest()[0] % 7]


def reply(body: dict[str, Any]) -> str:
    return letter(body["messages"][-1]["content"])


def own(messages: list[dict[str, Any]]) -> str:
    """A model that answers as the server does."""
    return letter("\n".join(part["text"] for part in messages[-1]["content"] if part["type"] == "text"))


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving(Server(reply=reply)) as address:
        yield address


@pytest.fixture(scope="module")
def commanded(url: str, tmp_path_factory: pytest.TempPathFactory) -> tolman.Run:
    """The run that the command makes."""
    place = tmp_path_factory.mktemp("command")
    terminal.typed(
        place, "run", "vsi-bench", "--data", str(EXTRACT), "--protocol", "blind", "--model", "openai/m", "--base-url", url,
        "--out", "run",
    )  # fmt: skip
    return tolman.open_run(place / "run")


@pytest.fixture(autouse=True)
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs, answers and frames are kept in a folder of the test's own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOLMAN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("OPENAI_API_KEY", "none")


def test_a_script_gets_the_scores_of_the_command(url: str, commanded: tolman.Run, tmp_path: Path) -> None:
    script = f"""
import json, sys, tolman
run = tolman.evaluate("vsi-bench", "openai/m", base_url={url!r}, data={str(EXTRACT)!r}, protocol="blind", out="run")
json.dump(run.scores.to_dict(), sys.stdout)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False, env=dict(os.environ)
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == commanded.scores.to_dict()
    assert tolman.open_run(tmp_path / "run").scores == commanded.scores


def test_a_thread_gets_the_scores_of_the_command_and_all_files(url: str, commanded: tolman.Run) -> None:
    found: list[tolman.Run] = []

    def work() -> None:
        found.append(tolman.evaluate("vsi-bench", "openai/m", base_url=url, out="run", **SETTINGS))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    (run,) = found
    assert run.scores == commanded.scores
    assert {path.name for path in run.path.iterdir()} >= {"responses.jsonl", "scores.json", "scores.parquet"}
    assert len(run.outcomes()) == 96


def test_a_running_event_loop_gets_the_scores_of_the_command(url: str, commanded: tolman.Run) -> None:
    async def notebook() -> tolman.Run:
        return tolman.evaluate("vsi-bench", "openai/m", base_url=url, out="run", **SETTINGS)

    assert asyncio.run(notebook()).scores == commanded.scores


def test_aevaluate_gets_the_scores_of_the_command_and_leaves_the_loop_free(url: str, commanded: tolman.Run) -> None:
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.005)
            ticks += 1

    async def main() -> tolman.Run:
        ticking = asyncio.create_task(tick())
        try:
            return await tolman.aevaluate("vsi-bench", "openai/m", base_url=url, out="run", **SETTINGS)
        finally:
            ticking.cancel()

    assert asyncio.run(main()).scores == commanded.scores
    assert ticks > 0


def test_a_callable_gets_the_scores_of_the_command(commanded: tolman.Run) -> None:
    run = tolman.evaluate("vsi-bench", own, **SETTINGS)
    assert run.path == Path("runs/vsi-bench-full/python-own-blind")
    assert run.record.settings.model == "python/own"
    assert run.scores == commanded.scores


def test_two_threads_at_once_do_not_mix() -> None:
    found: dict[str, tolman.Run] = {}
    together = threading.Barrier(2)

    def work(answer: str) -> None:
        async def model(messages: list[dict[str, Any]]) -> str:
            await asyncio.sleep(0.002)
            return answer

        together.wait()
        found[answer] = tolman.evaluate("vsi-bench", model, name=f"always {answer}", **SETTINGS)

    threads = [threading.Thread(target=work, args=(answer,)) for answer in "AB"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for answer, run in found.items():
        assert set(run.samples()["response"]) == {answer}
        assert run.record.settings.model == f"always {answer}"
    assert found["A"].scores != found["B"].scores


def test_two_runs_on_one_loop_do_not_mix(url: str, commanded: tolman.Run) -> None:
    async def main() -> list[tolman.Run]:
        return await asyncio.gather(
            tolman.aevaluate("vsi-bench", own, out="a", **SETTINGS),
            tolman.aevaluate("vsi-bench", "openai/m", base_url=url, out="b", **SETTINGS),
        )

    a, b = asyncio.run(main())
    assert a.scores == b.scores == commanded.scores


def test_a_cancelled_run_keeps_and_scores_what_came() -> None:
    asked = 0

    async def slow(messages: list[dict[str, Any]]) -> str:
        nonlocal asked
        asked += 1
        await asyncio.sleep(0 if asked <= 20 else 600)
        return "A"

    async def main() -> None:
        task = asyncio.create_task(tolman.aevaluate("vsi-bench", slow, out="run", concurrency=4, **SETTINGS))
        while asked <= 20 and not task.done():
            await asyncio.sleep(0.01)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(main())
    run = tolman.open_run("run")
    assert len(run.outcomes()) == 20
    assert run.scores.incomplete == 76
    assert tolman.evaluate("vsi-bench", own, name="python/slow", out="again", **SETTINGS).scores.incomplete == 0


def test_a_folder_is_free_again_after_a_run_that_was_refused() -> None:
    tolman.evaluate("vsi-bench", own, out="run", **SETTINGS)
    with pytest.raises(
        tolman.errors.RunConflictError, match="run holds a run with selection everything, not --limit 5"
    ):
        tolman.evaluate("vsi-bench", own, out="run", limit=5, **SETTINGS)
    assert tolman.evaluate("vsi-bench", own, out="run", **SETTINGS).scores.incomplete == 0


def test_several_benchmarks_are_several_runs(choice: Make) -> None:
    mine = tolman.load([choice(id="1"), choice(id="2")], name="mine")
    runs = tolman.evaluate([tolman.load("vsi-bench", data=EXTRACT), mine], own, protocol="blind", out="all")
    assert [run.path.name for run in runs] == ["1-vsi-bench", "2-mine"]
    assert [len(run.items()) for run in runs] == [96, 2]


def test_own_questions_are_a_benchmark_that_can_be_opened_later(choice: Make) -> None:
    items = [choice(id="1", answer="B", task="left"), choice(id="2", answer="A", task="right")]
    run = tolman.evaluate(items, lambda messages: "B", name="b")
    assert run.scores.headline.value == 50
    assert run.path == Path("runs/items/b-direct")
    terminal.typed(Path.cwd(), "score", str(run.path))
    assert tolman.open_run(run.path).scores == run.scores
    assert "Avg." in tolman.report(run).render("markdown")


def test_a_part_of_a_benchmark_is_scored_as_the_benchmark_is() -> None:
    items = tolman.load("vsi-bench", data=EXTRACT).items()[:8]
    run = tolman.evaluate(items, lambda messages: "3", protocol="blind")
    assert run.scores.scorers == ("official", "careful")
    assert list(run.scores.cells()) == list(tolman.load("vsi-bench", data=EXTRACT).score({items[0].id: "3"}).cells())


def test_a_benchmark_gives_its_questions_as_objects_and_as_a_table() -> None:
    benchmark = tolman.load("vsi-bench", data=EXTRACT)
    assert (benchmark.name, benchmark.title, benchmark.subset, len(benchmark)) == ("vsi-bench", "VSI-Bench", "full", 96)
    assert [item.id for item in benchmark] == benchmark.table()["id"].to_list()
    item = benchmark.items()[0]
    assert benchmark[item.id] is item
    assert repr(benchmark) == "<Benchmark VSI-Bench · full: 96 items>"


def test_a_run_tells_its_samples_failures_and_cost(tmp_path: Path) -> None:
    def model(messages: list[dict[str, Any]]) -> str:
        if "chair" in messages[0]["content"][0]["text"]:
            raise RuntimeError("out of\nmemory")
        return "A"

    run = tolman.evaluate("vsi-bench", model, **SETTINGS)
    samples, failures = run.samples(), run.failures()
    assert samples.height == 96
    assert 0 < failures.height == run.scores.incomplete
    assert set(failures["kind"]) == {"server"}
    assert failures["message"][0].endswith("raised RuntimeError: out of memory")
    lost = samples.filter(pl.col("failure").is_not_null())
    assert lost["id"].to_list() == failures["id"].to_list()
    assert lost["response"].null_count() == lost["official"].null_count() == lost.height
    answered = samples.filter(pl.col("response").is_not_null())
    assert answered["careful"].null_count() == 0
    assert set(answered["official_answer"]) >= {"A"}
    assert run.cost is None
    assert run.page() == run.path / "report.html"


def test_prices_give_a_cost(url: str, tmp_path: Path) -> None:
    (tmp_path / "prices.json").write_text('{"openai/m": {"input": 1000000, "output": 0}}')
    run = tolman.evaluate("vsi-bench", "openai/m", base_url=url, prices="prices.json", limit=3, **SETTINGS)
    assert run.cost == run.samples()["input_tokens"].sum()


def test_scores_of_a_mapping_a_frame_and_a_file_are_those_of_the_command(tmp_path: Path) -> None:
    benchmark = tolman.load("vsi-bench", data=EXTRACT)
    texts = {item.id: letter(item.question) for item in benchmark}
    (tmp_path / "answers.jsonl").write_text(
        "".join(json.dumps({"id": key, "response": text}) + "\n" for key, text in texts.items())
    )
    terminal.typed(
        tmp_path, "score", "answers.jsonl", "--benchmark", "vsi-bench", "--data", str(EXTRACT), "--out", "scored"
    )
    before = set(tmp_path.rglob("*"))
    frame = pl.DataFrame({"id": list(texts), "response": list(texts.values())})
    expected = tolman.open_run("scored").scores
    assert benchmark.score(texts) == expected
    one = benchmark.score(texts, scorer="careful")
    assert (one.scorers, one.cells()) == (("careful",), expected.cells("careful"))
    assert tolman.score(texts, "vsi-bench", data=EXTRACT) == expected
    assert tolman.score(frame, benchmark) == expected
    assert set(tmp_path.rglob("*")) == before  # nothing is written
    assert tolman.score("answers.jsonl", "vsi-bench", data=EXTRACT, out="again") == expected
    assert tolman.score(tmp_path / "scored") == expected


def test_a_text_that_is_missing_is_a_failure_and_several_are_samples() -> None:
    benchmark = tolman.load("vsi-bench", data=EXTRACT)
    first, second, *_ = benchmark.items()
    scores = benchmark.score({first.id: [first.answer, "nothing"], second.id: [None, float("nan")]})
    rows = scores.items().filter(pl.col("id").is_in([first.id, second.id]) & (pl.col("scorer") == "official"))
    assert rows["sample"].to_list() == [0, 1, 0, 1]
    assert rows["status"].to_list() == ["scored", "scored", "failed", "failed"]
    assert rows["score"].to_list() == [1.0, 0.0, None, None]


class Series(list[Any]):
    """What pandas calls a Series, as far as it is asked."""

    def to_list(self) -> list[Any]:
        return list(self)


class Frame:
    """What pandas calls a DataFrame, as far as it is asked."""

    def __init__(self, **columns: list[Any]) -> None:
        self.columns = list(columns)
        self._columns = {name: Series(values) for name, values in columns.items()}

    def __getitem__(self, name: str) -> Series:
        return self._columns[name]


def test_a_frame_of_another_library_is_scored() -> None:
    benchmark = tolman.load("vsi-bench", data=EXTRACT)
    first = benchmark.items()[0]
    scores = benchmark.score(Frame(id=[first.id, first.id], response=["9", first.answer], sample=[0, 1]))
    assert scores.items().filter(pl.col("id") == first.id)["score"].to_list()[:2] == [0.0, 1.0]


def test_failed_calls_in_a_frame_are_failures() -> None:
    benchmark = tolman.load("vsi-bench", data=EXTRACT)
    ids = [item.id for item in benchmark.items()[:3]]
    frame = pl.DataFrame({"id": ids, "response": ["A", "A", None], "failure": ["HTTP 500", None, "timeout"]})
    for one in (frame, frame.lazy(), frame.rename({"failure": "error"})):
        assert benchmark.score(one).incomplete == 2
    numbers = frame.with_columns(failure=pl.Series([0.25, None, None]))
    with pytest.raises(
        InputError, match=r"the data frame, row 1, field 'failure': holds the number 0\.25 with a response"
    ):
        benchmark.score(numbers)
    unnumbered = frame.with_columns(sample=pl.Series(["first", None, None]))
    with pytest.raises(InputError, match="row 1, field 'sample': is no number from 0"):
        benchmark.score(unnumbered)


@pytest.mark.parametrize(
    ("responses", "sentence"),
    [
        ({"none such": "A"}, "the benchmark has no item 'none such'"),
        ({}, "there are no responses to score"),
        ({"4": 3}, "the response to item '4' is of type int; give its text, or None"),
        (pl.DataFrame({"id": ["4"], "respons": ["3"]}), "no column 'response'; did you mean 'respons'?"),
        (pl.DataFrame({"id": ["4", "4"], "response": ["3", "3"]}), "item '4' has two responses"),
        (7, "a data frame with the columns 'id' and 'response', or a file, not int"),
    ],
)
def test_responses_that_cannot_be_scored_are_one_sentence(responses: Any, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence.replace("?", r"\?")):
        tolman.score(responses, "vsi-bench", data=EXTRACT)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: tolman.evaluate("vsi-bench", own, protocl="blind"), "no setting 'protocl'; did you mean 'protocol'"),
        (lambda: tolman.evaluate("vsi-bnch", own, limit=1), "no benchmark 'vsi-bnch'; did you mean 'vsi-bench'"),
        (lambda: tolman.evaluate("vsi-bench", own, limit=0), "--limit takes at least 1, not 0"),
        (lambda: tolman.evaluate("vsi-bench", own, frames=[8, 16]), "frames takes one number here"),
        (lambda: tolman.evaluate("vsi-bench", "baseline/random", name="x"), "name= is what a Python callable is called"),
        (lambda: tolman.evaluate("vsi-bench", 7), "a model is a name such as 'openai/NAME' or a Python callable, not int"),
        (lambda: tolman.evaluate(7, own), "a benchmark is a name, a folder"),
        (lambda: tolman.evaluate([], own), "a list of benchmarks needs one or more"),
        (lambda: tolman.evaluate(tolman.load("vsi-bench", data=EXTRACT), own, subset="tiny"), "give subset to tolman.load"),
        (lambda: tolman.load([{"id": "1"}]), "item 1 of the list is no question (question: Field required)"),
        (lambda: tolman.score({"4": "3"}), "which benchmark answers the responses"),
        (lambda: tolman.score({"4": "3"}, "vsi-bench", data=EXTRACT, limits=3), "no setting 'limits'"),
        (lambda: tolman.generate("scenes", "out", presett="all"), "no setting 'presett'; did you mean 'preset'"),
        (lambda: tolman.simulate("out", scenes=0), "--scenes takes at least 1, not 0"),
    ],
)  # fmt: skip
def test_what_there_is_not_is_one_sentence(call: Callable[[], object], sentence: str) -> None:
    with pytest.raises(UsageError) as caught:
        call()
    assert sentence in str(caught.value)
    assert not Path("runs").exists()


def test_a_folder_that_is_no_run_or_scenes_is_one_sentence() -> None:
    with pytest.raises(InputError, match="nowhere: is no run folder"):
        tolman.open_run("nowhere")
    with pytest.raises(InputError, match="nowhere: does not exist"):
        tolman.open_scenes("nowhere")


def test_runs_are_compared_and_reported(commanded: tolman.Run) -> None:
    one = tolman.evaluate("vsi-bench", "baseline/best-constant", **SETTINGS)
    result = tolman.compare(one, commanded.path, scorer="careful")
    done = terminal.typed(Path.cwd(), "compare", str(one.path), str(commanded.path), "--rules", "careful", "--json")
    assert json.loads(json.dumps(result.to_dict())) == json.loads(done.stdout)
    table = result.table()
    average = table.filter(pl.col("column") == "average").row(0, named=True)
    assert average["difference"] == pytest.approx(average["value_a"] - average["value_b"])
    report = tolman.report([one, commanded], out="table.md")
    assert Path("table.md").read_text() == report.render("markdown") + "\n<!-- written by Tolman -->\n"
    headline = report.table().filter(pl.col("headline") & (pl.col("column") == "average"))
    assert headline["value"].to_list() == [one.scores.headline.value, commanded.scores.headline.value]


def test_scores_are_equal_by_value_and_have_a_table(commanded: tolman.Run) -> None:
    scores = commanded.scores
    assert scores == tolman.open_run(commanded.path).scores
    table = scores.table()
    first = str(table).split("┆")
    assert [name.strip(" │\n") for name in first[:3]][1:] == ["value", "low"]  # what Polars prints of it
    assert "high" in first[3]
    row = table.filter(pl.col("headline")).row(0, named=True)
    cell = scores.headline
    assert cell.interval is not None
    assert (row["value"], row["low"], row["high"], row["n"]) == (cell.value, cell.interval.low, cell.interval.high, 96)
    assert set(table["scorer"]) == {"official", "careful"}
    assert scores.cells("careful")["average"].n == 96
    with pytest.raises(UsageError, match="no scorer 'carful'; did you mean 'careful'"):
        scores.cells("carful")
    assert scores.figure().svg.startswith("<svg")


def test_what_a_model_wrote_is_text_in_a_notebook(choice: Make) -> None:
    hostile = "<script>alert(1)</script>"
    benchmark = tolman.load([choice(id=hostile, task=hostile)], name=hostile)
    run = tolman.evaluate(benchmark, lambda messages: hostile, name=hostile, out="run")
    shown = [benchmark, run, run.scores, tolman.report(run), tolman.compare(run, run)]
    for one in shown:
        html = one._repr_html_()
        assert "<script" not in html
        assert "&lt;script" in html


def test_pandas_frames_are_for_those_who_have_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match="A pandas frame needs the package 'pandas': pip install pandas"):
        tolman.load("vsi-bench", data=EXTRACT).table(pandas=True)


def test_events_tell_how_far_it_is() -> None:
    found: list[Event] = []
    tolman.evaluate("vsi-bench", own, events=found.append, limit=5, **SETTINGS)
    assert found[0] == Began("asking", 5)
    assert [type(event) for event in found[1:]] == [Advanced] * 5 + [Ended, Noted]
    assert found[-1] == Noted("5 calls, 0 answers from the store, 5 replies without full token counts")


def test_scenes_are_opened_lazily(shared_data: Path) -> None:
    scenes = tolman.open_scenes(shared_data / "vsi-bench" / "meta_info")
    ids = scenes.ids()
    assert len(ids) > 100
    assert scenes[ids[0]].id == ids[0] == next(iter(scenes)).id
    table = scenes.table()
    assert table["id"].to_list() == ids
    assert table["objects"].min() > 0
    assert ids[0] in scenes._repr_html_()


def test_all_that_is_public_is_there_and_nothing_heavy_is_imported_before() -> None:
    code = """
import sys, tolman
heavy = ("polars", "numpy", "pydantic", "rich", "typer", "aiohttp", "matplotlib", "asyncio")
assert not [name for name in heavy if name in sys.modules], [name for name in heavy if name in sys.modules]
assert set(tolman.__all__) <= set(dir(tolman))
for name in tolman.__all__:
    assert getattr(tolman, name) is not None, name
assert tolman.__version__
try:
    tolman.nothing
except AttributeError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "module 'tolman' has no attribute 'nothing'\n"), done.stderr


ORDERS = {
    "the function first": "import tolman\ntolman.{verb}\nimport tolman.{verb}.{module}",
    "the package first": "import tolman.{verb}.{module}\nimport tolman",
    "a name of the package first": "from tolman.{verb} import {module}\nimport tolman",
    "the function by its name": "from tolman import {verb}\nimport tolman.{verb}.{module}",
    "the package under another name": "import tolman.{verb}.{module} as another\nimport tolman",
}
VERBS = """
import inspect, pydoc, sys
from tolman.errors import UsageError

function = tolman.{verb}
assert inspect.isfunction(function), function
assert function is tolman.api.{verb}
shown = pydoc.render_doc(function, renderer=pydoc.plaintext)
assert shown.startswith("Python Library Documentation: function {verb} in module tolman.api"), shown[:200]
assert "\\n{verb}(" in shown, shown
assert inspect.getdoc(function).splitlines()[0] in shown
assert "settings" in inspect.signature(function).parameters
try:
    function(*{arguments}, nothing=1)
except UsageError as error:
    assert "there is no setting 'nothing'" in str(error), error
else:
    raise AssertionError("was called with a setting that there isn't")

import tolman.{verb}.{module} as module
from tolman.{verb} import {module} as same
from tolman.{verb}.{module} import __name__ as name
assert module is same is tolman.{verb}.{module} is sys.modules["tolman.{verb}.{module}"]
assert name == "tolman.{verb}.{module}"
assert tolman.{verb} is function
"""


def verbs_that_are_packages() -> list[str]:
    packages = {info.name for info in pkgutil.iter_modules(tolman.__path__)}
    return sorted(packages & set(tolman.__all__))


def test_some_functions_have_the_name_of_a_package() -> None:
    assert verbs_that_are_packages() == ["generate", "ingest", "simulate"]


@pytest.mark.parametrize(
    ("verb", "order"),
    [
        pytest.param(verb, order, marks=() if i == place else pytest.mark.full)
        for i, verb in enumerate(verbs_that_are_packages())
        for place, order in enumerate(ORDERS)
    ],
)
def test_a_function_with_the_name_of_a_package_is_the_function_whoever_imported_the_package_first(
    verb: str, order: str
) -> None:
    arguments = {"generate": ("a", "b"), "ingest": ("a", "b", "c"), "simulate": ("a",)}
    pytest.importorskip({"generate": "shapely", "ingest": "shapely", "simulate": "moderngl"}[verb])
    module = {"generate": "selection", "ingest": "build", "simulate": "collection"}[verb]
    code = (ORDERS[order] + VERBS).replace("{verb}", verb).replace("{module}", module)
    code = code.replace("{arguments}", repr(arguments[verb]))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_public_names_are_listed_in_one_place() -> None:
    """`tolman.api` has every name of the list, and no list of its own; names with another home are the same things."""
    api = import_module("tolman.api")
    assert "__all__" not in vars(api)
    for name in set(tolman.__all__) - {"__version__"}:
        assert getattr(tolman, name) is getattr(api, name), name


@pytest.mark.full
def test_scenes_become_questions_an_audit_and_a_run(tmp_path: Path) -> None:
    pytest.importorskip("shapely", reason="questions need the extra 'build'")
    scenes = tolman.open_scenes(ROOMS)
    assert len(scenes.ids()) == 3
    made = tolman.generate(scenes, "bench", preset="all", per_task=3)
    benchmark = tolman.load("./bench")
    assert len(benchmark) == made.questions > 0
    assert len(tolman.audit("./bench", scenes, preset="all").findings) == made.questions
    run = tolman.evaluate("./bench", "baseline/oracle", scenes=ROOMS, out="run")
    assert run.scores.headline.n == made.questions


@pytest.mark.full
def test_worlds_are_simulated(tmp_path: Path) -> None:
    pytest.importorskip("moderngl", reason="worlds need the extra 'worlds'")
    made = tolman.simulate("scenes", scenes=1, seconds=1, rate=2, size="160x120", workers=1)
    assert [scene.id for scene in tolman.open_scenes(made.out)] == tolman.open_scenes("scenes").ids()


def test_scores_say_what_they_rest_on(tmp_path: Path) -> None:
    def unreadable(messages: list[dict[str, Any]]) -> str:
        return "no idea"

    run = tolman.evaluate("vsi-bench", unreadable, limit=8, out=tmp_path / "run", **SETTINGS)
    said = "a part of the questions (--limit 8); 100.0 % of the responses could not be read"
    assert said in repr(run.scores)
    assert "100.0 % of the responses could not be read." in run.scores._repr_html_()
    headline = run.scores.table().filter("headline").row(0, named=True)
    assert (headline["none"], headline["cut_off"]) == (100.0, 0.0)
    whole = tolman.evaluate("vsi-bench", own, out=tmp_path / "whole", **SETTINGS)
    assert "a part of the questions" not in repr(whole.scores)


def test_a_failure_has_no_reward(choice: Make) -> None:
    with pytest.raises(UsageError, match=r"a response is a text, not NoneType: a failed call is no answer"):
        tolman.reward(choice(), None)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"a question is an Item of .*, not dict"):
        tolman.reward(choice().model_dump(), "A")  # type: ignore[arg-type]


def test_what_cannot_be_audited_is_one_sentence(choice: Make, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"these questions are in no folder; write them into one with .save\(FOLDER\)"):
        tolman.audit(tolman.load([choice()]), tmp_path)
    with pytest.raises(UsageError, match=r"a benchmark is a name, a folder or a tolman.Benchmark, not int"):
        tolman.audit(3, tmp_path)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [False, True])
def test_failed_calls_of_circular_questions_are_counted(choice: Any, tmp_path: Path, wrong: bool) -> None:
    calls: list[Any] = []

    def third_fails(messages: Any) -> str:
        calls.append(messages)
        if len(calls) % 3 == 0:
            raise RuntimeError("boom")
        return "A"

    benchmark = tolman.load([choice(id="1"), choice(id="2")])
    scores = tolman.evaluate(
        benchmark,
        third_fails,
        protocol="blind+circular",
        out=tmp_path / "run",
        retries=0,
        count_failures_as_wrong=wrong,
    ).scores
    assert (len(calls), scores.incomplete, scores.headline.unanswered) == (8, 2, 2)
    assert "2 of 8 without an answer" in scores.remarks
    assert scores.headline.value == (0 if wrong else None)


def test_a_batch_is_scored_as_the_part_that_it_is() -> None:
    benchmark = tolman.load("vsi-bench", data=EXTRACT)
    batch = [item for item in benchmark if item.task == "route_planning"][:3] + benchmark.items()[:1]
    texts: dict[str, Any] = {item.id: item.answer for item in batch}
    scores = benchmark.score(texts)
    assert (scores.incomplete, scores.headline.n, scores.headline.unanswered) == (0, 4, 0)
    assert scores.remarks[0] == "a part: 4 of 96 questions"
    assert scores.remarks[1].startswith("no scored question of ")
    assert "Appr. Order" in scores.remarks[1]
    assert "a part: 4 of 96 questions" in repr(scores)
    assert "A part: 4 of 96 questions." in scores._repr_html_()
    assert set(scores.items()["id"]) == set(texts)
    frame = pl.DataFrame({"id": list(texts), "response": list(texts.values())})
    assert tolman.score(texts, "vsi-bench", data=EXTRACT) == tolman.score(frame, benchmark) == scores
    assert {cell.unanswered for cell in scores.cells().values()} == {0}
    failed = benchmark.score({**texts, batch[0].id: None})
    assert failed.incomplete == 1
    assert failed.remarks[:2] == ["a part: 4 of 96 questions", "1 of 4 without an answer"]
    wrong = benchmark.score({**texts, batch[0].id: None}, count_failures_as_wrong=True)
    assert wrong.cells()["route_plan"].value == pytest.approx(200 / 3)
    whole = benchmark.score({item.id: item.answer for item in benchmark})
    (few,) = whole.remarks
    assert few.startswith("the headline includes parts with few questions: Room Size (8), ")


def test_items_that_count_as_one_question_are_scored_together(choice: Make) -> None:
    pair = [choice(id=id, all_of="pair") for id in ("a", "b")]
    benchmark = tolman.load([*pair, choice(id="c")])
    assert benchmark.score({"a": "A"}).incomplete == 1
    scores = benchmark.score({"a": "A", "b": "B"})
    assert (scores.incomplete, scores.headline.value) == (0, 0.0)
    assert scores.remarks == ["a part: 2 of 3 questions"]


def test_a_report_in_python_has_the_settings_of_the_command(commanded: tolman.Run) -> None:
    """Each option of `tolman report` is an argument of `tolman.report`, with its default."""
    arguments = dict(inspect.signature(tolman.report).parameters)
    defaults = {one.name: one.default for one in fields_of(ReportConfig) if one.name != "runs"}
    assert {name: one.default for name, one in arguments.items() if name not in ("runs", "events")} == defaults
    with pytest.raises(UsageError, match="--redact leaves all media out"):
        tolman.report(commanded, out="site", redact=True, videos=True)


@pytest.mark.full
def test_a_site_is_written_from_python(commanded: tolman.Run) -> None:
    done = tolman.report(commanded, out="site", redact=True)
    assert (done.format, Path("site/index.html").exists()) == ("site", True)


@pytest.mark.full
def test_figures_and_papers_are_drawn_as_by_the_commands(commanded: tolman.Run) -> None:
    pytest.importorskip("matplotlib", reason="figures need the extra 'analyze'")
    drawn = tolman.figure("dots", commanded, out="dots.svg", csv="dots.csv", width=6)
    assert "<svg" in Path("dots.svg").read_text()
    assert drawn.table().height == len(Path("dots.csv").read_text().splitlines()) - 1
    assert "dots.svg" in repr(drawn)
    benchmark = tolman.load("vsi-bench", data=EXTRACT)
    assert tolman.figure("benchmark", benchmark, data=EXTRACT, out="b.svg").out == Path("b.svg")
    paper = tolman.paper("vsi-bench", [commanded], out="paper")
    assert Path("paper/index.html").exists()
    assert set(paper.table()["state"]) <= {"rebuilt", "in part", "missing", "elsewhere"}
    assert paper.table().height == len(paper.parts) > 5
    assert repr(paper).startswith("<PaperResult vsi-bench: ")


def test_what_no_figure_is_made_of_is_said(commanded: tolman.Run) -> None:
    with pytest.raises(UsageError, match="did you mean 'radar'"):
        tolman.figure("rader", commanded)
    with pytest.raises(UsageError, match="colour"):
        tolman.figure("radar", commanded, colour="red")
    with pytest.raises(UsageError, match=r"is of one benchmark, not of 2"):
        tolman.figure("benchmark", [commanded, commanded])
    with pytest.raises(UsageError, match="vsi-bench"):
        tolman.paper("vsi", commanded)
