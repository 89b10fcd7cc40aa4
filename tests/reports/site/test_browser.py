"""The explorer in Chromium: served, and opened from the disk."""

import asyncio
import gc
import re
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from threading import Thread
from typing import Any

import polars as pl
import pytest

import tolman
from explorers import HOSTILE, answers_of, value
from making import violations
from tolman.features.report.sites import serve_folder

pytestmark = pytest.mark.full
Open = Any


@pytest.fixture
def address(request: pytest.FixtureRequest, explorer: Path) -> Iterator[str]:
    """Where the site is: on the disk, where a browser forbids most, but for tests of both places."""
    if getattr(request, "param", "disk") == "disk":
        yield f"file://{explorer}/index.html"
        return
    address, end = serve(explorer)
    yield address
    with warnings.catch_warnings():  # a browser connects ahead of need, and may do so while the server ends
        warnings.simplefilter("ignore", ResourceWarning)
        end()
        del end  # what it holds on to keeps such connections
        gc.collect()


def serve(folder: Path) -> tuple[str, Callable[[], None]]:
    """Serve a site from a thread: its address, and what ends that."""
    told: Future[str] = Future()
    loop = asyncio.new_event_loop()
    serving = loop.create_task(serve_folder(folder, 0, told.set_result))

    async def served() -> None:
        await asyncio.wait([serving])
        await asyncio.sleep(0.1)  # connections that were closed have yet to be given back

    thread = Thread(target=lambda: loop.run_until_complete(served()))
    thread.start()

    def end() -> None:
        loop.call_soon_threadsafe(serving.cancel)
        thread.join()
        loop.close()

    return f"{told.result(10)}index.html", end


in_both_places = pytest.mark.parametrize("address", ["served", "disk"], indirect=True)


@pytest.fixture
def opened(browser: Any, address: str) -> Iterator[Open]:
    """Opens places of the site; an error in a script, or a request that leaves the site, fails the test."""
    wrong: list[str] = []
    base = address.removesuffix("index.html")
    contexts: list[Any] = []

    def open_place(place: str, width: int = 1440, height: int = 900) -> Any:
        context = browser.new_context(viewport={"width": width, "height": height}, service_workers="block")
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda m: wrong.append(m.text) if m.type == "error" else None)
        page.on("request", lambda r: None if r.url.startswith(base) else wrong.append(r.url))
        page.goto(address + place)
        ready(page, place)
        return page

    open_place.wrong = wrong  # type: ignore[attr-defined]
    yield open_place
    for context in contexts:
        context.close()
    assert wrong == []


def ready(page: Any, place: str) -> None:
    """Wait until a place is drawn."""
    page.wait_for_function("place => document.body.dataset.ready === place", arg=place)


def goes_to(page: Any, act: Callable[[], Any]) -> None:
    """Do something that leads to another place, and wait until it is drawn."""
    before = page.evaluate("location.hash")
    act()
    page.wait_for_function(
        "before => location.hash !== before && document.body.dataset.ready === location.hash", arg=before
    )


def shown_ids(page: Any) -> list[str]:
    """The ids in the list, in their order."""
    return [str(text) for text in page.locator(".row .id").all_inner_texts()]


def item_id(page: Any) -> str:
    """The id behind the name of the item that is shown."""
    return str(page.locator("h1 small").inner_text()).strip()


