"""Writing questions from a media pool."""

import hashlib
import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi import HTTPException
from PIL import Image

from kinds.yes_no import WORDS, write_kind
from making import make_rooms, written
from metadata_media import SECRETS, film, photo
from reviewing import Serve, Served, begin_writing, choose_media, serving, settings_of, whole_question
from tolman.ingest.media_pool import bring_in, read_pool
from tolman.item_table import read_items
from tolman.items import Item
from tolman.plugins import load_plugin
from tolman.review import tasks
from tolman.review.accounts import AccountError
from tolman.review.forms.question_checks import is_mashed
from tolman.review.media import whole_file
from tolman.review.projects.project_export import publish
from tolman.review.store import HistoryEvent, ItemVersion, Project
from tolman.review.store.pool import key_of
from tolman.review.tasks import item_of
from tolman.review.tasks.decisions import raise_flag
from tolman.scoring.error_types import MMSI, typed_already
from videos import write_video

HOSTILE = "<script>document.title='owned'</script>"


@pytest.fixture
def writing(pool: Path, tmp_path: Path, database: str | None, serve: Serve) -> Served:
    """A server that begins with a new benchmark."""
    return serve(tmp_path / "fresh", database, pool=pool, uploads=1)


@pytest.fixture
def writing_sqlite(pool: Path, tmp_path: Path, serve: Serve) -> Served:
    return serve(tmp_path / "fresh", pool=pool, uploads=1)


def keys(pool: Path) -> dict[str, str]:
    return {medium.original: key_of(medium) for medium in read_pool(pool)}


def test_a_question_is_written_once_and_published_with_its_media(writing: Served, pool: Path, tmp_path: Path) -> None:
    client, path, project = begin_writing(writing)
    names = keys(pool)
    chosen = [names["turn/005.png"], names["walk/001.png"]]
    page = choose_media(client, path, chosen)
    assert page.text.index("turn/005.png") < page.text.index("walk/001.png")
    refused = client.post(path, **whole_question([]))
    assert refused.status_code == 422
    assert "can&#39;t be answered without pictures 1, 2" in refused.text
    assert "Which way did the camera turn?" in refused.text
    client.post(f"{path}/edit", do=f"up:{chosen[1]}", tab="one", seen=0)
    first = client.post(path, **whole_question(chosen))
    assert first.url.path != path, first.text
    again = client.post(path, **whole_question(chosen))
    assert again.url.path == first.url.path
    other = client.post(path, **whole_question(chosen, question="Another?"))
    assert (other.status_code, "what you submitted first stays" in other.text) == (409, True)
    (version,) = written(writing, project)
    item = item_of(version)
    assert item.question == "Which way did the camera turn?"
    assert (item.answer, item.task) == ("B", "Motion (Cam.)")
    assert item.reasoning is not None
    assert typed_already(MMSI, item.reasoning)
    assert item.labels == {"source": "Rooms", "licence": "CC BY 4.0"}
    assert [one["original"] for one in item.evidence["media"]] == ["walk/001.png", "turn/005.png"]
    with writing.site.database.read() as db:
        told = [e for e in db.query(HistoryEvent) if e.what == "written"]
    assert [e.item for e in told] == [item.id]

    done = publish(writing.site, tmp_path / "out")
    assert done.items == 1
    (published,) = read_items(tmp_path / "out" / "items.parquet")
    assert published.media == item.media
    first_path = tmp_path / "out" / item.media[0].path
    assert first_path.read_bytes() == (pool / "media" / "Rooms" / "walk" / "001.png").read_bytes()
    history = json.loads((tmp_path / "out" / "review.json").read_text())["items"][item.id]
    assert [e["by"] for e in history if e["what"] == "written"] == ["Ann"]


