"""The scene beside a question that is being written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from making import make_rooms
from reviewing import Served, begin_writing, choose_media, serving, settings_of
from tolman.ingest.media_pool import bring_in
from tolman.items import Item
from tolman.review.store.schema import Project
from tolman.review.tasks import work


@pytest.fixture
def writing(tmp_path: Path) -> Iterator[Served]:
    """A server whose pool has a picture of a scene that is known, in a folder of its name, and one of no scene."""
    for name in ("one", "elsewhere"):
        (tmp_path / "raw" / name).mkdir(parents=True)
        Image.new("RGB", (64, 48), "red" if name == "one" else "blue").save(tmp_path / "raw" / name / f"{name}.png")
    bring_in([tmp_path / "raw"], tmp_path / "pool", source="Rooms", licence="CC BY 4.0")
    with serving(
        *settings_of(
            tmp_path / "fresh", tmp_path / "store", None, pool=tmp_path / "pool", scenes=make_rooms(tmp_path / "rooms")
        )
    ) as served:
        yield served


@pytest.mark.full
def test_the_scene_of_a_chosen_picture_is_shown(writing: Served) -> None:
    ann, path, _ = begin_writing(writing)
    assert writing.site.pool is not None
    keys = {medium.group: key for key, medium in writing.site.pool.media().items()}
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
    assert writing.person("annotator", "Bob").get(f"{place}/scene").status_code == 404


@pytest.mark.full
def test_a_scene_that_one_may_be_asked_about_stays_hidden(writing: Served) -> None:
    ann, path, project = begin_writing(writing)
    assert writing.site.pool is not None
    (known,) = (key for key, medium in writing.site.pool.media().items() if medium.group.endswith("one"))
    with writing.site.database.write() as db:
        asked = Item(id="q", question="How many chairs?", kind="number", answer="2", task="t", scene="rooms/one")
        found = db.get_one(Project, project)
        version = work.add_item(db, writing.site, found, asked)
        work.add_task(db, writing.site, found, "review", "q", version=version)
    refused = ann.get(f"{path}/scene/{known}")
    assert "You may still be asked questions about this scene" in refused.text
    assert "data-workbench" not in refused.text
    assert ann.get(f"{path}/scene/{known}/scene").status_code == 404
