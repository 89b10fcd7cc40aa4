"""Items made again from their scenes."""

from pathlib import Path

from ground_truth.test_released_audit import choice
from kinds.yes_no import write_kind
from tolman.generate.draft_items import again
from tolman.items import Item
from tolman.plugins import load_plugin


def test_questions_of_other_kinds_than_families_draft_are_left_as_they_are(tmp_path: Path) -> None:
    load_plugin(write_kind(tmp_path))
    item = Item(id="1", question="Is the door open?", kind="yes-no", answer="yes", task="open", scene="made/room")
    assert again(item, [], seed=0) is item
    assert again(choice("open", "Is the door open?", "yes", "no"), [], seed=0) is None
