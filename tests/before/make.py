"""Make the fixtures of this folder, with the version that later versions are held against.

    python tests/before/make.py

Run by hand, with the sources of the version that is 'before', and commit what comes out. Later versions must open these
files; to make them again with a later version would test nothing. Needs a machine that can render (EGL).

fixtures/
    images/       pictures of the benchmarks' questions
    worlds/       three small rooms with videos, an exocentric camera and somebody who walks (`tolman simulate`)
    benchmarks/   a benchmark for each generation preset (`tolman generate`), and one out of all families
    generated.json   hashes of the questions of each preset, with shortcut filtering
    answers/      scripted answers to each of these benchmarks, one missing, one ended by the token limit
    runs/         runs of them, and two with a model behind HTTP: with pictures and a judge, and with draws and repeats
    store/        the response store of those two
    review/       the database that four projects and five people left
    curation/     a recipe, its question files, and its pool after three stages, with the store of its answers
    expected.json what this version makes of these files: audits, people's answers, exports
    commands.txt  command lines as this version takes them; written by hand, not by this script
"""

import gzip
import hashlib
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import polars as pl

from before.actors import (
    FIXTURES,
    MODIFIED,
    PASSWORD,
    Person,
    Reply,
    environment,
    model,
    review,
    text_of,
    unpack,
    wordings,
)
from before.plans import CHOSEN, COMPARE, CURATE, ENDPOINT, GENERATED, PORT, REVIEW, URL, VOTES, answers, audit, digest

CUT = "Let me look at the picture first. There is a sofa, and behind it, on the left of the"
UNREADABLE = "I am sorry, I can't tell."


def tolman(*arguments: str, place: Path = FIXTURES, codes: tuple[int, ...] = (0,)) -> str:
    """Type a command in the fixtures' folder."""
    print("tolman", *arguments)
    with tempfile.TemporaryDirectory() as cache:
        command = [sys.executable, "-m", "tolman", *arguments]
        done = subprocess.run(command, cwd=place, env=environment(Path(cache)), capture_output=True, text=True)
    assert done.returncode in codes, done.stdout + done.stderr
    return done.stdout


def items(benchmark: str) -> list[dict[str, Any]]:
    """Of a benchmark among the fixtures."""
    (path,) = (FIXTURES / "benchmarks" / benchmark / "data").glob("*.parquet")
    return pl.read_parquet(path).to_dicts()


def compress(database: Path) -> None:
    """Everything in one compressed file, as `actors.unpack` expects it."""
    with sqlite3.connect(database) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    database.with_name(f"{database.name}.gz").write_bytes(gzip.compress(database.read_bytes(), mtime=0))
    for path in database.parent.glob(f"{database.name}*"):
        if path.suffix != ".gz":
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def make_benchmarks() -> None:
    """Scenes, benchmarks, hashes."""
    tolman(
        "simulate", "--out", "worlds", "--scenes", "3", "--seed", "3", "--seconds", "12", "--rate", "3", "--size",
        "160x120", "--actors", "1", "--exo", "2", "--shapes", "rectangle,l-shape,two-rooms",
    )  # fmt: skip
    hashes = {}
    for name, options in GENERATED.items():
        with tempfile.TemporaryDirectory() as folder:
            tolman("generate", "worlds", *options, "--out", f"{folder}/bench")
            hashes[name] = digest(Path(folder) / "bench")
    (FIXTURES / "generated.json").write_text(json.dumps(hashes, indent=2) + "\n")
    for name, options in CHOSEN.items():
        tolman("generate", "worlds", *options, "--out", f"benchmarks/{name}")


def make_scripted() -> None:
    """Answers and their runs."""
    (FIXTURES / "answers").mkdir()
    for name in CHOSEN:
        lines = []
        for place, item in enumerate(items(name)):
            if place == 1:
                continue
            said = {"id": item["id"], "response": wordings(item["id"], number=item["kind"] == "number")}
            if place == 2:
                said |= {"response": CUT, "finish_reason": "length"}
            if place == 3:
                said["response"] = UNREADABLE
            lines.append(json.dumps(said) + "\n")
        (FIXTURES / "answers" / f"{name}.jsonl").write_text("".join(lines))
        tolman(
            "run", f"./benchmarks/{name}", "--model", f"scripted/answers/{name}.jsonl", "--out", f"runs/{name}", "--store",
            "unused.sqlite", codes=(1,),
        )  # fmt: skip