@in_both_places
def test_the_list_filters_sorts_and_leads_to_items(opened: Open) -> None:
    page = opened("#/items?set=s1")
    assert shown_ids(page) == ["count", "size", "order", "which", "pair", "script"]
    goes_to(page, lambda: page.locator("#a").select_option(label="bad"))
    goes_to(page, lambda: page.locator("#as").select_option("wrong"))
    goes_to(page, lambda: page.locator("#b").select_option(label="good"))
    goes_to(page, lambda: page.locator("#bs").select_option("right"))
    assert set(shown_ids(page)) == {"count", "size", "order", "which"}
    assert page.get_by_role("status").inner_text() == "4 of 6 items"
    goes_to(page, lambda: page.locator("#as").select_option("failed"))
    assert shown_ids(page) == ["script"]
    goes_to(page, lambda: page.locator("#as").select_option("cut"))
    assert shown_ids(page) == ["which"]
    goes_to(page, lambda: page.locator("#as").select_option("unread"))
    assert set(shown_ids(page)) == {"size", "which"}
    goes_to(page, lambda: page.locator("#as").select_option(""))
    goes_to(page, lambda: page.locator("#bs").select_option(""))
    goes_to(page, lambda: page.locator("#label").select_option(label="motion"))
    assert shown_ids(page) == ["which", "script"]
    goes_to(page, lambda: page.get_by_role("button", name="Remove task motion").click())
    goes_to(page, lambda: page.locator("#sort").select_option("id"))
    assert shown_ids(page) == ["count", "order", "pair", "script", "size", "which"]
    goes_to(page, lambda: page.get_by_role("button", name="ascending").click())
    assert shown_ids(page)[0] == "which"
    goes_to(page, lambda: page.get_by_role("link", name=re.compile("pair")).click())
    assert item_id(page) == "pair"
    assert "4 of 6 in the list" in page.locator("main .bar").first.inner_text()
    goes_to(page, lambda: page.keyboard.press("j"))
    assert item_id(page) == "order"
    goes_to(page, lambda: page.keyboard.press("u"))
    assert shown_ids(page)[0] == "which"


SEARCHES: list[tuple[str, str, set[str]]] = [
    ("count them TWICE", "", {"count"}),
    ("looked at every frame", "answers", {"which"}),
    ("a thought", "answers", {"order"}),
    ("lamp", "answers", set()),
    ("evil.example", "answers", {"size", "pair"}),
    ("document.title='owned'", "questions", {"script"}),
    ("lamp", "questions", {"order"}),
    ("(.*)", "", set()),
    ("nowhere at all", "", set()),
]


def test_models_come_before_references_and_names_are_above_the_signs(browser: Any, tmp_path: Path) -> None:
    bench = tmp_path / "bench"
    row = {"kind": "choice", "question": "Which?", "options": ("a", "b"), "answer": "A", "task": "t"}
    tolman.load([{**row, "id": str(n), "scene": str(n)} for n in range(4)]).save(bench)
    references = [f"baseline/{name}" for name in ("random", "best-constant")]
    runs = [tolman.evaluate(bench, one, protocol="blind", out=tmp_path / one) for one in references]
    runs.append(tolman.evaluate(bench, lambda messages: "A", name="mine", protocol="blind", out=tmp_path / "mine"))
    tolman.report(runs, out=tmp_path / "site")
    page = browser.new_page()
    page.goto((tmp_path / "site" / "index.html").as_uri() + "#/item/0")
    ready(page, "#/item/0")
    boxes = page.get_by_role("checkbox")
    assert [box.is_checked() for box in boxes.all()] == [True] * 3
    assert "mine" in boxes.first.locator("xpath=ancestor::label").inner_text()
    goes_to(page, lambda: page.evaluate("location.hash = '#/items'"))
    assert page.locator(".heads .model").all_inner_texts() == ["mine (blind)", "random", "best-constant"]
    page.close()


def test_searches_find_what_texts_say(opened: Open) -> None:
    page = opened("#/items?set=s1")
    place = ""
    for words, where, found in SEARCHES:
        if where != place:
            goes_to(page, lambda where=where: page.locator("#in").select_option(where))
            place = where
        page.locator("#words").fill(words)
        goes_to(page, lambda: page.keyboard.press("Enter"))
        assert set(shown_ids(page)) == found, words


@in_both_places
def test_hostile_texts_stay_texts(opened: Open) -> None:
    page = opened("#/item/script?set=s1")
    assert page.locator(".question").inner_text() == "<script>document.title='owned'</script> & \"quotes\"?"
    assert "<img src=x onerror=alert(1)>" in page.locator(".options").inner_text()
    assert f"timeout: {HOSTILE}" in page.locator(".answer .problem").all_inner_texts()
    page.goto(page.url.split("#")[0] + "#/item/size?set=s1")
    ready(page, "#/item/size?set=s1")
    assert page.locator(".answer pre").nth(1).inner_text() == HOSTILE
    assert page.title() == "object size estimation 1 · A small benchmark · all"
    assert page.locator("main script, main img[src^=http]").count() == 0


