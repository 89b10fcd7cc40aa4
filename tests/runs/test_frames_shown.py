"""A run at few frames says how many items can't be answered from what it shows: above the table, in JSON, in the page."""

import json
from pathlib import Path

import pytest

pytest.importorskip("av", reason="reading videos needs the extra 'media'")

from loopback import Server, serving
from terminal import tolman
from tolman.item_table import write_items
from tolman.items import Item, Media
from tolman.media.needed_frames import KEY, NeededFrames, NeededThing
from videos import write_video

FRAMES = 60
SENTENCE = (
    "FRAMES: openai/m: 2 of 3 items can't be answered from what is shown (4 frames): an object that they need is in "
    "none of these frames, or objects appear in another order; 1 more can't be checked."
)


def item(name: str, *spans: tuple[int, int], in_order: bool = False) -> Item:
    evidence = {}
    if spans:
        things = tuple(NeededThing(name=f"thing {i}", frames=(span,)) for i, span in enumerate(spans))
        said = NeededFrames(frames=FRAMES, seconds=FRAMES / 10, needed=things, in_order=in_order).with_least()
        evidence[KEY] = said.model_dump(mode="json")
    video = Media(kind="video", path="clip.mp4")
    return Item(
        id=name, question=f"{name}?", kind="number", answer="2", unit="m", task="t", media=(video,), evidence=evidence
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "bench"
    write_video(place / "clip.mp4", FRAMES, rate=10)
    (place / "benchmark.json").write_text(json.dumps({"title": "Mine", "licence": "CC0"}))
    # Four frames are 0, 19, 39 and 59.
    items = [
        item("shown", (15, 19), (39, 45)),
        item("hidden", (15, 19), (40, 45)),
        item("together", (18, 19), (19, 45), in_order=True),
        item("made before"),
    ]
    write_items(place / "items.parquet", items)
    return tmp_path


def run(folder: Path, *arguments: str) -> str:
    with serving(Server(answer="2")) as url:
        done = tolman(folder, "run", "./bench", "--model", "openai/m", "--base-url", url, *arguments, code=0)
    return done.stdout


def test_it_is_a_remark_and_in_json_and_in_the_page(folder: Path) -> None:
    printed = " ".join(run(folder, "--frames", "4", "--out", "few").split())
    assert SENTENCE in printed
    assert "items don't say" not in printed
    assert SENTENCE.replace("'", "&#39;") in (folder / "few" / "report.html").read_text()
    told = json.loads(tolman(folder, "report", "few", "--format", "json").stdout)
    assert told["warnings"] == [SENTENCE]
    assert told["frames_shown"] == [
        {"run": "openai/m", "sampling": "4 frames", "answerable": 1, "unanswerable": 2, "unknown": 1}
    ]
    scored = tolman(folder, "score", "few")
    assert SENTENCE in " ".join(scored.stdout.split())


def test_enough_frames_are_no_warning(folder: Path) -> None:
    told = json.loads(run(folder, "--frames", "60", "--out", "all", "--json"))
    assert told["warnings"] == []
    assert told["frames_shown"][0]["unanswerable"] == 0
    assert any("1 item doesn't say which frames" in note for note in told["notes"])


def test_who_looks_at_no_frame_is_told_nothing(folder: Path) -> None:
    blind = json.loads(run(folder, "--frames", "4", "--protocol", "blind", "--out", "blind", "--json"))
    assert (blind["warnings"], blind["frames_shown"]) == ([], [])
    done = tolman(folder, "run", "./bench", "--model", "baseline/random", "--frames", "4", "--out", "r", "--json")
    assert json.loads(done.stdout)["frames_shown"] == []
    (folder / "answers.jsonl").write_text('{"id": "shown", "response": "2"}\n')
    done = tolman(folder, "score", "answers.jsonl", "--benchmark", "./bench", "--out", "imported", "--json")
    assert json.loads(done.stdout)["frames_shown"] == []
