"""`tolman analyze maps` on the rooms that ship with the package, and a reader of the true map."""

import json
import math
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import bare
from drawings import ROOMS, TASKS, asked_about, draw, write_drawings
from loopback import Server, serving
from terminal import typed as tolman
from tolman.cognitive_maps import read_map
from tolman.features.analyses import ANALYSES
from tolman.features.analyses.config import MapsConfig
from tolman.features.analyses.probe_analyses import analyze_maps
from tolman.item_table import read_items
from tolman.scene_table import read_scenes

STANDING = re.compile(r"standing by the (.+?) and facing the (.+?), is the (.+?) to ")
OPTION = re.compile(r"^([A-D])\. (.+)$", re.MULTILINE)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Questions about the rooms."""
    folder = tmp_path_factory.mktemp("maps")
    tolman(folder, "generate", str(ROOMS), "--out", "bench", "--per-scene", "8")
    return folder


def reader(body: dict[str, Any]) -> str:
    """A perfect reader of the map in its prompt: places, angles and counts, and nothing else."""
    content = body["messages"][-1]["content"]
    text = content if isinstance(content, str) else "".join(p.get("text", "") for p in content)
    given = read_map(text[: text.index("According to")]).map
    assert given is not None
    if counted := re.search(r"How many (.+?)\(s\)", text):
        return str(len(given.places[counted[1]]))
    found = STANDING.search(text)
    assert found is not None, text
    (x, y), (fx, fy), (qx, qy) = (given.places[name][0] for name in found.groups())
    turn = math.degrees(math.atan2(qy - y, qx - x) - math.atan2(fy - y, fx - x)) % 360
    options = {said: letter for letter, said in OPTION.findall(text)}
    if "front-left" in options:
        return options[["front-left", "back-left", "back-right", "front-right"][int(turn // 90)]]
    if "back" in options:
        return options["left" if turn < 135 else "back" if turn < 225 else "right"]
    return options["left" if turn < 180 else "right"]


def test_the_true_map_given_to_a_perfect_reader_scores_a_hundred(place: Path) -> None:
    server = Server(reply=reader)
    with serving(server) as url:
        tolman(
            place, "run", "./bench", "--model", "openai/reader", "--base-url", url, "--protocol", "true-map+blind",
            "--scenes", str(ROOMS), "--tasks", ",".join(TASKS), "--out", "given", "--store", "s.sqlite",
        )  # fmt: skip
    rows = pl.read_parquet(place / "given" / "scores.parquet").filter(pl.col("rule_set") == "official")
    assert set(rows["task"]) == set(TASKS)
    assert len(rows) > 40
    assert rows["score"].to_list() == [1.0] * len(rows)


@pytest.mark.full
def test_drawn_maps_are_held_against_the_scenes(place: Path) -> None:
    for name, change in (("true", 0.0), ("squeezed", 0.4)):
        write_drawings(place, name, change)
        draw(place, name)
    found = json.loads(tolman(place, "analyze", "maps", "true", "squeezed", "--draw", "2", "--json").stdout)
    assert [table["source"] for table in found["published"]] == ["Table 4"]
    true, squeezed = found["runs"].values()
    asked = len(read_items(place / "true" / "items.parquet"))
    rooms = len(list(read_scenes(ROOMS)))
    assert (true["maps"], true["unread"], true["answers"]) == (rooms, 1, asked)  # each room's once, however many ask
    assert [share["value"] for share in true["locality"]["bins"]] == [100] * 8
    assert true["locality"]["accuracy"]["value"] == 100
    assert true["locality"]["missing"] == 0
    assert true["consistency"]["whole"] < 0.01  # places have two decimals
    assert squeezed["locality"]["near"]["value"] > squeezed["locality"]["far"]["value"] + 10
    assert squeezed["consistency"]["whole"] > 0.5
    pairs = pl.read_csv(place / "maps" / "pairs.csv")
    assert len(pairs) == sum(run["locality"]["pairs"] for run in (true, squeezed))
    assert len(pairs.select("run", "scene", "a", "b").unique()) == len(pairs)
    maps_of = pairs.select("run", "id", "questions").unique()
    assert maps_of["questions"].sum() == 2 * (asked - 1)  # all but the one whose map could not be read
    page = (place / "maps" / "maps.html").read_text()
    assert page.count("<svg") == 1 + 2 * 2
    assert page.count(" more of ") == 2 * 2
    assert "://" not in re.sub(r'"http://www\.w3\.org/[^"]*"', "", page).replace("http://www.w3.org", "")
    shown = tolman(place, "analyze", "maps", "true", "--draw", "0").stdout
    assert "1 unreadable maps" in shown
    assert "1–2.125" in shown
    (plain,) = bare.environment(place / "core").run(place, ("analyze", "maps", "true", "--out", "plain"))
    assert plain.code == 0, plain.error
    assert (
        "Written: plain/pairs.csv.\nFigures are left out. Drawing figures needs the package 'matplotlib'" in plain.out
    )
    assert sorted(path.name for path in (place / "plain").iterdir()) == ["pairs.csv", "tolman.toml"]


def test_what_can_not_be_analysed_is_told(place: Path, tmp_path: Path) -> None:
    (tmp_path / "plain.jsonl").write_text(
        "".join(json.dumps({"id": i.id, "response": "A"}) + "\n" for i in asked_about(place))
    )
    tolman(tmp_path, "run", str(place / "bench"), "--model", "scripted/plain.jsonl", "--out", "plain")
    done = tolman(tmp_path, "analyze", "maps", "plain", "--scenes", str(ROOMS), status=2)
    assert "plain drew no maps; run it with --protocol cognitive-map" in " ".join(done.stderr.split())


@pytest.mark.full
def test_python_gives_what_the_command_prints_as_json_and_prints_nothing(
    place: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    write_drawings(place, "askew", 0.2)
    draw(place, "askew")
    monkeypatch.chdir(place)
    capfd.readouterr()
    result = analyze_maps(MapsConfig(runs=(Path("askew"),), draw=1, out=Path("by-python")))
    printed = capfd.readouterr()
    assert (printed.out, printed.err) == ("", "")
    found = tolman(place, "analyze", "maps", "askew", "--draw", "1", "--out", "by-command", "--json").stdout
    assert json.loads(found) == ANALYSES.get("maps").to_json(result)
    for name in ("maps.html", "pairs.csv"):
        assert (place / "by-python" / name).read_text() == (place / "by-command" / name).read_text()