@in_both_places
def test_an_address_leads_to_an_item_with_the_chosen_answers(opened: Open) -> None:
    page = opened("#/item/order?set=s1&runs=1,0")
    assert page.locator(".answer h3").all_inner_texts() == ["✗ bad wrong", "✓ good right"]
    page.get_by_role("checkbox", name="good").uncheck()
    page.wait_for_function("document.querySelectorAll('.answer').length === 1")
    assert page.evaluate("location.hash").endswith("runs=1")
    page.reload()
    ready(page, page.evaluate("location.hash"))
    assert page.locator(".answer h3").all_inner_texts() == ["✗ bad wrong"]
    lost = opened("#/item/nothing-of-the-kind")
    assert "There is no item 'nothing-of-the-kind' here." in lost.locator("main").inner_text()


def test_what_was_read_is_marked_and_turns_reasoning_and_tokens_are_there(opened: Open) -> None:
    page = opened("#/item/count?set=s1&runs=0")
    assert page.locator(".answer mark").inner_text() == "3"
    assert page.locator(".answer mark").get_attribute("title").startswith("read by ")
    assert "900 + 40 tokens (800 of media) · 1.3 s · ended: stop" in page.locator(".answer").inner_text()
    page = opened("#/item/order?set=s1&runs=0")
    page.get_by_text("Turns", exact=True).click()
    assert page.locator(".turns summary").all_inner_texts() == [
        "Turns", "asked: reasoning", "turn: reasoning", "asked: answer", "turn: answer"
    ]  # fmt: skip
    page = opened("#/item/which?set=s1&runs=0")
    assert "I looked at every frame." in page.locator(".answer details pre").inner_text()


@in_both_places
def test_pictures_stand_in_their_place_in_the_text(opened: Open) -> None:
    page = opened("#/item/pair?set=s1")
    assert page.locator(".question img").count() == 1
    assert page.locator(".options li").first.locator("img").count() == 1
    for image in page.locator("main img").all():
        image.scroll_into_view_if_needed()
        image.evaluate("i => i.decode()")
        assert image.evaluate("i => i.naturalWidth") == 320
    page.get_by_role("button", name="Picture 1: enlarge").click()
    assert page.get_by_role("dialog").locator("img").evaluate("i => i.naturalWidth") == 320
    page.keyboard.press("Escape")
    assert page.get_by_role("dialog").count() == 0


def of_task(site: Path, task: str) -> str:
    """An item of the generated questions."""
    index = value(site, "s0-index")
    label = next(one for one in index["labels"] if one["name"] == "task")
    return str(index["ids"][label["codes"].index(label["values"].index(task))])


@in_both_places
def test_the_frames_that_were_sent_the_video_and_the_plan_are_there(opened: Open, explorer: Path) -> None:
    identity = of_task(explorer, "object_rel_direction_hard")
    page = opened(f"#/item/{identity}")
    assert "Frames as sent: 4 frames, to openai/seer (cognitive-map)." in page.locator("main").inner_text()
    assert page.locator(".strip img").count() == 4
    for image in page.locator(".strip img").all():
        image.scroll_into_view_if_needed()
        image.evaluate("i => i.decode()")
        assert image.evaluate("i => i.naturalWidth") > 100
    video = page.locator("video")
    video.evaluate("v => { v.muted = true; return v.play(); }")
    video.evaluate("v => new Promise(done => { v.ontimeupdate = () => { if (v.currentTime > 0.2) done(); }; })")
    video.evaluate("v => v.pause()")
    before = page.locator(".cone").get_attribute("d")
    page.get_by_role("button", name=re.compile("Go to frame 3")).click()
    page.wait_for_function("before => document.querySelector('.cone').getAttribute('d') !== before", arg=before)
    assert video.evaluate("v => v.currentTime") == pytest.approx(5.3, abs=0.3)
    assert page.locator(".plan .wedge").count() == 1
    assert re.search(r"\d+° (left|right)", page.locator(".plan .measured").text_content())
    page.get_by_text("What each run was shown").click()
    assert "openai/seer (blind): the protocol blind shows no media" in page.locator(".sent").inner_text()


