"""The filter's prompt, its strict answer format, and what becomes of replies that don't hold to it."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from curator import SYSTEMS, Curator
from loopback import serving
from tolman.curate.asking import AskedModel, Asker, Reply, number_lines
from tolman.curate.candidates import Candidate
from tolman.curate.filtering import (
    UNSURE,
    agreement,
    categories_task,
    filter_task,
    read_hand_labels,
    read_systems,
    read_verdict,
    systems_task,
    toml_of,
)
from tolman.curate.mapping import Taxonomy, open_taxonomy
from tolman.errors import EndpointError, InputError, UsageError

SITE = open_taxonomy("site")


def candidate(number: int, question: str = "How many lamps?", **rest: Any) -> Candidate:
    fields = {"kind": "text", "answer": "two", "task": "t", **rest}
    return Candidate(id=f"s/{number}", source="s", question=question, **fields)


def ask(
    server: Curator, place: Path, ones: Sequence[Candidate], task: Any, *, times: int = 1, **options: Any
) -> dict[str, Reply]:
    """The replies, of the last time."""
    with serving(server) as url:
        asked = AskedModel(model="openai/m", base_url=url, retries=0, **options)
        for _ in range(times):
            with Asker(asked, place / "store.sqlite", place) as asker:
                found = asker.ask(ones, task)
    return found


def test_the_papers_examples_can_be_read() -> None:
    assert len(SITE.examples) == 8
    assert None not in [read_verdict(SITE, example.output) for example in SITE.examples]


def test_the_forms_that_are_asked_for() -> None:
    for text, category in (
        ("No", None),
        ("no.", None),
        ("Yes. This is a Depth & 3D Understanding problem because it asks\nfor depth.", "3d information understanding"),
        ("Yes. This is a Other spatial category can not be sure problem because x", UNSURE),
        ("Yes. This is a Other spatial category can not be sure. problem because x", UNSURE),
        ("Yes, but it’s hard to determine the category. This is a spatially related problem because x", UNSURE),
    ):
        found = read_verdict(SITE, text)
        assert found is not None, text
        assert found["category"] == category, text


@pytest.mark.parametrize(
    "text",
    [
        "", "Yes", "Yes.", "No, it is about colour.", "Not spatial", "The answer is: No",
        "Yes. This is a Counting problem because x", "Yes. This is a Counting & Existence problem.",
        "Yes. This is a Counting & Existence problem because ", "Sure! Yes. This is a Counting & Existence problem because x",
        "**Yes. This is a Counting & Existence problem because x**", "1. No",
    ],
)  # fmt: skip
def test_anything_else_is_not_read(text: str) -> None:
    assert read_verdict(SITE, text) is None


@given(st.lists(st.text(st.characters(blacklist_categories=("Cs",)), max_size=40), min_size=1, max_size=6))
def test_a_numbered_reply_gives_its_parts_or_nothing(texts: list[str]) -> None:
    reply = "\n".join(f"{i}. {text}" for i, text in enumerate(texts, start=1))
    found = number_lines(reply, len(texts))
    assert number_lines(reply, len(texts) + 1) is None
    if found is not None:
        assert [" ".join(part.split()) for part in found] == [" ".join(text.split()) for text in texts]


def test_parts_out_of_order_or_behind_a_preamble_are_not_read() -> None:
    assert number_lines("1. No\n2. No", 2) == ["No", "No"]
    assert number_lines("2. No\n1. No", 2) is None
    assert number_lines("Here they are:\n1. No\n2. No", 2) is None
    assert number_lines("1. No\n1. No", 2) is None
    assert number_lines("No\nNo", 2) is None


def test_the_prompt_is_the_papers_and_many_are_asked_at_once(tmp_path: Path) -> None:
    ones = [candidate(i, f"How many {i}?" if i % 2 else f"What color is {i}?") for i in range(25)]
    server = Curator()
    server.keep = True
    replies = ask(server, tmp_path, ones, filter_task(SITE, batch=10), times=2)
    assert server.asked == {"filter": 3}  # the second time, all came from the store
    assert [replies[one.id].value["category"] for one in ones[:2]] == [None, "counting & existence"]
    system, user = server.bodies[0]["messages"]
    assert "simply answer:\n   No" in system["content"]
    assert (
        "   - Movement Navigation & Intent Prediction\n   - Other spatial category can not be sure."
        in system["content"]
    )
    assert user["content"].count("[Example ") == 8
    assert "prefixing each result with an index '1.', '2.', etc." in user["content"]
    assert "10. Question: How many 9?\nAnswer: two\n\nOutput:" in user["content"]


def test_what_cannot_be_read_is_asked_alone_and_then_left(tmp_path: Path) -> None:
    ones = [candidate(i, f"How many {i}?") for i in range(4)]

    def odd(question: str) -> str:
        return "Maybe." if "2" in question else "No"

    server = Curator(verdict=odd)
    replies = ask(server, tmp_path, ones, filter_task(SITE, batch=4))
    no = {"category": None, "reason": ""}
    assert [replies[one.id].value for one in ones] == [no, no, None, no]
    assert replies["s/2"].lasting
    assert "no reply of 3 can be read" in str(replies["s/2"].failure)
    assert server.asked["filter"] == 1 + 3
    assert server.questions["filter", "How many 1?"] == 1


def test_a_batch_whose_numbers_are_wrong_is_asked_one_by_one(tmp_path: Path) -> None:
    ones = [candidate(i, f"How many {i}?") for i in range(3)]
    server = Curator(whole=lambda purpose, replies: replies[0] if len(replies) == 1 else "1. No\n3. No\n2. No")
    replies = ask(server, tmp_path, ones, filter_task(SITE, batch=3))
    assert {reply.value["category"] for reply in replies.values()} == {"counting & existence"}
    assert server.asked["filter"] == 1 + 3


def test_failed_calls_are_failures_and_not_answers(tmp_path: Path) -> None:
    ones = [candidate(i) for i in range(2)]
    with pytest.raises(EndpointError):
        ask(Curator(faults={"401": 1.0}), tmp_path, ones, filter_task(SITE))
    server, ones = Curator(faults={"malformed": 0.6}, seed=2), [candidate(i, f"How many {i}?") for i in range(12)]
    replies = ask(server, tmp_path, ones, filter_task(SITE), concurrency=1)
    failed = [reply for reply in replies.values() if reply.value is None]
    assert failed
    assert not any(reply.lasting for reply in failed)
    server.faults = {}
    again = ask(server, tmp_path, ones, filter_task(SITE))
    assert all(reply.value for reply in again.values())


def test_media_are_shown_and_missing_ones_are_left_for_people(tmp_path: Path) -> None:
    pillow = pytest.importorskip("PIL.Image")
    pillow.new("RGB", (32, 24), "red").save(tmp_path / "a.jpg")
    paths = {1: "a.jpg", 2: "gone.jpg"}
    ones = [candidate(number, media=[{"kind": "image", "path": path}]) for number, path in paths.items()]
    server = Curator()
    replies = ask(server, tmp_path, ones, filter_task(SITE, media=True))
    assert server.shown == {"filter with media": 1}
    assert replies["s/1"].value
    assert replies["s/2"].lasting
    assert "gone.jpg" in str(replies["s/2"].failure)


def test_a_model_that_does_not_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="baseline/random"):
        Asker(AskedModel(model="baseline/random"))


def test_the_systems(tmp_path: Path) -> None:
    labels = {"scale": "vista", "factor": "neither", "information": "extrinsic", "change": "static"}
    assert read_systems(SYSTEMS) == labels
    for text in ("scale=vista", SYSTEMS.replace("vista", "huge"), SYSTEMS + "; scale=vista", "", "vista, static"):
        assert read_systems(text) is None
    server = Curator()
    replies = ask(server, tmp_path, [candidate(i) for i in range(5)], systems_task(batch=5))
    assert all(reply.value["scale"] == "vista" for reply in replies.values())
    assert server.asked == {"systems": 1}


def test_agreement_with_people(tmp_path: Path) -> None:
    path = tmp_path / "hand.csv"
    rows = [f"{i},{'no' if i % 2 else 'counting & existence'},vista\n" for i in range(40)]
    path.write_text("".join(["id,category,scale\n", *rows]))
    hand = read_hand_labels(path, SITE)
    said = {i: dict(labels) for i, labels in hand.items()}
    said["0"]["category"] = "no"
    found = agreement(hand, said)
    assert found["category"]["n"] == 40
    assert found["category"]["agreement"] == pytest.approx(39 / 40)
    assert found["category"]["kappa"] == pytest.approx(0.95)
    low, high = found["category"]["interval"]
    assert low < 0.95 <= high <= 1
    assert found["scale"]["kappa"] is None  # everybody always says the same
    for row, what in (({"id": "", "category": "no"}, "'id'"), ({"id": "1", "category": "odd"}, "'odd' is not known")):
        path.write_text(",".join(row) + "\n" + ",".join(row.values()) + "\n")
        with pytest.raises(InputError, match=what):
            read_hand_labels(path, SITE)


def test_categories_from_labels_and_a_taxonomy_of_ones_own(tmp_path: Path) -> None:
    task = categories_task({"s: t": [candidate(1)]}, 6)
    good = "\n".join(f"{i}. Group {c}: questions of the kind {c}" for i, c in enumerate("abcdef", start=1))
    read: Callable[[str], Any] = lambda text: task.read(text, candidate(1))  # noqa: E731
    assert read(good)[5] == ["Group f", "questions of the kind f"]
    for bad in ("", good + "\nmore", good.replace("6.", "7."), good.replace("Group b", "Group a"), "Sure:\n" + good):
        assert read(bad) is None
    made = Taxonomy(name="mine", categories=tuple({"key": n, "prompt": n, "description": t} for n, t in read(good)))
    (tmp_path / "mine.toml").write_text(toml_of(made))
    assert open_taxonomy(str(tmp_path / "mine.toml")) == made
    assert read_verdict(made, "Yes. This is a Group c problem because x") == {"category": "Group c", "reason": "x"}
    with pytest.raises(UsageError, match="no taxonomy 'nothing'"):
        open_taxonomy("nothing")
    with pytest.raises(UsageError, match="category 'odd'"):
        made.check({"odd"}, "it")