@pytest.mark.full
def test_a_question_is_taken_back_until_something_follows_from_it(writing: Served, pool: Path) -> None:
    client, path, project = begin_writing(writing)
    chosen = [keys(pool)["turn/005.png"], keys(pool)["walk/001.png"]]
    choose_media(client, path, chosen)
    client.post(path, **whole_question(chosen))
    back = client.post(f"/projects/{project}/undo")
    assert back.url.path == path
    assert "Which way did the camera turn?" in back.text
    assert back.text.index("turn/005.png") < back.text.index("walk/001.png")
    assert not written(writing, project)
    seen = re.findall('name="seen" value="([0-9]+)"', back.text)[0]
    client.post(path, **whole_question(chosen, question="Which way did it turn?", seen=seen))
    (version,) = written(writing, project)
    assert item_of(version).question == "Which way did it turn?"
    with writing.site.database.write() as db:
        raise_flag(db, writing.site, db.get_one(ItemVersion, version.id), version.user_id or 0, "question", "unclear")
    assert client.post(f"/projects/{project}/undo").status_code == 409  # its owner was told


def test_live_checks_say_what_is_missing(writing_sqlite: Served, pool: Path) -> None:
    client, path, project = begin_writing(writing_sqlite, questions=20, per_category=6)
    names = keys(pool)

    def told(chosen: list[str], **changes: Any) -> str:
        return client.post(f"{path}/edit", **whole_question(chosen, **changes)).text

    empty = client.post(f"{path}/edit", tab="one", seen=0).text
    for sentence in ("Choose what the question is about", "Write the question", "Option A, B, C, D is empty",
                     "Mark the right option", "Choose a category", "Write down the reasoning"):  # fmt: skip
        assert sentence in empty
    one = names["walk/000.png"]
    choose_media(client, path, [one])
    assert "needs two pictures or more" in told([one])
    twin = names["walk/copy.png"]
    choose_media(client, path, [twin])
    assert "Pictures 1 and 2 are the same" in told([one, twin])
    client.post(f"{path}/edit", do=f"drop:{twin}", tab="one", seen=0)
    near = [names["walk/001.png"], names["walk/002.png"]]
    choose_media(client, path, near)
    assert "Pictures 2 and 3 look the same" in told([one, *near])
    for key in near:
        client.post(f"{path}/edit", do=f"drop:{key}", tab="one", seen=0)
    other = names["walk/003.png"]
    choose_media(client, path, [other])
    both = [one, other]
    assert "Nothing is missing" in told(both)
    assert "without picture 2" in told(both, needed=[one])
    assert "Options A and C are the same" in told(both, option=["Left", "right", " left.", "up"])
    assert "much longer than the others" in told(
        both, option=["left", "right, and then far up to the ceiling", "up", "down"]
    )
    assert "1 &lt;image&gt; marks and 2 media" in told(both, question="What is in <image>?")
    assert "Nothing is missing" in told(both, question="From <image> to <image>: which way?")
    assert "is no number in digits" in told(both, kind="number", number="three")
    assert "Nothing is missing" in told(both, kind="number", number="2,5", unit="m")
    assert "A count can&#39;t be negative" in told(both, kind="number", number="-3", unit="count")
    assert "A count is a whole number, not 2.5" in told(both, kind="number", number="2.5", unit="count")
    assert "Nothing is missing" in told(both, kind="number", number="3", unit="count")
    assert "three steps or more" in told(both, category="MSR")
    assert HOSTILE not in told(both, question=HOSTILE)
    assert "Choose a category" in told(both, category="Colours")

    for number in range(6):
        assert client.post(path, **whole_question(both, question=f"Which way, {number}?")).status_code == 200
        path = client.get(f"/projects/{project}/work").url.path
        choose_media(client, path, both)
    assert "enough questions of" in told(both)
    more = told(both, category="MSR", question="Which way 3")
    assert "same question about the same media" in more
    assert "B is right in 6 of 6 questions so far, A in 0" in more
    assert "says nearly the same" in told(both, category="MSR", question="Which way, 3, 4?")
    choose_media(client, path, [names["turn/009.png"]])
    assert "with these words is there already, about other media" in told(
        [*both, names["turn/009.png"]], category="MSR", question="Which way 3"
    )