@pytest.mark.parametrize(
    ("task", "marks"),
    [
        ("object_abs_distance", (".measure", 1)),
        ("object_rel_distance", (".measure", 4)),
        ("route_planning", (".route", 1)),
        ("obj_appearance_order", (".stop", 4)),
    ],
)
def test_evidence_is_drawn(opened: Open, explorer: Path, task: str, marks: tuple[str, int]) -> None:
    page = opened(f"#/item/{of_task(explorer, task)}")
    assert page.locator(f".plan {marks[0]}").count() == marks[1]
    assert page.locator(".plan .thing.named").count() >= 2


def test_the_map_that_was_drawn_stands_beside_the_true_one(opened: Open, explorer: Path) -> None:
    heads, _ = answers_of(explorer, "s0-run0-0")
    place = next(i for i, head in enumerate(heads) if head.get("map", {}).get("drawn") and head["map"].get("true"))
    page = opened(f"#/item/{value(explorer, 's0-index')['ids'][place]}?runs=0")
    maps = page.locator(".maps figure")
    assert maps.locator("figcaption").all_inner_texts() == ["drawn by the model", "true"]
    for number, name in enumerate(("drawn", "true")):
        spots = sum(len(places) for places in heads[place]["map"][name].values())
        assert maps.nth(number).locator("circle").count() == spots > 0


def test_the_tables_sort_and_cut(opened: Open, explorer: Path) -> None:
    page = opened("#/?set=s1")
    table = page.get_by_role("region", name="Table of A small benchmark · all")
    goes_to(page, lambda: table.get_by_role("button").last.click())
    assert table.locator("[aria-sort=descending]").count() == 1
    tables = value(explorer, "s1-board")["tables"]
    by_level = next(table for table in tables if table["label"] == "level")
    goes_to(page, lambda: page.locator("#cut").select_option(by_level["title"]))
    heads = page.get_by_role("region", name=by_level["title"]).locator("thead th").all_inner_texts()
    model, *others = by_level["heads"]
    titles = {column["key"]: column["title"] for column in by_level["columns"]}
    assert heads == [model, titles.pop(by_level["headline"]), *others, *titles.values()]
    assert "level-A" in heads
    goes_to(page, lambda: page.get_by_role("link", name="level-A").click())
    assert set(shown_ids(page)) == {"which", "script"}


def test_the_overview_opens_with_a_headline_and_its_caveats(opened: Open, explorer: Path) -> None:
    page = opened("#/?set=s1")
    assert page.locator(".plot .who a").all_inner_texts() == ["good", "bad [incomplete; 5 of 6]"]
    row = next(row for row in value(explorer, "s1-board")["table"]["rows"] if row["name"] == "bad" and row["headline"])
    goes_to(page, lambda: page.locator("#run").select_option(label="bad"))
    shown = page.locator(".score b").inner_text() + page.locator(".score .signs").inner_text()
    assert shown == row["cells"][-1]["shown"]
    assert "not ranked: incomplete" in page.locator(".facts").inner_text()
    caveats = page.get_by_role("region", name="Caveats").inner_text()
    assert "Incomplete 1 failed of 6 items" in caveats
    assert "could not be read" in caveats
    goes_to(page, lambda: page.get_by_role("link", name="good", exact=True).click())
    assert page.locator(".headline h2").inner_text() == "good"


def test_references_are_lines_and_have_no_rank(opened: Open) -> None:
    page = opened("#/")
    names = page.locator(".plot .who a").all_inner_texts()
    assert len(names) == 2
    assert not any("oracle" in name for name in names)
    assert "baseline/oracle" in page.locator(".plot .note").inner_text()
    assert page.locator(".lane .ref.oracle").count() == len(names)


