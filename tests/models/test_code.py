"""Answers of a model of the user's own are found again as long as its code is the same, and not when it changed."""

import json
import os
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import terminal
import tolman
from tolman import models
from tolman.messages import Message, Sampling
from tolman.models.code import UNKNOWN, code_of, mark_given
from tolman.models.model import ModelOptions, is_stored
from tolman.runs.response_store import request_key

EXTRACT = Path(__file__).resolve().parents[1] / "extracts" / "vsi_bench_extract.jsonl"
PLUGIN = """
from tolman.responses import Response


class Mine:
    remote, concurrency = True, 1
    {more}

    def __init__(self, name):
        self.name, self.settings = f"mine/{{name}}", {{}}

    async def answer(self, request):
        return Response(id=request.item.id, repeat=request.repeat, response="{answer}")

    async def close(self):
        pass


def create(name, options):
    return Mine(name)
"""


def plugin(answer: str, more: str = "") -> str:
    return PLUGIN.format(answer=answer, more=more)


def reused(run: Path) -> int:
    found: int = json.loads((run / "usage.json").read_text())["reused"]
    return found


def run_plugin(place: Path, source: str, out: str, touched: float | None = None) -> tuple[set[str], int]:
    """What a run with the plugin answers, and how many of its answers were in the store."""
    (place / "mine.py").write_text(source)
    if touched is not None:
        os.utime(place / "mine.py", (touched, touched))
    terminal.tolman(
        place, "run", "vsi-bench", "--data", str(EXTRACT), "--protocol", "blind", "--limit", "3", "--plugin", "mine.py",
        "--model", "mine/one", "--out", out, code=0,
    )  # fmt: skip
    return set(tolman.open_run(place / out).samples()["response"]), reused(place / out)


def test_a_plugin_whose_code_changed_is_asked_anew(tmp_path: Path) -> None:
    assert run_plugin(tmp_path, plugin("A"), "first") == ({"A"}, 0)
    assert run_plugin(tmp_path, plugin("A"), "same") == ({"A"}, 3)
    assert run_plugin(tmp_path, plugin("B"), "changed") == ({"B"}, 0)
    assert run_plugin(tmp_path, plugin("A"), "back") == ({"A"}, 3)


def test_a_file_that_changed_within_the_same_second_and_in_no_byte_more_is_read_anew(tmp_path: Path) -> None:
    for answer in ("A", "B", "C"):
        assert run_plugin(tmp_path, plugin(answer), answer, touched=1e9) == ({answer}, 0)


def test_a_version_stands_for_the_code(tmp_path: Path) -> None:
    assert run_plugin(tmp_path, plugin("A", 'version = "1"'), "first") == ({"A"}, 0)
    assert run_plugin(tmp_path, plugin("B", 'version = "1"'), "same") == ({"A"}, 3)
    assert run_plugin(tmp_path, plugin("B", 'version = "2"'), "changed") == ({"B"}, 0)


def test_a_plugin_that_makes_one_of_tolmans_models_counts_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    lines = "from tolman.models.openai import create as theirs\n\n\ndef create(name, options):\n    return theirs('{}', options)\n"
    found = []
    for number, actual in enumerate(("m", "n", "m")):
        (tmp_path / str(number)).mkdir()
        file = tmp_path / str(number) / f"family{number}.py"
        file.write_text(lines.format(actual))
        tolman.load_plugin(file)
        found.append(code_of(models.create(f"family{number}/x", ModelOptions(base_url="http://localhost/v1"))))
    assert found[0] == found[2] != found[1]
    assert code_of(models.create("openai/m", ModelOptions(base_url="http://localhost/v1"))) is None


def test_what_counts_is_the_file_as_it_was_loaded(tmp_path: Path) -> None:
    file = tmp_path / "edited.py"
    file.write_text(plugin("A"))
    tolman.load_plugin(file)
    before = code_of(models.create("edited/x", ModelOptions()))
    file.write_text(plugin("B"))
    assert code_of(models.create("edited/x", ModelOptions())) == before


def imported(path: Path, name: str) -> ModuleType:
    """A module of a program, as `import` would load it."""
    spec = spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Make a model of a class in a module of the program, or in none; written long before the program began, or not."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOLMAN_CACHE", str(tmp_path / "cache"))
    made = []

    def make(source: str, *, old: bool = True) -> Any:
        made.append(f"own_models_{len(made)}")
        file = tmp_path / f"{made[-1]}.py"
        file.write_text(source)
        if old:
            os.utime(file, (0, 0))
        return imported(file, made[-1]).Mine("one")

    yield make
    for name in made:
        del sys.modules[name]


def evaluated(model: Any, out: str) -> tuple[set[str], int]:
    run = tolman.evaluate("vsi-bench", model, data=EXTRACT, protocol="blind", limit=3, out=out)
    return set(run.samples()["response"]), reused(run.path)


def test_an_object_of_a_program_whose_code_changed_is_asked_anew(own: Any) -> None:
    assert evaluated(own(plugin("A")), "first") == ({"A"}, 0)
    assert evaluated(own(plugin("A")), "same") == ({"A"}, 3)
    assert evaluated(own(plugin("B")), "changed") == ({"B"}, 0)


def test_an_object_whose_code_may_not_be_that_of_its_file_is_not_stored(own: Any) -> None:
    edited = own(plugin("A"), old=False)  # while the program runs: a notebook that edits its modules
    assert evaluated(edited, "first") == ({"A"}, 0)
    assert evaluated(edited, "again") == ({"A"}, 0)
    assert code_of(edited) == UNKNOWN
    assert not is_stored(edited)
    assert is_stored(mark_given(own(plugin("A", 'version = "1"'), old=False)))


def test_an_object_of_a_class_without_a_file_is_not_stored() -> None:
    names: dict[str, Any] = {"__name__": "typed_into_a_notebook"}
    exec(plugin("A"), names)
    model = names["Mine"]("one")
    assert is_stored(model)
    assert not is_stored(mark_given(model))


@pytest.mark.parametrize(
    "definition",
    [
        "class Mine:\n    __slots__ = ('name',)\n    remote = True\n    def __init__(self, name): self.name = name\n",
        "from dataclasses import dataclass\n@dataclass(frozen=True)\nclass Mine:\n    name: str\n    remote: bool = True\n",
    ],
)
def test_objects_that_take_no_attribute_have_an_identity_too(own: Any, definition: str) -> None:
    found = [code_of(mark_given(own(source))) for source in (definition, definition, definition + "# changed\n")]
    assert found[0] == found[1] != found[2]
    assert all(found)


def test_keys_of_all_other_models_are_what_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    model = models.create("openai/m", ModelOptions(base_url="http://localhost/v1"))
    assert mark_given(model) is model
    messages = (Message(parts=("How many?",)),)
    key, text = request_key(model.name, {"a": 1}, messages, Sampling(temperature=0.0), 1, 2, code_of(model))
    assert text == (
        '{"draw": 2, "messages": [["user", ["How many?"]]], "model": "openai/m", "repeat": 1, '
        '"sampling": {"temperature": 0.0}, "settings": {"a": 1}}'
    )
    assert key == "d7cb01c2d4ca3197ec7f2c106ba01161ad367a61480f54475502e1dd1cb52491"
    assert code_of(models.create("baseline/random", ModelOptions())) is None
