"""Questions of an item kind that a local file declares, through every stage of a recipe."""

import json
from pathlib import Path
from typing import Any

import pytest

from curator import Curator
from kinds.yes_no import write_kind
from loopback import serving
from terminal import tolman
from tolman.benchmarks.benchmark_folder import open_folder
from tolman.benchmarks.fields import Unmappable
from tolman.curate.asking import question_text
from tolman.curate.candidates import Candidate, read_pool
from tolman.curate.importing import answered
from tolman.curate.mapping import Mapping
from tolman.curate.stages import answering_task, pool_questions, read_answer, same
from tolman.errors import InputError
from tolman.kinds import ItemKind
from tolman.plugins import load_plugin
from tolman.scoring.metrics import accuracy
from tolman.scoring.parse import read_careful

MAPPING = """
name = "doors"
title = "Doors"
licence = "CC0"
files = ["*.jsonl"]
[fields]
id = "id"
question = "question"
answer = "answer"
options = { column = "options", optional = true }
task = "task"
scene = "scene"
[kinds]
open = "ajar"
"""
RECIPE = """
name = "mine"
[[sources]]
mapping = "doors.toml"
data = "rows.jsonl"
[duplicates]
pictures = false
[classify]
model = "openai/m"
base_url = "{url}"
media = false
systems = false
[stratify]
by = ["task"]
[verify]
models = [{{ model = "openai/a", base_url = "{url}" }}, {{ model = "openai/b", base_url = "{url}" }}]
spot_check = 0
people_from_level = 99
"""
QUESTIONS = 12


def rows() -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    for i in range(QUESTIONS):
        scene = {"scene": f"s{i // 2}"}
        made += [
            {"id": f"d{i}", "task": "open", "question": f"Is door {i} open?", "answer": ("yes", "no")[i % 2], **scene},
            {"id": f"n{i}", "task": "count", "question": f"How many lamps are in hall {i}?", "answer": 2 + i, **scene},
            {"id": f"c{i}", "task": "side", "question": f"On which side is bed {i}?", "answer": "AB"[i % 2],
             "options": ["left", "right"], **scene},
        ]  # fmt: skip
    return [*made, {"id": "x", "task": "open", "question": "Is door 99 open?", "answer": "perhaps", "scene": "s0"}]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    write_kind(tmp_path, "ajar")
    (tmp_path / "doors.toml").write_text(MAPPING)
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows()))
    return tmp_path


def answer(text: str) -> str:
    """Says of every door that it is open, and what stands first of everything else."""
    if "Is door" in text:
        assert "Answer: the answer and nothing else" in text
        return "Evidence: it is ajar.\nFrames: none\nAnswer: Yes."
    return f"Evidence: seen.\nFrames: none\nAnswer: {'A' if 'Options:' in text else '2'}"


@pytest.mark.full
def test_a_recipe_takes_questions_of_a_plugins_kind_from_rows_to_a_benchmark(place: Path) -> None:
    with serving(server := Curator(answer=answer)) as url:
        (place / "recipe.toml").write_text(RECIPE.format(url=url))
        command = ["curate", "run", "recipe.toml", "--out", "pool", "--store", "store.sqlite"]
        lacking = tolman(place, *command)
        done = tolman(place, *command, "--plugin", "yes_no.py")
    assert lacking.returncode == 2
    assert (
        "doors.toml, line 14, field 'kinds.open': there is no item kind 'ajar'; known: boxes, choice, "
        in lacking.stderr
    )
    assert done.returncode == 0, done.stderr
    assert f"unchanged, of the item kind 'ajar': {QUESTIONS}" in done.stdout
    assert server.questions["filter", "Is door 3 open?"] == 1
    stages = {one: json.loads((place / "pool" / one / "stage.json").read_text())["statistics"] for one in
              ("import", "duplicates", "convert", "stratify", "verify")}  # fmt: skip
    assert stages["import"]["kinds"] == {"choice": QUESTIONS, "number": QUESTIONS, "ajar": QUESTIONS}
    assert stages["duplicates"]["left_out"] == 0
    assert stages["convert"]["other_kinds"] == {"ajar": QUESTIONS}
    assert stages["stratify"]["after"]["kind"]["ajar"] == QUESTIONS
    assert set(stages["stratify"]["after"]["letter"]) <= set("ABCD")
    (left_out,) = (place / "pool" / "import" / "unmapped.jsonl").read_text().splitlines()
    assert "'perhaps' is neither yes nor no" in left_out
    assert "validation error" not in left_out
    verified = [json.loads(line) for line in (place / "pool" / "verify" / "review.jsonl").read_text().splitlines()]
    doors = {row["answer"]: row for row in verified if row["kind"] == "ajar"}
    assert doors["yes"]["status"] == "approved"
    assert doors["no"]["reasons"] == ["a model disagrees with the answer that is written down"]
    load_plugin(place / "yes_no.py")
    folder = place / "pool" / "benchmark"
    items = [item for item in open_folder(folder).load(folder, "all") if item.kind == "ajar"]
    assert len(items) == QUESTIONS
    ran = tolman(place, "run", "./pool/benchmark", "--plugin", "yes_no.py", "--model", "baseline/random", "--protocol",
                 "blind", "--out", "run")  # fmt: skip
    assert ran.returncode == 0, ran.stderr