def test_a_question_type_has_its_answers_and_hardest_questions(opened: Open, explorer: Path) -> None:
    page = opened("#/")
    goes_to(page, lambda: page.locator(".tiles a", has_text="Rel. Dir.").click())
    assert page.locator(".confusion tbody tr").count() >= 2
    index, read = value(explorer, "s0-index"), value(explorer, "s0-readings")
    (tasks,) = (one["tasks"] for one in index["columns"] if one["key"] == "rel_direction")
    label = next(one for one in index["labels"] if one["name"] == "task")
    places = [place for place, code in enumerate(label["codes"]) if label["values"][code] in tasks]
    counts = page.locator(".confusion tbody td:last-child").all_inner_texts()
    assert sum(map(int, counts)) == len(places)
    assert {read["truth"][place] for place in places} == set(page.locator(".confusion tbody th").all_inner_texts())
    goes_to(page, lambda: page.keyboard.press("u"))
    goes_to(page, lambda: page.locator(".tiles a", has_text="Abs. Dist.").click())
    goes_to(page, lambda: page.locator("#run").select_option(label="baseline/oracle"))
    distances = [code for code in label["codes"] if label["values"][code] == "object_abs_distance"]
    assert page.locator(".point").count() == len(distances)
    hardest = page.locator(".cards a").first
    assert hardest.locator("img").count() == 1
    goes_to(page, hardest.click)
    assert item_id(page) in index["ids"]


def test_addresses_of_earlier_versions_lead_to_the_same_figures(opened: Open) -> None:
    page = opened("#/?figure=rel_direction&set=s0")
    assert page.locator("h1").inner_text().startswith("Rel. Dir.")


@pytest.mark.parametrize(
    "place",
    ["#/", "#/?set=s1&run=1", "#/task/rel_direction", "#/task/abs_distance", "#/items", "#/items?set=s1&a=1&as=wrong", "#/item/pair", "item"],
)  # fmt: skip
@pytest.mark.parametrize("width", [390, 768, 1440])
def test_pages_fit_and_are_accessible(opened: Open, explorer: Path, place: str, width: int) -> None:
    where = f"#/item/{of_task(explorer, 'object_rel_direction_hard')}" if place == "item" else place
    page = opened(where, width, 844)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert opened.wrong == []
    assert violations(page) == []
    opened.wrong.clear()  # axe-core asks for the style sheet itself, which a page from a disk can't


@pytest.mark.parametrize("name", ["report", "compare", "reconcile", "scenes", "matrix"])
def test_pages_of_one_file_fit_and_are_accessible(browser: Any, explorer: Path, name: str) -> None:
    address = (explorer.parent / "pages" / f"{name}.html").as_uri()
    for width in (390, 768, 1440):
        page = browser.new_page(viewport={"width": width, "height": 844})
        asked: list[str] = []
        page.on("request", lambda request, asked=asked: asked.append(request.url))
        page.goto(address)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert [url for url in asked if not url.startswith("data:")] == [address]
        assert violations(page) == []
        page.close()


def test_the_keyboard_is_enough(opened: Open) -> None:
    page = opened("#/items?set=s1")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "words"
    page.locator(".row a").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    goes_to(page, lambda: page.keyboard.press("Enter"))
    assert item_id(page) == "size"


def test_what_is_printed_has_no_controls(opened: Open) -> None:
    page = opened("#/item/count?set=s1")
    page.emulate_media(media="print")
    assert not page.locator(".top").is_visible()
    assert page.locator(".answer").first.is_visible()
    assert len(page.pdf()) > 10_000


def test_scores_in_the_list_are_the_runs_own(opened: Open, explorer: Path) -> None:
    """What the signs in the list say is what scores.parquet says."""
    page = opened("#/items?set=s1")
    runs = explorer.parent / "small" / "runs"
    for number, name in enumerate(("good", "bad")):
        scores = pl.read_parquet(runs / name / "scores.parquet")
        first = scores.filter(pl.col("rule_set") == scores["rule_set"][0])
        for identity, score in first.select("id", "score").iter_rows():
            own = page.locator(".id", has_text=re.compile(f"^{identity}$"))
            badge = page.locator(".row", has=own).locator(".badge").nth(number)
            expected = "lost" if score is None else "right" if score == 1 else "partly" if score else "wrong|unread"
            assert re.search(expected, badge.get_attribute("class"))