def test_questions_of_a_plugins_kind_are_written(writing_sqlite: Served, pool: Path, tmp_path: Path) -> None:
    for path in (WORDS, write_kind(tmp_path)):
        load_plugin(path)
    client, path, project = begin_writing(writing_sqlite)
    both = [keys(pool)["walk/000.png"], keys(pool)["walk/003.png"]]
    page = choose_media(client, path, both)
    asked = re.findall(r'name="kind" value="([\w-]+)" data-control="(\w+)"', page.text)
    others = ("boxes", "order", "points", "set", "text", "words", "yes-no")
    assert asked == [("choice", "choice"), ("number", "number"), *((name, "text") for name in others)]

    def told(**changes: Any) -> str:
        return client.post(f"{path}/edit", **whole_question(both, option=None, answer=None, **changes)).text

    assert "Give the right answer." in told(kind="words", words=" ")
    assert "The answer has no words." in told(kind="words", words="the ...")
    assert "Choose one of the options." in told(kind="yes-no", words="perhaps")
    assert "Nothing is missing" in told(kind="yes-no", words="yes", step=["The lamp moved, so yes."])
    assert "Nothing is missing" in told(kind="words", words="the red lamp", step=["A lamp."])
    assert 'value="the red lamp"' in client.get(path).text
    done = client.post(path, **whole_question(both, option=None, answer=None, kind="words", words="the red lamp"))
    assert done.url.path != path, done.text
    (version,) = written(writing_sqlite, project)
    item = item_of(version)
    assert (item.kind, item.answer, item.options, item.unit) == ("words", "the red lamp", (), None)


def test_the_pool_is_browsed_filtered_and_paged(writing_sqlite: Served, pool: Path) -> None:
    client, path, _ = begin_writing(writing_sqlite)
    page = client.get(path).text
    assert "32 found, page 1 of 2" in page
    assert page.count('loading="lazy"') == 24
    assert "CC BY 4.0" in page
    assert client.get(f"{path}/pool", params={"number": 2}).text.count('loading="lazy"') == 8
    assert "5 found" in client.get(f"{path}/pool", params={"group": "walk"}).text
    film = client.get(f"{path}/pool", params={"kind": "video", "source": "Streets", "text": "drive MP4"}).text
    assert "1 found" in film
    assert "video, 2.0 s" in film
    assert "Nothing in the pool fits" in client.get(f"{path}/pool", params={"text": HOSTILE}).text
    for key in keys(pool).values():
        small = client.get(f"/write/pool/{key}/small")
        assert small.headers["content-type"] == "image/jpeg"
        assert max(Image.open(io.BytesIO(small.content)).size) <= 320
    video = keys(pool)["drive.mp4"]
    part = client.http.get(f"/write/pool/{video}/whole", headers={"range": "bytes=0-99"})
    assert (part.status_code, len(part.content)) == (206, 100)
    for strange in ("0" * 32, "..%2f..%2fpool.parquet"):
        assert client.get(f"/write/pool/{strange}/whole").status_code == 404


def test_images_that_browsers_do_not_show_are_sent_as_jpegs(tmp_path: Path) -> None:
    for name in ("a.tif", "a.TIFF", "a.ppm"):
        Image.new("RGB", (30, 20), (200, 10, 10)).save(tmp_path / name)
        sent = whole_file(tmp_path / name)
        assert sent.headers["content-type"] == "image/jpeg"
        shown = Image.open(io.BytesIO(sent.body))
        assert (shown.format, shown.size) == ("JPEG", (30, 20))
    (tmp_path / "broken.tif").write_bytes((tmp_path / "a.tif").read_bytes()[:40])
    (tmp_path / "drawn.svg").write_text("<svg/>")
    for name, said in (("broken.tif", "This image can't be read"), ("drawn.svg", "no video or image that a browser")):
        with pytest.raises(HTTPException) as refused:
            whole_file(tmp_path / name)
        assert said in refused.value.detail