def make_endpoint() -> None:
    """Runs of a model behind HTTP, and their store."""
    found = items("mixed")

    def reply(body: dict[str, Any]) -> Reply:
        text = text_of(body)
        key = hashlib.sha256(text.encode()).hexdigest()
        if body["model"] == "judge":
            return 200, ("A", "B", "Z", "3")[int(key[0], 16) % 4], "stop"
        if body["model"] == "clerk":
            if found[1]["question"] in text:
                return 400, "this is not answered", "stop"
            if found[2]["question"] in text:
                return 200, CUT, "length"
            if found[3]["question"] in text:
                return 200, UNREADABLE, "stop"
        return 200, wordings(key, number="A." not in text and "A)" not in text and "(A" not in text), "stop"

    with model(reply, PORT):
        tolman(*ENDPOINT, codes=(1,))
        tolman(*VOTES, codes=(0, 1))
    compress(FIXTURES / "store" / "responses.sqlite")


def _all(person: Person, project: int, mode: str, do: Any, most: int = 99) -> None:
    for _ in range(most):
        person.get(f"/projects/{project}/work")
        if not person.path.startswith(f"/{mode}/"):
            return
        do(person)


def make_review() -> None:
    """What five people left in four projects."""
    truths = {item["question"].split("\n")[0][:60]: item for item in items("paper")}

    def item_on(person: Person) -> dict[str, Any]:
        heading = re.search(r'<h1 class="question"[^>]*>(.*?)</h1>', person.page.text, re.S)
        assert heading is not None
        plain = " ".join(re.sub("<[^>]*>", "", heading[1]).replace("&#39;", "'").split())
        return next(item for start, item in truths.items() if plain.startswith(" ".join(start.split())))

    def answer(person: Person) -> None:
        person.post(person.path, answer="2" if item_on(person)["kind"] == "number" else "B", seconds=4)

    def check(person: Person) -> None:
        path, item = person.path, item_on(person)
        if f"{path}/answer" in person.page.text:
            person.post(f"{path}/answer", answer=item["answer"], seconds=5)
        if "/decide" in person.page.text:
            fields = {
                "object_counting": {"verdict": "discard", "reason": "it can't be seen whole"},
                "object_abs_distance": {"verdict": "flag", "reason": "too near to a wall", "target": "scene"},
                "obj_appearance_order": {
                    "verdict": "revise", "reason": "said more plainly", "question": "Which of these is seen first? " + item["question"],
                    "options": "\n".join(item["options"]), "answer": item["answer"],
                },
            }.get(item["task"], {"verdict": "approve"})  # fmt: skip
            person.post(f"{path}/decide", seconds=3, **fields)

    def label(person: Person) -> None:
        labels = {"category": "counting & existence", "scale": "vista", "factor": "neither"}
        labels |= {"information": "extrinsic", "change": "static"}
        person.post(person.path, seconds=2, **{f"group-{name}": value for name, value in labels.items()})

    def blame(person: Person) -> None:
        person.post(person.path, **{"group-categories": "perception", "note": "it wasn't seen"})

    with review(FIXTURES, *REVIEW[1:]) as (address, link):
        owner = Person(address).enter(link)
        for name, mode, people in (
            ("Answers", "answer", 2),
            ("Checks", "review", 2),
            ("Labels", "classify", 2),
            ("Errors", "errors", 1),
        ):
            owner.post("/projects", name=name, mode=mode, people=people)
        people = {}
        for name, role in (
            ("Ann", "subject"),
            ("Bob", "subject"),
            ("Cat", "reviewer"),
            ("Dan", "reviewer"),
            ("Eva", "annotator"),
        ):
            told = owner.post("/people/invite", role=role)
            path = "/invitation/" + re.search(r"/invitation/([^\"\s<]+)", told)[1]
            people[name] = Person(address)
            people[name].get(path)
            people[name].post(path, name=name, password=PASSWORD, again=PASSWORD)
        _all(people["Ann"], 1, "answer", answer)
        _all(people["Bob"], 1, "answer", answer, 4)
        _all(people["Cat"], 2, "review", check)
        _all(people["Dan"], 2, "review", check, 5)
        _all(people["Eva"], 3, "classify", label, 6)
        _all(people["Eva"], 4, "errors", blame, 3)
        people["Bob"].get("/projects/1/work")
        people["Bob"].post(f"{people['Bob'].path}/draft", answer="7")
        for person in (owner, *people.values()):
            person.http.close()
    compress(FIXTURES / "review" / "review.sqlite")


