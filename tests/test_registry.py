"""Finding things by what modules declare: own ones, plugins, other packages."""

import subprocess
import sys
from pathlib import Path

import pytest

from tolman import models, protocols
from tolman.benchmarks import registered
from tolman.curate.pipeline import REGISTRY as STAGES
from tolman.errors import InputError, UsageError
from tolman.features.analyses import ANALYSES
from tolman.ingest import formats
from tolman.items import KINDS
from tolman.media import matchers
from tolman.plugins import load_plugin
from tolman.registry import Registry, declaring
from tolman.scoring.metrics import REGISTRY as METRICS

REGISTRIES = {
    "benchmark": registered._REGISTRY,
    "model family": models._REGISTRY,
    "protocol": protocols._REGISTRY,
    "format": formats._REGISTRY,
    "matcher": matchers._REGISTRY,
    "analysis": ANALYSES,
    "metric": METRICS,
    "item kind": KINDS,
    "curation stage": STAGES,
}


@pytest.mark.parametrize("registry", REGISTRIES.values(), ids=REGISTRIES)
def test_every_name_can_be_had_and_helpers_have_none(registry: Registry) -> None:
    names = registry.names()
    assert names
    assert not {"base", "compose", "votes", "endpoint", "hf-network", "hf-weights", "oracle", "rows", "hub"} & set(
        names
    )
    assert list(registry.all()) == names


def test_a_helper_beside_them_is_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    package = tmp_path / "some_things"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "my_helpers.py").write_text("def helper():\n    THING = 1\n")
    (package / "first_one.py").write_text("THING = 1\n")
    (package / "second.py").write_text("def THING():\n    pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert declaring("some_things", "THING") == ("some_things.first_one", "some_things.second")
    assert Registry("thing", "some_things", "THING", "tolman.things").names() == ["first-one", "second"]


def test_names_of_their_own_and_several_in_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    package = tmp_path / "named_things"
    (package / "inner").mkdir(parents=True)
    for folder in (package, package / "inner"):
        (folder / "__init__.py").write_text("")
    (package / "base.py").write_text("class Thing:\n    def __init__(self, name):\n        self.name = name\n")
    head = "from named_things.base import Thing\n"
    (package / "several.py").write_text(head + "THINGS = (Thing('x/two'), Thing('x/three'))\n")
    (package / "inner" / "one.py").write_text(head + "THING = Thing('x/one')\n")
    monkeypatch.syspath_prepend(tmp_path)
    registry = Registry("thing", "named_things", "THING", "tolman.things", "THINGS", named_by_file=False)
    assert registry.names() == ["x/one", "x/two", "x/three"]
    assert registry.get("x/three").name == "x/three"
    with pytest.raises(UsageError, match="there is no thing 'three '; did you mean 'x/three'"):
        registry.get("three ")


PLUGIN = """
import sys
from tolman.protocols import Strategy
from tolman.protocols.reasoning_strategies import converse_directly

PROTOCOL = Strategy("{name}", converse_directly, summary="as direct")

def create(name, options):
    raise NotImplementedError

def double(number):
    return 2 * number
"""


def run(code: str, *arguments: str) -> str:
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_plugin_is_found_by_what_it_declares_and_reaches_workers(tmp_path: Path) -> None:
    file = tmp_path / "my_way.py"
    file.write_text(PLUGIN.format(name="my-protocol"))
    code = """
import sys
from tolman import models, protocols
from tolman.parallel import parallel_map
from tolman.plugins import load_plugin
if __name__ == "__main__":
    module = load_plugin(sys.argv[1])
    assert load_plugin(sys.argv[1]) is module
    print(protocols.get("my-protocol").name, "my-way" in models.families(), list(parallel_map(module.double, [1, 2], 2)))
"""
    script = tmp_path / "script.py"
    script.write_text(code)
    done = subprocess.run([sys.executable, script, file], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "my-protocol True [2, 4]", done.stderr


def test_the_environment_names_plugins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "ways.py"
    file.write_text(PLUGIN.format(name="from-the-environment"))
    monkeypatch.setenv("TOLMAN_PLUGINS", str(file))
    assert run("from tolman import protocols; print('from-the-environment' in protocols.names())") == "True"


def test_what_is_no_plugin_is_told_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"is no plugin; give a Python file"):
        load_plugin(tmp_path / "none.py")
    broken = tmp_path / "broken.py"
    broken.write_text("x = 1\ny = x / 0\n")
    with pytest.raises(InputError, match=r"broken.py, row 2: can't be executed \(ZeroDivisionError"):
        load_plugin(broken)
    broken.write_text("x = (\n")
    with pytest.raises(InputError, match=r"can't be executed \(SyntaxError"):
        load_plugin(broken)


BROKEN = """
from pathlib import Path
from tolman.benchmarks.spec import BenchmarkSpec, PromptPreset, media_first
from tolman.items import Item
from tolman.scoring.rule_sets import careful
from tolman.scoring.score_table import Column, Table, pool

def load(folder, subset):
    rows = [line.split(",") for line in (Path(folder) / "questions.csv").read_text().splitlines()]
    return [Item(id=r[0], question=r[1], kind="choice", options=("left", "right"), answer=r[2], task="side") for r in rows]

def prompt(item, preset):
    return media_first(item, item.question)

BENCHMARK = BenchmarkSpec(
    name="broken-bench", title="Broken", paper="", licence="", subsets={"all": ""}, load=load, prompt=prompt,
    blind_prompt=prompt, presets=(PromptPreset("plain", "", rule_sets=("careful",)),), rule_sets=(careful(),),
    table=Table((Column("all", "All", pool()),), headline="all"),
)
"""


@pytest.mark.full
@pytest.mark.parametrize(
    ("questions", "said"),
    [
        (
            "q1,Which?,A\nq2,Which?,E\n",
            "data, row q2, field 'answer': holds no item of Broken: the answer 'E' is none of",
        ),
        ("q1,Which?\n", "data: can't be read as Broken (IndexError: list index out of range); check that it is"),
        (None, "data: can't be read as Broken (FileNotFoundError: "),
    ],
)
def test_data_that_a_benchmark_of_ones_own_cannot_load_is_told_in_a_sentence(
    questions: str | None, said: str, tmp_path: Path
) -> None:
    (tmp_path / "broken_bench.py").write_text(BROKEN)
    (tmp_path / "data").mkdir()
    if questions is not None:
        (tmp_path / "data" / "questions.csv").write_text(questions)
    command = "-m tolman run broken-bench --plugin broken_bench.py --data data --model baseline/random"
    done = subprocess.run([sys.executable, *command.split()], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert f"tolman: {said}" in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_what_fails_inside_a_plugin_is_told_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text("def create(name, options):\n    return 1 / 0\n")
    (tmp_path / "b.py").write_text(BROKEN)
    (tmp_path / "questions.csv").write_text("q1,Which?,A\n")
    command = "-m tolman run broken-bench --plugin b.py --plugin m.py --data . --model m/x"
    done = subprocess.run([sys.executable, *command.split()], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.strip() == f"tolman: {tmp_path / 'm.py'}, line 2: ZeroDivisionError: division by zero"


def test_a_name_that_a_file_of_ones_own_may_declare_points_to_plugins() -> None:
    with pytest.raises(UsageError, match=r"or what a file of yours declares \(--plugin FILE\)"):
        protocols.get("my-protocol-of-yesterday")