def test_spans_of_videos(writing_sqlite: Served, pool: Path) -> None:
    client, path, project = begin_writing(writing_sqlite)
    video = keys(pool)["drive.mp4"]
    choose_media(client, path, [video])
    for start, end, sentence in (
        ("x", "", "no number of seconds"),
        ("1", "0.5", "ends before it starts"),
        ("", "9", "2.0 s long"),
    ):
        fields = whole_question([video]) | {f"start-{video}": start, f"end-{video}": end}
        assert sentence in client.post(f"{path}/edit", **fields).text
    client.post(path, **whole_question([video]), **{f"start-{video}": "0.5", f"end-{video}": "1,25"})
    (version,) = written(writing_sqlite, project)
    (medium,) = item_of(version).media
    assert (medium.kind, medium.start, medium.end) == ("video", 0.5, 1.25)


def test_two_tabs_and_what_is_kept(writing: Served, pool: Path) -> None:
    client, path, _ = begin_writing(writing)
    chosen = [keys(pool)["walk/001.png"]]
    choose_media(client, path, chosen)
    client.post(f"{path}/edit", **whole_question(chosen, question="First tab"))
    assert "First tab" in client.get(path).text
    page = client.post(f"{path}/edit", **whole_question(chosen, tab="two", seen="2", question="Second tab"))
    assert "another tab" not in page.text
    stale = client.post(f"{path}/edit", **whole_question(chosen, question="First tab, stale"))
    assert "in another tab" in stale.text
    assert "Second tab" in client.get(path).text
    refused = client.post(path, **whole_question(chosen, question="First tab, stale"))
    assert refused.status_code == 422
    assert "Second tab" in refused.text
    steps = client.post(f"{path}/edit", **whole_question(chosen, tab="two", seen="2", do="step"))
    assert steps.text.count('name="step"') == 3
    fewer = client.post(f"{path}/edit", **whole_question(chosen, tab="two", seen="2", do="option:1"))
    assert fewer.text.count('name="option"') == 3
    assert "checked" not in fewer.text.split('name="answer"')[1].split(">")[0]
    assert writing.person("annotator", "Bob").get(path).status_code == 404


