"""A recipe from question sets to a folder that is evaluated: whole, stopped, resumed, with people's labels."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest
from hypothesis import given, strategies as st
from typer.testing import CliRunner

import bare
from curator import Curator
from loopback import serving
from terminal import tolman
from tolman.cli import app
from tolman.curate.asking import Reply
from tolman.curate.candidates import Candidate, read_pool, read_shards, write_pool
from tolman.curate.mapping import open_mapping
from tolman.curate.pipeline import Verify, Work, curate, read_recipe
from tolman.curate.publishing import reorder
from tolman.curate.stages import judge, read_answer
from tolman.errors import InputError, UsageError

COLOURS = ("red", "green", "blue", "grey", "white", "black")
MAPPING = """
name = "rooms"
title = "Rooms"
licence = "CC0"
files = ["*.jsonl"]
[fields]
id = "id"
question = "question"
answer = "answer"
options = { column = "options", optional = true }
task = "task"
scene = "scene"
[media]
kind = "image"
from = { column = "picture", optional = true }
[labels]
level = { column = "level", optional = true }
[units]
count = "count"
[spatial.categories]
chatter = "no"
"""
RECIPE = """
name = "mine"
title = "Mine"
seed = 1
[[sources]]
mapping = "rooms.toml"
data = "rows.jsonl"
media = "pictures"
[duplicates]
[classify]
model = "openai/m"
base_url = "{url}"
retries = 0
concurrency = 4
{classify}
[convert]
{convert}
[stratify]
size = {size}
by = ["category", "task"]
{more}
"""


COMMAND = ("curate", "run", "recipe.toml", "--out", "pool", "--store", "store.sqlite")
TEXT_ONLY = "media = false\nsystems = false"


def rows(count: int = 60) -> list[dict[str, Any]]:
    return [row(i) for i in range(count)]


def row(i: int) -> dict[str, Any]:
    doors = [f"the {a} door" for a in COLOURS[:4]]
    task, question, answer, more = (
        ("count", f"How many lamps are in hall {i}?", 2 + i % 7, {"level": "1"}),
        ("side", f"What is left of bed {i}?", "ABCD"[i % 3], {"options": doors, "level": "2"}),
        ("where", f"Where is cup {i}?", f"under the {COLOURS[i // 4 % 6]} desk", {}),
        ("look", f"What colour is wall {i}?", COLOURS[i % 6], {}),
    )[i % 4]
    where = {"id": i, "scene": f"s{i % 15}", "picture": f"{i % 6}.png"}
    return {**where, "task": task, "question": question, "answer": answer, **more}


def prepare(
    place: Path, url: str, *, size: int = 24, classify: str = "", convert: str = "", more: str = "", count: int = 60
) -> Path:
    pillow = pytest.importorskip("PIL.Image")
    (place / "pictures").mkdir(exist_ok=True)
    for i, colour in enumerate(COLOURS):
        image = pillow.new("RGB", (32, 24), colour)
        image.putpixel((i, i), (9, 9, 9))
        image.save(place / "pictures" / f"{i}.png")
    (place / "rooms.toml").write_text(MAPPING)
    (place / "rows.jsonl").write_text(
        "".join(json.dumps(one) + "\n" for one in [*rows(count), {"id": "x", "question": ""}])
    )
    path = place / "recipe.toml"
    path.write_text(RECIPE.format(url=url, size=size, classify=classify, convert=convert, more=more))
    return path


def carry_out(recipe: Path, place: Path, until: str | None = None) -> dict[str, dict[str, Any]]:
    made = read_recipe(recipe)
    work = Work(made, place / "pool", place / "store.sqlite")
    return {done.name: done.statistics | {"again": done.again} for done in curate(made, place / "pool", work, until)}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TOLMAN_CACHE", str(tmp_path / "cache"))
    return tmp_path


def test_from_question_sets_to_a_benchmark_that_is_evaluated(place: Path) -> None:
    with serving(server := Curator()) as url:
        recipe = prepare(place, url)
        done = carry_out(recipe, place)
        asked = server.requests
        again = carry_out(recipe, place)
    assert done["import"]["sources"] == {"rooms": {"taken": 60, "unmapped": 1}}
    # Fifteen questions are about colours; the three sixths of the others are asked about again with their pictures.
    assert server.asked == {"filter": 6, "filter with media": 45, "systems": 5}
    assert server.shown["filter with media"] == 45
    assert done["classify"]["rejected"] == {"rooms": 15}
    assert done["convert"]["converted"] == {"answers": 15, "bounds": 15}
    assert done["stratify"]["candidates"] == 24
    assert set(done["stratify"]["after"]["category"].values()) == {8}
    assert server.requests == asked
    assert not any(statistics["again"] for statistics in again.values())
    folder = place / "pool" / "benchmark"
    table = pl.read_parquet(folder / "data" / "test-00000-of-00001.parquet")
    assert set(table["kind"]) == {"choice"}
    letters = Counter(table["answer"])
    assert max(letters.values()) - min(letters.values()) <= 1
    labels = [json.loads(text) for text in table["labels"]]
    assert {(one["scale"], one["change"], one["dataset"]) for one in labels} == {("vista", "static", "rooms")}
    assert all(one["site_category"] == one["category"] for one in labels)
    paths = {medium["path"] for row in table["media"] for medium in row}
    assert all((folder / path).is_file() and not (folder / path).is_symlink() for path in paths)
    provenance = json.loads((folder / "provenance.json").read_text())
    assert provenance["recipe"]["seed"] == 1
    assert set(provenance["stages"]) >= {"import", "duplicates", "classify", "convert", "stratify"}
    assert "| Rooms | CC0 | 24 |" in (folder / "README.md").read_text()
    assert " from Rooms" in json.loads((folder / "benchmark.json").read_text())["paper"]
    ran = tolman(place, "run", "./pool/benchmark", "--model", "baseline/random", "--out", "run")
    assert ran.returncode == 0, ran.stderr
    assert "24 items" in ran.stdout
    shown = tolman(place, *COMMAND)
    assert shown.returncode == 0, shown.stderr
    assert "1 row left out" in shown.stdout
    assert "Evaluate with 'tolman run ./pool/benchmark'" in shown.stdout
    assert "<svg" in (place / "pool" / "stratify" / "statistics.svg").read_text()
    (place / "pool" / "stratify" / "statistics.svg").unlink()
    (plain,) = bare.environment(place / "few", "media").run(place, COMMAND)
    assert plain.code == 0, plain.error
    assert "The figure of 'stratify' is left out. Drawing figures needs the package 'matplotlib'" in plain.error


def test_nothing_that_stands_in_another_benchmark_stays(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(Curator()) as url:
        recipe = prepare(place, url, classify=TEXT_ONLY, size=40)
        first = carry_out(recipe, place)
        (place / "pool").rename(place / "old")
        text = recipe.read_text()
        recipe.write_text(
            text.replace("[duplicates]", '[duplicates]\n[[duplicates.against]]\nbenchmark = "./old/benchmark"')
        )
        second = carry_out(recipe, place, "duplicates")
        twice = [json.dumps(one | {"id": f"again-{one['id']}", "question": f"{one['question']} "}) for one in rows(4)]
        (place / "rows.jsonl").write_text((place / "rows.jsonl").read_text() + "\n".join(twice))
        recipe.write_text(text)
        third = carry_out(recipe, place, "duplicates")
    assert first["benchmark"]["questions"] == 40
    assert second["duplicates"]["media_looked_at"] == 6
    # Questions that had options keep their texts; of the others the answer tells that they are the same.
    assert second["duplicates"]["shared"] == {str(place / "old" / "benchmark"): 40}
    assert second["duplicates"]["candidates"] == 20
    assert third["duplicates"]["left_out"] == 4
    monkeypatch.chdir(place)
    found = spoken("duplicates", "./old/benchmark", "./old/benchmark", "--out", "found.jsonl")
    assert "40 of 40 questions are in ./old/benchmark too (6 media looked at" in found.stdout
    assert len((place / "found.jsonl").read_text().splitlines()) == 40


@pytest.mark.full
def test_killed_and_stopped_it_goes_on_and_asks_nothing_twice(place: Path) -> None:
    with serving(server := Curator(latency=0.05)) as url:
        prepare(place, url, classify="batch = 2", count=80)
        command = (sys.executable, "-m", "tolman", *COMMAND)
        for goal, how in ((12, signal.SIGKILL), (50, signal.SIGINT)):
            process = subprocess.Popen(command, cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            deadline = time.monotonic() + 60
            while server.requests < goal and time.monotonic() < deadline:
                time.sleep(0.005)
            process.send_signal(how)
            _, errors = process.communicate(timeout=60)
        assert process.returncode == 130
        assert "Stopped: all answers so far are kept; run the same command again to resume." in errors
        assert "Traceback" not in errors
        assert not (place / "pool" / "benchmark").exists()
        done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        # Only what was on its way when the process was killed is asked again: at most four calls each time.
        assert len(server.answered) <= server.requests <= len(server.answered) + 8
        before = server.requests
        assert subprocess.run(command, cwd=place, capture_output=True, check=False).returncode == 0
        assert server.requests == before


def test_failed_calls_stop_the_recipe_and_are_made_again(place: Path) -> None:
    with serving(server := Curator(faults={"500": 0.3}, seed=2)) as url:
        recipe = prepare(place, url, classify="batch = 1\nmedia = false\nsystems = false")
        done = tolman(place, "curate", "run", str(recipe), *COMMAND[3:])
        assert done.returncode == 1
        assert done.stdout.startswith("INCOMPLETE: ")
        assert not (place / "pool" / "convert").exists()
        answered = sum(server.answered.values())
        server.faults = {}
        assert "benchmark" in carry_out(recipe, place)
        assert sum(server.answered.values()) == len(server.answered) > answered


def test_what_cannot_be_read_is_left_for_people_and_their_labels_bring_it_back(place: Path) -> None:
    def odd(question: str) -> str:
        if "bed 5?" in question:
            return "Well, perhaps."
        if "bed 9?" in question:
            return "Yes, but it's hard to determine the category. This is a spatially related problem because of it."
        return "Yes. This is a Spatial Relationship Reasoning problem because of it."

    (place / "hand.csv").write_text(
        "id,category\nrooms/5,object localization & positioning\nrooms/0,no\nrooms/1,spatial relationship reasoning\n"
    )
    with serving(Curator(verdict=odd)) as url:
        recipe = prepare(place, url, classify=TEXT_ONLY, size=50)
        first = carry_out(recipe, place)
        people = [json.loads(line) for line in (place / "pool" / "classify" / "people.jsonl").read_text().splitlines()]
        prepare(place, url, classify='media = false\nsystems = false\nhand = "hand.csv"', size=50)
        second = carry_out(recipe, place)
    reasons = {one["id"]: one["reason"][:16] for one in people}
    assert reasons == {"rooms/5": "no reply of 3 ca", "rooms/9": "spatial, of no c"}
    assert first["classify"]["candidates"] == 58
    assert second["classify"]["candidates"] == 58  # one more by hand, one less by hand
    assert second["classify"]["people"] == 1
    found = second["classify"]["agreement"]["category"]
    assert (found["n"], found["agreement"]) == (2, 0.5)
    kept = {one.id: one for one in read_pool(place / "pool" / "classify")}
    assert kept["rooms/5"].labels["category"] == "object localization & positioning"
    assert kept["rooms/5"].evidence["classified"] == {"by": "hand"}
    assert "rooms/0" not in kept


def test_a_model_writes_distractors_and_strikes_out_second_right_answers(place: Path) -> None:
    with serving(server := Curator()) as url:
        convert = f'texts = "model"\nwriter = {{ model = "openai/w", base_url = "{url}" }}'
        recipe = prepare(place, url, classify=TEXT_ONLY, convert=convert)
        done = carry_out(recipe, place, "convert")
    assert done["convert"]["converted"] == {"bounds": 15, "model": 15}
    assert (server.asked["distractors"], server.asked["second right"]) == (15, 15)
    made = [one for one in read_pool(place / "pool" / "convert") if one.task == "where"]
    assert all(len([o for o in one.options if o.startswith("inside the ")]) == 3 for one in made)


def test_consensus_sends_the_rest_to_people(place: Path) -> None:
    more = '[verify]\nspot_check = 0.3\nmodels = [{{ model = "openai/a", base_url = "{url}" }}, {{ model = "openai/b", base_url = "{url}" }}]\n[publish]\nundecided = "leave-out"\ndecisions = "decisions.jsonl"\n'
    (place / "decisions.jsonl").write_text("")

    def answer(text: str) -> str:
        if "cup" in text:
            return "I can't say."
        return f"Evidence: there.\nFrames: 1\nAnswer: {'A' if 'bed' in text else 'B'}"

    with serving(Curator(answer=answer)) as url:
        recipe = prepare(place, url, size=45, more=more.format(url=url))
        done = carry_out(recipe, place)
        lines = [json.loads(line) for line in (place / "pool" / "verify" / "review.jsonl").read_text().splitlines()]
        rejected = next(line["id"] for line in lines if line["status"] == "approved")
        approved = next(line["id"] for line in lines if line["status"] == "people")
        decisions = [{"id": rejected, "decision": "reject"}, {"id": approved, "decision": "approve"}]
        (place / "decisions.jsonl").write_text("".join(json.dumps(one) + "\n" for one in decisions))
        decided = carry_out(recipe, place)
    status = Counter(line["status"] for line in lines)
    assert status == done["verify"]["status"]
    unknown = [line for line in lines if "level" not in line["labels"]]
    assert done["verify"]["level_unknown"] == len(unknown) > 0
    assert all(line["reasons"][-1] == "its level isn't known" for line in unknown)
    assert all(status[one] for one in ("approved", "spot-check", "people"))
    for line in lines:
        assert {"question", "options", "answer", "media", "labels", "checklist"} <= set(line)
        assert [one["model"] for one in line["models"]] == ["openai/a", "openai/b"]
        if line["status"] == "approved":
            assert {one["answer"] for one in line["models"]} == {line["answer"]}
            assert line["models"][0]["evidence"] == "there."
        if "cup" in line["question"]:
            assert line["reasons"][0] == "a model gave no answer that can be read"
    kept = status["approved"] + status["spot-check"]
    table = pl.read_parquet(next((place / "pool" / "benchmark" / "data").glob("*.parquet")))
    assert all(len(json.loads(text)["models"]) == 2 for text in table["evidence"])
    assert done["benchmark"]["questions"] == decided["benchmark"]["questions"] == kept
    assert decided["benchmark"]["decisions"]["reject by people"] == 1
    assert not decided["verify"]["again"]


def test_decisions_about_no_question_and_contradictory_ones_are_refused(place: Path) -> None:
    recipe = prepare(place, "")
    recipe.write_text(
        'name = "mine"\n[[sources]]\nmapping = "rooms.toml"\ndata = "rows.jsonl"\nmedia = "pictures"\n'
        '[publish]\ndecisions = "decisions.jsonl"\n'
    )

    def decide(*decisions: tuple[str, str]) -> None:
        lines = [json.dumps({"id": name, "decision": decision}) + "\n" for name, decision in decisions]
        (place / "decisions.jsonl").write_text("".join(lines))

    decide(("rooms/1", "reject"), ("2", "approve"), ("zzz", "reject"))
    said = r"decisions.jsonl, row 2: decides about no question of the pool: '2', 'zzz'; .*'rooms/0'"
    with pytest.raises(InputError, match=said):
        carry_out(recipe, place)
    assert not (place / "pool" / "benchmark").exists()
    decide(("rooms/1", "approve"), ("rooms/2", "approve"), ("rooms/1", "reject"))
    with pytest.raises(InputError, match=r"row 3: says 'reject' about 'rooms/1', and row 1 says 'approve'"):
        carry_out(recipe, place)
    decide(("rooms/1", "reject"), ("rooms/1", "reject"))
    assert carry_out(recipe, place)["benchmark"]["decisions"]["reject by people"] == 1


def one(answer: str = "A", **labels: str) -> Candidate:
    which = {
        "id": "s/1",
        "source": "s",
        "question": "Which?",
        "kind": "choice",
        "options": ("x", "y", "z"),
        "task": "t",
    }
    return Candidate.model_validate({**which, "answer": answer, "labels": labels})


@pytest.mark.parametrize(
    ("answers", "labels", "status"),
    [
        (["A", "A"], {"level": "1"}, "approved"),
        (["A", "B"], {"level": "1"}, "people"),
        (["B", "B"], {"level": "1"}, "people"),
        (["A", None], {"level": "1"}, "people"),
        (["A", "A"], {}, "people"),
        (["A", "A"], {"level": "3"}, "people"),
        (["A", "A"], {"level": "L2"}, "approved"),
    ],
)
def test_the_rule_of_consensus(answers: list[str | None], labels: dict[str, str], status: str) -> None:
    settings = Verify(models=({"model": "openai/a"}, {"model": "openai/b"}), spot_check=0)
    replies = [Reply(None if a is None else {"answer": a}, None if a else "unread") for a in answers]
    assert judge(one(**labels), replies, settings, "0").status == status


def test_answers_with_evidence_are_read_strictly() -> None:
    good = "Evidence: a chair\nis there.\nFrames: 1, 3\nAnswer: (b)."
    assert read_answer(good, one()) == {"answer": "B", "evidence": "a chair is there.", "frames": [1, 3]}
    long = "\n" * 10**5
    changed = (good.replace("(b)", "E"), good.replace("Frames", "Pictures"), good + "\nThanks!")
    assert all(read_answer(bad, one()) is None for bad in ("Answer: B", *changed, long, f"Evidence:{long}Answer: B"))
    number = Candidate(id="s/2", source="s", question="How far?", kind="number", answer="3.1", task="t")
    for text, read in (("3.2", "3.2"), (".5", "0.5"), ("about 3", None)):
        expected = read and {"answer": read, "evidence": "x", "frames": []}
        assert read_answer(f"Evidence: x\nFrames: none\nAnswer: {text}", number) == expected


@given(st.sampled_from("ABC"), st.integers(0, 2))
def test_moving_the_right_option_keeps_it_right(answer: str, place: int) -> None:
    before = one(answer)
    after = reorder(before, place)
    assert after.answer == "ABC"[place]
    assert after.answer_text == before.answer_text
    assert sorted(after.options) == sorted(before.options)


def test_pools_are_shards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tolman.curate.candidates.SHARD", 4)
    made = [one().model_copy(update={"id": f"s/{i}", "labels": {"a": str(i)}}) for i in range(10)]
    assert write_pool(tmp_path / "pool", made) == 10
    assert [len(shard) for shard in read_shards(tmp_path / "pool")] == [4, 4, 2]
    assert list(read_pool(tmp_path / "pool")) == made
    assert write_pool(tmp_path / "none", []) == 0
    assert list(read_pool(tmp_path / "none")) == []
    with pytest.raises(InputError, match="holds no pool"):
        list(read_pool(tmp_path))


def test_recipes_that_do_not_hold(place: Path) -> None:
    source = '[[sources]]\nmapping = "vsi-bench"\ndata = "x"\n'
    for text, what in (
        ("", "field 'name': is missing"),
        ('name = "a"\nsources = []\n', "field 'sources'"),
        (f'name = "a"\n{source}odd = 1\n', "odd': is not a known key; known: mapping"),
        (f'name = "a"\n{source * 2}', "two sources are named 'vsi-bench'"),
        (f'name = "a"\n{source}[convert]\ntexts = "model"\n', "needs a"),
    ):
        (place / "r.toml").write_text(text)
        with pytest.raises(InputError, match=what):
            read_recipe(place / "r.toml")
    with serving(Curator()) as url:
        recipe = prepare(place, url, size=5, more="[stratify.caps]\nnothing = 3\n", classify=TEXT_ONLY)
        with pytest.raises(UsageError, match="label 'nothing'"):
            carry_out(recipe, place)
        with pytest.raises(UsageError, match="no stage 'verify'"):
            carry_out(recipe, place, "verify")
    with serving(server := Curator()) as url:
        recipe = prepare(place, url)
        text = recipe.read_text()
        recipe.write_text(text.replace('media = "pictures"', 'media = "."\ntrust_labels = false'))
        with pytest.raises(UsageError, match="none of the media of rooms is there"):
            carry_out(recipe, place)
        assert not server.requests
        recipe.write_text(text.replace("[duplicates]", "[duplicates]\npictures = false"))
        (place / "own.toml").write_text(
            'name = "own"\n' + "".join(f'[[categories]]\nkey = "{k}"\nprompt = "{k}"\n' for k in "ab")
        )
        (place / "rooms.toml").write_text(MAPPING + 'count = "counting & existence"\n')
        recipe.write_text(text.replace("retries = 0", 'retries = 0\ntaxonomy = "own.toml"'))
        with pytest.raises(UsageError, match="the mapping rooms has the category 'counting & existence'"):
            carry_out(recipe, place)
    (place / "full").mkdir()
    (place / "full" / "thesis.txt").write_text("dear")
    with pytest.raises(InputError, match="holds other files"):
        curate(read_recipe(recipe), place / "full")
    own = read_recipe(recipe)
    other = own.model_copy(update={"name": "other", "sources": (own.sources[0].model_copy(update={"name": "theirs"}),)})
    (place / "other").mkdir()
    (place / "other" / "recipe.json").write_text(other.model_dump_json())
    with pytest.raises(InputError, match="holds the pool of another recipe, 'other'"):
        curate(own, place / "other")


def test_a_trusted_label_is_not_asked_about_and_gives_way_to_people(place: Path) -> None:
    (place / "hand.csv").write_text("id,category\nrooms/0,no\nrooms/4,spatial relationship reasoning\n")
    with serving(server := Curator()) as url:
        recipe = prepare(place, url, classify='media = false\nsystems = false\nhand = "hand.csv"')
        (place / "rooms.toml").write_text(MAPPING + 'count = "counting & existence"\nlook = "no"\n')
        done = carry_out(recipe, place, "classify")
    assert sum(server.questions.values()) == 30
    assert done["classify"]["rejected"] == {"rooms": 16}
    assert done["classify"]["categories"]["counting & existence"] == 13
    assert "rooms/0" not in {one.id for one in read_pool(place / "pool" / "classify")}


def test_media_of_a_source_that_is_not_asked_about_may_be_missing(place: Path) -> None:
    with serving(Curator()) as url:
        recipe = prepare(place, url, classify="systems = false", count=12)
        categories = 'count = "counting & existence"\nside = "no"\nwhere = "no"\nlook = "no"\n'
        (place / "known.toml").write_text(MAPPING + categories)
        source = '[[sources]]\nname = "known"\nmapping = "known.toml"\ndata = "rows.jsonl"\nmedia = "gone"\n'
        recipe.write_text(recipe.read_text().replace("[duplicates]\n", source))
        done = carry_out(recipe, place, "classify")
        assert done["classify"]["categories"]["counting & existence"] >= 3
        recipe.write_text(recipe.read_text().replace('"gone"', '"gone"\ntrust_labels = false'))
        with pytest.raises(UsageError, match="none of the media of known is there"):
            carry_out(recipe, place, "classify")


def spoken(*arguments: str) -> Any:
    """The command line in this process."""
    from tolman.commands import construct as commands
    from tolman.errors import TolmanError

    result = CliRunner().invoke(commands.curate_app, arguments, env={"COLUMNS": "300"})
    failed = result.exception
    code, said = (
        (failed.exit_code, str(failed)) if isinstance(failed, TolmanError) else (result.exit_code, repr(failed))
    )
    return SimpleNamespace(returncode=code, stdout=result.stdout, stderr=said)


def test_the_command_line(place: Path, shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)
    assert "vsi-bench" in spoken("mappings").stdout
    assert "not certain: " in spoken("mappings", "blink").stdout
    assert json.loads(spoken("mappings", "sat", "--json").stdout)["name"] == "sat"
    pair = spoken("duplicates", "spatialbench", "--data", str(shared_data / "spatialbench"), "--subset", "v2")
    assert "376 of 3,193 questions repeat another; in 1 of 376 groups the answers differ" in pair.stdout
    with serving(Curator()) as url:
        prepare(place, url)
        imported = spoken("run", "recipe.toml", "--out", "pool", "--until", "import")
        assert "rooms: 60, 1 row left out" in imported.stdout
        found = spoken("categories", "recipe.toml", "--pool", "pool", "--out", "own.toml", "--store", "s.sqlite")
        assert found.returncode == 0, found.stderr
        assert "Group c: questions of the kind c" in found.stdout
    alone = spoken("import", "rooms.toml", "rows.jsonl", "--out", "other")
    assert "left out: rows.jsonl, row 61: 'task' is empty" in alone.stdout
    wrong = spoken("import", "nothing", "rows.jsonl", "--out", "third")
    assert wrong.returncode == 2
    assert "there is no mapping 'nothing'" in wrong.stderr
    assert os.path.islink(place / "other" / "media" / "rooms" / "files")


def test_the_examples_in_the_documents_hold(tmp_path: Path) -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "curate" / "index.md"
    *parts, mapping = re.findall(r"```toml\n(.*?)```", page.read_text(), re.DOTALL)
    recipe = "\n".join(parts)
    (tmp_path / "site.toml").write_text(recipe)
    (tmp_path / "set.toml").write_text(mapping)
    made = read_recipe(tmp_path / "site.toml")
    assert made.stratify is not None
    assert made.stratify.size == 8068
    assert made.sources[0].data == tmp_path / "data" / "vsi-bench"
    assert [source.mapping.title for source in made.opened()] == ["VSI-Bench", "CV-Bench"]
    assert open_mapping(str(tmp_path / "set.toml")).units == {"counting": "count"}


@pytest.mark.parametrize("key", ["scoring_profile", "like"])
def test_recipes_name_their_scoring_profile_under_its_old_key_too(tmp_path: Path, key: str) -> None:
    text = 'name = "a"\n[[sources]]\nmapping = "vsi-bench"\ndata = "x"\n[publish]\n'
    (tmp_path / "r.toml").write_text(f'{text}{key} = "site"\n')
    assert read_recipe(tmp_path / "r.toml").publish.scoring_profile == "site"
    (tmp_path / "r.toml").write_text(f'{text}scoring_profile = "site"\nlike = "site"\n')
    with pytest.raises(InputError, match=r"publish\.like': is not a known key"):
        read_recipe(tmp_path / "r.toml")


def test_a_mapping_that_is_not_there_leaves_no_folder_behind(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["curate", "import", "vsi-bensh", str(tmp_path), "--out", str(tmp_path / "pool")])
    assert done.exit_code != 0
    assert not (tmp_path / "pool").exists()