RECIPE = f"""
name = "mine"
title = "Mine"
seed = 1
[[sources]]
mapping = "rooms.toml"
data = "rows.jsonl"
media = "pictures"
[duplicates]
[classify]
model = "openai/sorter"
base_url = "{URL}"
retries = 0
[convert]
[stratify]
size = 12
by = ["category", "task"]
"""
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
[units]
count = "count"
"""


def make_curation() -> None:
    """A recipe that was carried out up to classifying."""
    from PIL import Image

    colours = ("red", "green", "blue", "grey", "white", "black")
    place = FIXTURES / "curation"
    (place / "pictures").mkdir(parents=True)
    for i, colour in enumerate(colours):
        image = Image.new("RGB", (32, 24), colour)
        image.putpixel((i, i), (9, 9, 9))
        image.save(place / "pictures" / f"{i}.png")
    rows = []
    for i in range(30):
        row: dict[str, Any] = {"id": i, "scene": f"s{i % 10}", "picture": f"{i % 6}.png"}
        options = [f"the {colour} door" for colour in colours[:4]]
        rows.append(
            row
            | (
                {"task": "count", "question": f"How many lamps are in hall {i}?", "answer": 2 + i % 7},
                {"task": "side", "question": f"What is left of bed {i}?", "answer": "ABCD"[i % 3], "options": options},
                {"task": "look", "question": f"What colour is wall {i}?", "answer": colours[i % 6]},
            )[i % 3]
        )
    (place / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (place / "rooms.toml").write_text(MAPPING)
    (place / "recipe.toml").write_text(RECIPE)
    for path in (place / "rows.jsonl", place / "rooms.toml"):
        os.utime(path, (MODIFIED, MODIFIED))

    def sort(body: dict[str, Any]) -> Reply:
        from curator import SYSTEMS, numbered, questions_in, verdict

        text = text_of(body)
        if "classify a series of Q&A pairs" in text:
            return 200, numbered([verdict(question) for question in questions_in(text)]), "stop"
        asked = questions_in("\nInput:\n" + text.split("begin the lines with '1.', '2.', etc.")[-1])
        return 200, numbered([SYSTEMS for _ in asked]), "stop"

    with model(sort, PORT):
        tolman(*CURATE, "--until", "classify", place=place)
    compress(place / "store.sqlite")
    link = place / "pool" / "media" / "rooms" / "files"
    assert link.resolve() == place / "pictures"
    link.unlink()
    link.symlink_to("../../../pictures")  # a checkout lies elsewhere


def set_media_apart() -> None:
    """Keep each picture once, and videos with the worlds only; `actors.unpack` puts them where they were."""
    (FIXTURES / "images").mkdir()
    for path in FIXTURES.glob("benchmarks/*/images/*"):
        path.replace(FIXTURES / "images" / path.name)
    for folder in (*FIXTURES.glob("benchmarks/*/images"), *FIXTURES.glob("benchmarks/*/videos")):
        shutil.rmtree(folder)


def make_expected() -> None:
    """What this version makes of its own files."""
    with tempfile.TemporaryDirectory() as folder:
        place = unpack(Path(folder) / "fixtures")
        audits = {
            name: json.loads(tolman(*audit(name), place=place)) for name in ("paper", "official", "mixed", "choices")
        }
        tolman(*REVIEW, "--runs", "people", "--project", "Answers", place=place)
        tolman(*REVIEW, "--export", "export", "--project", "Checks", "--undecided", place=place)
        tolman(*CURATE, place=place / "curation")
        expected = {
            "audits": audits,
            "compared": json.loads(tolman(*COMPARE, place=place)),
            "people": answers(place / "people"),
            "export": digest(place / "export"),
            "curated": digest(place / "curation" / "pool" / "benchmark"),
        }
    (FIXTURES / "expected.json").write_text(json.dumps(expected, indent=1, sort_keys=True) + "\n")


def main() -> None:
    """Make all, in place of what is there."""
    commands = FIXTURES / "commands.txt"
    kept = commands.read_text() if commands.exists() else ""
    shutil.rmtree(FIXTURES, ignore_errors=True)
    FIXTURES.mkdir()
    commands.write_text(kept)
    (FIXTURES / "prices.json").write_text(
        json.dumps({f"openai/{name}": {"input": 1.0, "output": 2.0} for name in ("clerk", "judge")}) + "\n"
    )
    make_benchmarks()
    make_scripted()
    make_endpoint()
    make_review()
    make_curation()
    set_media_apart()
    for path in FIXTURES.glob("runs/*/report.html"):
        path.unlink()
    for name in ("unused.sqlite", "cache"):
        for path in FIXTURES.glob(f"{name}*"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    make_expected()


if __name__ == "__main__":
    main()