def test_files_are_taken_for_what_they_hold(writing_sqlite: Served, pool: Path, tmp_path: Path) -> None:
    client, path, _ = begin_writing(writing_sqlite)

    def upload(content: bytes, name: str = "../../etc/x.png", licence: str = "CC0") -> Any:
        return client.http.post(
            f"{path}/upload",
            data={"csrf": client.csrf, "licence": licence},
            files={"file": (name, content, "image/png")},
        )

    buffer = io.BytesIO()
    Image.new("RGB", (40, 30), "red").save(buffer, "JPEG")
    good = upload(buffer.getvalue())
    assert "It is in the pool as" in good.text, good.text
    assert len(read_pool(pool)) == 33
    (medium,) = [m for m in read_pool(pool) if m.source == "uploads"]
    assert medium.path.startswith("media/uploads/")
    assert medium.path.endswith(".jpg")
    assert medium.licence == "CC0"
    upload(buffer.getvalue())
    assert len(read_pool(pool)) == 33
    assert "under which licence" in upload(buffer.getvalue() + b"x", licence=" ").text
    assert "no JPEG, PNG" in upload(b"<svg onload=alert(1)></svg>").text
    assert "no readable image" in upload(buffer.getvalue()[:60]).text
    assert "The file" in upload(b"\0\0\0\x18ftypmp42" + b"\0" * 64).text
    for name in ("v.mp4", "v.mkv"):
        whole = write_video(tmp_path / name, 60, size=(160, 120), faststart=name == "v.mp4").read_bytes()
        refused = upload(whole[: len(whole) * 6 // 10])
        assert re.search(
            r"The file is cut off \(.*promises (60 frames \()?2\.00 s\)? and holds \d+ frames", refused.text
        )
    bomb = io.BytesIO()
    Image.new("1", (9500, 9500)).save(bomb, "PNG")
    assert len(bomb.getvalue()) < 1_000_000
    assert "too large for a picture" in upload(bomb.getvalue()).text
    assert upload(b"\xff\xd8\xff" + b"\0" * 1_100_000).status_code == 413
    assert upload(b"\xff\xd8\xff" + b"\0" * 1_001_000).status_code == 422
    assert len(read_pool(pool)) == 33
    assert not list((writing_sqlite.site.settings.store / "uploads").iterdir())


def test_without_a_pool_or_without_leave(served_sqlite: Served, pool: Path, tmp_path: Path) -> None:
    with pytest.raises(AccountError, match="--pool FOLDER"):
        served_sqlite.project("write")
    with serving(*settings_of(tmp_path / "fresh", tmp_path / "other", None, pool=pool)) as running:
        client, path, _ = begin_writing(running)
        assert "Add a file" not in client.get(path).text
        sent = client.http.post(f"{path}/upload", data={"csrf": client.csrf}, files={"file": ("a.png", b"x")})
        assert sent.status_code == 403


def test_uploads_and_what_is_published_have_no_place_and_no_owner(
    writing_sqlite: Served, pool: Path, tmp_path: Path
) -> None:
    client, path, _ = begin_writing(writing_sqlite)
    files = {".jpg": photo("JPEG", 6), ".png": photo("PNG"), ".webp": photo("WEBP")}
    files[".mp4"] = film(tmp_path / "a.mp4").read_bytes()
    for suffix, content in files.items():
        assert any(secret in content for secret in SECRETS)
        data, sent_as = {"csrf": client.csrf, "licence": "CC0"}, (f"jane{suffix}", content)
        sent = client.http.post(f"{path}/upload", data=data, files={"file": sent_as})
        assert sent.status_code == 200, sent.text
    taken = {Path(medium.path).suffix: medium for medium in read_pool(pool) if medium.source == "uploads"}
    assert set(taken) == set(files)
    assert (taken[".jpg"].width, taken[".jpg"].height) == (40, 60)
    for medium in taken.values():
        content = (pool / medium.path).read_bytes()
        assert not [secret for secret in SECRETS if secret in content], medium.path
        assert hashlib.sha256(content).hexdigest() == medium.sha256
    # What the owner brought in is stored, and so published, without it as well; the pool itself stays as it was.
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "jane.jpg").write_bytes(photo("JPEG"))
    bring_in([tmp_path / "own"], pool, source="Own", licence="CC0")
    (own,) = [medium for medium in read_pool(pool) if medium.source == "Own"]
    shelf = writing_sqlite.site.pool
    assert shelf is not None
    stored = (writing_sqlite.site.settings.store / shelf.keep(own)).read_bytes()
    assert b"SecretMaker" in (pool / own.path).read_bytes()
    assert not [secret for secret in SECRETS if secret in stored]


@pytest.mark.full
def test_a_turned_copy_and_nonsense_are_noticed(tmp_path: Path, serve: Serve) -> None:
    colours = np.random.default_rng(1).integers(0, 250, (6, 8, 3)).astype(np.uint8)
    picture = Image.fromarray(colours).resize((320, 240), Image.Resampling.BICUBIC)
    (tmp_path / "raw").mkdir()
    picture.save(tmp_path / "raw" / "a.png")
    picture.rotate(3).save(tmp_path / "raw" / "b.png")
    bring_in([tmp_path / "raw"], tmp_path / "pool", source="Rooms", licence="CC BY 4.0")
    served = serve(tmp_path / "fresh", pool=tmp_path / "pool")
    told = _told(served)
    assert "Picture 2 looks like a copy of picture 1 that is turned by about 3°." in told
    assert "what looks like no words: “qwrtzxc”" in told
    assert "The reasoning names nothing that the question or its answers name." in told


def _told(served: Served) -> str:
    ann, path, _ = begin_writing(served)
    choose_media(ann, path, served.site.pool.media())
    return ann.post(f"{path}/edit", tab="one", seen=0, question="Qwrtzxc lamp?".lower(), step="Because I say so.").text


def test_words_are_told_from_mashed_keys() -> None:
    for word in ("qwrtzxc", "asdfghjklmnb", "aaaaah", "xxxx"):
        assert is_mashed(word), word
    for word in ("lamp", "strengths", "TV", "cm", "LED", "rhythm", "Angstschweiß", "左", "B2", "sphinx", "HDMI"):
        assert not is_mashed(word), word


@pytest.mark.full
def test_wrong_options_are_proposed_from_the_scene_and_picked(tmp_path: Path, serve: Serve) -> None:
    (tmp_path / "raw" / "one").mkdir(parents=True)
    Image.new("RGB", (64, 48), "red").save(tmp_path / "raw" / "one" / "a.png")
    bring_in([tmp_path / "raw"], tmp_path / "pool", source="Rooms", licence="CC BY 4.0")
    served = serve(tmp_path / "fresh", pool=tmp_path / "pool", scenes=make_rooms(tmp_path / "rooms"))
    ann, path, _ = begin_writing(served)
    choose_media(ann, path, served.site.pool.media())
    fields = {"tab": "one", "seen": 0, "option": "the lamp", "answer": "A"}
    proposed = ann.post(f"{path}/edit", do="propose", **fields).text
    assert 'value="take:the sofa"' in proposed
    assert 'value="take:the lamp"' not in proposed
    picked = ann.post(f"{path}/edit", do="take:the sofa", **fields).text
    assert ">the sofa</textarea>" in picked
    assert 'value="take:the sofa"' not in picked
    assert "Nothing to propose" in ann.post(f"{path}/edit", do="propose", tab="one", seen=0, option="x").text


@pytest.fixture
def beside_scenes(tmp_path: Path, serve: Serve) -> Served:
    """A server whose pool has a picture of a scene that is known, in a folder of its name, and one of no scene."""
    for name in ("one", "elsewhere"):
        (tmp_path / "raw" / name).mkdir(parents=True)
        Image.new("RGB", (64, 48), "red" if name == "one" else "blue").save(tmp_path / "raw" / name / f"{name}.png")
    bring_in([tmp_path / "raw"], tmp_path / "pool", source="Rooms", licence="CC BY 4.0")
    return serve(tmp_path / "fresh", pool=tmp_path / "pool", scenes=make_rooms(tmp_path / "rooms"))


@pytest.mark.full
def test_the_scene_of_a_chosen_picture_is_shown(beside_scenes: Served) -> None:
    ann, path, _ = begin_writing(beside_scenes)
    assert beside_scenes.site.pool is not None
    keys = {medium.group: key for key, medium in beside_scenes.site.pool.media().items()}
    assert choose_media(ann, path, keys.values()).text.count("Show its scene") == 1
    (known,) = (key for group, key in keys.items() if group.endswith("one"))
    (unknown,) = set(keys.values()) - {known}
    place = f"{path}/scene/{known}"
    assert f'data-workbench="{place}"' in ann.get(place).text
    shown = ann.get(f"{place}/scene").json()
    assert len(shown["boxes"]) == 8
    assert (shown["whole"], shown["marks"], shown["cameras"]) == (True, [], [])
    assert ann.get(f"{place}/frame/0/0").status_code == ann.get(f"{place}/cloud").status_code == 404
    assert ann.get(f"{path}/scene/{unknown}").status_code == 404
    assert ann.get(f"{path}/scene/nothing/scene").status_code == 404
    assert beside_scenes.person("annotator", "Bob").get(f"{place}/scene").status_code == 404


@pytest.mark.full
def test_a_scene_that_one_may_be_asked_about_stays_hidden(beside_scenes: Served) -> None:
    ann, path, project = begin_writing(beside_scenes)
    assert beside_scenes.site.pool is not None
    (known,) = (key for key, medium in beside_scenes.site.pool.media().items() if medium.group.endswith("one"))
    with beside_scenes.site.database.write() as db:
        asked = Item(id="q", question="How many chairs?", kind="number", answer="2", task="t", scene="rooms/one")
        found = db.get_one(Project, project)
        version = tasks.add_item(db, beside_scenes.site, found, asked)
        tasks.add_task(db, beside_scenes.site, found, "review", "q", version=version)
    refused = ann.get(f"{path}/scene/{known}")
    assert "You may still be asked questions about this scene" in refused.text
    assert "data-workbench" not in refused.text
    assert ann.get(f"{path}/scene/{known}/scene").status_code == 404
