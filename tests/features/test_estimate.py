"""What a dry run says beside what the run then does."""

import asyncio
import json
from pathlib import Path

import pytest
from aiohttp import web

from loopback import Server, serving
from terminal import refused, tolman
from three_rooms import ROOMS
from tolman.item_table import write_items
from tolman.items import Item, Media
from tolman.scene_table import read_scenes


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Three questions about each of two rooms."""
    folder = tmp_path / "bench"
    folder.mkdir()
    (folder / "benchmark.json").write_text(json.dumps({"title": "Counts", "scoring_profile": "vsi-bench"}))
    scenes = [scene.id for scene in read_scenes(ROOMS)][:2]
    videos = sorted(path.relative_to(ROOMS).as_posix() for path in (ROOMS / "videos").rglob("*.mp4"))
    items = [
        Item(
            id=f"{scene}-{number}", question=f"How many chairs are there, asked as number {number}?", kind="number",
            answer="2", task="object_counting", scene=scene, media=(Media(kind="video", path=video),),
        )
        for scene, video in zip(scenes, videos, strict=False)
        for number in range(3)
    ]  # fmt: skip
    write_items(folder / "items.parquet", items)
    return tmp_path


def command(url: str, *more: str) -> tuple[str, ...]:
    return (
        "run", "./bench", "--model", "openai/m", "--base-url", url, "--media", str(ROOMS), "--scenes", str(ROOMS),
        "--protocol", "cognitive-map", "--map-categories", "scene", "--frames", "2", "--store", "s.sqlite", *more,
    )  # fmt: skip


def test_a_map_that_questions_share_is_one_call(place: Path) -> None:
    pytest.importorskip("av", reason="reading videos needs the extra 'media'")
    server = Server(answer='{"chair": [(1, 1)]}', models=("m",))
    with serving(server) as url:
        dry = tolman(place, *command(url, "--dry-run", "--json"))
        assert dry.returncode == 0, dry.stderr
        (found,) = json.loads(dry.stdout)
        assert (found["calls"], found["videos"], found["minutes"]) == (2 + 6, 2 + 6, None)
        assert tolman(place, *command(url)).returncode in (0, 1)
        assert server.requests == found["calls"]
        again = tolman(place, *command(url, "--dry-run"), COLUMNS="250")
        assert "< 0.1" in again.stdout
        # Answers to videos say nothing of how long text takes.
        blind = ("run", "./bench", "--model", "openai/m", "--base-url", url, "--protocol", "blind", "--dry-run")
        (text,) = json.loads(tolman(place, *blind, "--store", "s.sqlite", "--json").stdout)
        assert text["minutes"] is None
        assert " unknown  " in tolman(place, *blind, "--store", "s.sqlite", COLUMNS="250").stdout


@pytest.mark.full
def test_every_look_of_a_model_with_tools_is_counted(place: Path) -> None:
    asked = ("run", "./bench", "--model", "openai/m", "--base-url", "http://127.0.0.1:9", "--media", str(ROOMS))
    dry = tolman(place, *asked, "--protocol", "tools", "--looks", "2", "--dry-run", "--json", "--store", "s.sqlite")
    assert dry.returncode == 0, dry.stderr
    (found,) = json.loads(dry.stdout)
    assert found["calls"] == 6 * 3


@pytest.mark.parametrize(
    ("models", "name", "said"),
    [
        (("sloppy-7b", "other"), "sloppy", "/v1 doesn't list the model 'sloppy'; did you mean sloppy-7b?"),
        (("a", "b"), "sloppy", "/v1 doesn't list the model 'sloppy'; it lists a, b."),
        (("sloppy:latest",), "sloppy", ""),
        (("sloppy",), "sloppy", ""),
        ((), "sloppy", ""),
    ],
)
def test_a_model_that_the_endpoint_does_not_list_is_one_warning(
    place: Path, models: tuple[str, ...], name: str, said: str
) -> None:
    with serving(Server(models=models)) as url:
        line = ("run", "./bench", "--protocol", "blind", "--model", f"openai/{name}", "--base-url", url)
        done = tolman(place, *line, "--store", "s.sqlite", COLUMNS="250")
    assert done.stderr.count("doesn't list the model") == bool(said)
    assert said in " ".join(done.stderr.split())


class Limited(Server):
    """A server with some places, each of which answers for as long as `latency` says."""

    def __init__(self, places: int, latency: float) -> None:
        super().__init__(answer="2")
        self.place, self.seconds = asyncio.Semaphore(places), latency

    async def complete(self, request: web.Request) -> web.StreamResponse:
        async with self.place:
            await asyncio.sleep(self.seconds)
            return await super().complete(request)


def questions(place: Path, count: int) -> None:
    (place / "many").mkdir()
    (place / "many" / "benchmark.json").write_text(json.dumps({"title": "Many", "scoring_profile": "vsi-bench"}))
    rows = [
        Item(id=f"q{n}", question=f"Question {n}?", kind="number", answer="2", task="object_counting", scene=f"s{n}")
        for n in range(count)
    ]
    write_items(place / "many" / "items.parquet", rows)


def asking(url: str, in_flight: int, *more: str) -> tuple[str, ...]:
    line = ("run", "./many", "--model", "openai/my-model", "--base-url", url, "--store", "s.sqlite", "--out", "run")
    return (*line, "--concurrency", str(in_flight), *more)


@pytest.mark.full
@pytest.mark.parametrize(
    ("places", "latency", "in_flight", "a_second"),
    [(4, 0.4, 16, 10.0), (99, 1.2, 12, 10.0)],
)
def test_a_probe_predicts_the_time_of_a_run(
    place: Path, places: int, latency: float, in_flight: int, a_second: float
) -> None:
    questions(place, 200)
    server = Limited(places, latency)
    with serving(server) as url:
        dry = tolman(place, *asking(url, in_flight, "--dry-run", "--probe", "--json"), code=0)
        (found,) = json.loads(dry.stdout)
        probe, asked = found["probe"], server.requests
        assert dry.stderr.startswith(f"Probe of openai/my-model: {asked} of the 200 questions of ./many, with")
        assert "Answers are kept in the response store." in dry.stderr.partition("\n")[0]
        assert probe["left"] == 200 - asked
        assert probe["speeds"][0]["answers_a_second"] == pytest.approx(a_second, rel=0.2)
        server.first = 0.0
        tolman(place, *asking(url, in_flight), code=0)
        assert server.requests == 200  # none is paid twice
        assert 60 * probe["minutes"] == pytest.approx(server.last - server.first, rel=0.2)
        assert probe["low"] < probe["minutes"] < probe["high"]


def test_a_second_probe_asks_other_questions(place: Path) -> None:
    questions(place, 60)
    server = Server(answer="2")
    with serving(server) as url:
        tolman(place, *asking(url, 2, "--dry-run", "--probe"), code=0)
        first = server.requests
        assert first == 5 + 3
        (found,) = json.loads(tolman(place, *asking(url, 2, "--dry-run", "--probe", "--json"), code=0).stdout)
        assert first < server.requests <= 2 * first + 5  # questions of a level that was answered in part
        assert found["probe"]["stored"] >= first
        tolman(place, *asking(url, 2), code=0)
        done = tolman(place, *asking(url, 2, "--dry-run", "--probe"), code=0, COLUMNS="250")
        assert server.requests == 60
        assert "No speed was measured: too few questions lack an answer" in done.stderr
        assert not list(place.glob("tolman-probe-*"))


def test_probes_that_can_measure_nothing_are_refused(place: Path) -> None:
    questions(place, 3)
    line = ("run", "./many", "--model", "openai/my-model", "--base-url", "http://127.0.0.1:9/v1", "--probe")
    assert refused(place, *line) == "--probe belongs to --dry-run; add that, or leave --probe out."
    assert refused(place, *line, "--dry-run", "--batch").endswith("answers of --batch come within a day.")
    blind = ("run", "./many", "--model", "baseline/random", "--protocol", "blind", "--dry-run", "--probe")
    assert refused(place, *blind).endswith("response store; answers of baseline/random aren't stored.")