def test_a_pool_tells_that_a_plugin_is_missing(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place / "recipe.toml").write_text('name = "mine"\n[[sources]]\nmapping = "doors.toml"\ndata = "rows.jsonl"\n')
    command = ["curate", "run", "recipe.toml", "--out", "pool", "--until", "import", "--plugin", "yes_no.py"]
    assert tolman(place, *command).returncode == 0
    with pytest.raises(InputError, match=r"row 1, field 'kind': there is no item kind 'ajar'"):
        list(read_pool(place / "pool" / "import"))
    load_plugin(place / "yes_no.py")
    found, _ = pool_questions(place / "pool" / "import", place / "pool", None, 5)
    assert {one.answer for one in found if one.id.startswith("doors/d")} == {"yes", "no"}
    assert {one.answer for one in found if one.id.startswith("doors/c")} == {"left", "right"}


def order(**more: Any) -> ItemKind:
    """A kind whose answer is an order of the options, such as '[2, 1]' in the rows and 'BA' in items."""

    def released(text: str) -> str:
        try:
            return "".join("ABCD"[place - 1] for place in json.loads(text))
        except (ValueError, TypeError, IndexError):
            raise ValueError(f"the answer {text!r} is no order") from None

    return ItemKind(
        name="order", title="order", read=read_careful, metric=accuracy.ACCURACY, released_answer=released, **more
    )


def test_a_kind_says_how_released_answers_are_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tolman import items

    monkeypatch.setitem(items.known_kinds, "order", order())
    mapping = Mapping.model_validate(
        {"name": "m", "title": "M", "files": ["*"], "fields": {"question": "q", "answer": "a"}, "kinds": {"*": "order"}}
    )
    common = {"id": "m/1", "source": "m", "question": "In which order?", "task": "t"}
    found = answered(mapping, {}, "t", [2, 1], ("lamp", "bed"), common)
    assert (found.kind, found.answer, found.options, found.answer_text) == ("order", "BA", ("lamp", "bed"), "BA")
    assert question_text(found) == "Question: In which order?\nOptions:\nlamp\nbed\nAnswer: BA"
    with pytest.raises(Unmappable, match="the answer 'first' is no order"):
        answered(mapping, {}, "t", "first", ("lamp", "bed"), common)


def test_own_kinds_are_asked_for_and_read_as_ever() -> None:
    choice = Candidate(id="1", source="s", question="Which?", kind="choice", answer="B", options=("a", "b"), task="t")
    number = Candidate(id="2", source="s", question="How many?", kind="number", answer="20", task="t")
    asked = ["".join(map(str, answering_task().messages([one])[0].parts)) for one in (choice, number)]
    assert asked[0].endswith("Answer: the letter of one option")
    assert asked[1].endswith("Answer: a single number")
    lines = "Evidence: x\nFrames: none\nAnswer: "
    assert [read_answer(lines + text, choice) is not None for text in ("(b).", "c", "b or a")] == [True, False, False]
    assert [read_answer(lines + text, number) is not None for text in ("21", "(21)", "21 or so")] == [True, True, False]
    assert same(number, "21", "20")
    assert not same(number, "22", "20")
    assert not same(choice, "A", "B")
