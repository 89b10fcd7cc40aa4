"""Entries of drafts: what is put in comes out, in little memory."""

from tolman.generate.draft_storage import DraftEntry, Entries, EntryPart

ENTRIES = [
    DraftEntry("far", "left", True, False, 2, 0, (("left", 0.5), ("", None)), kind="fronted"),
    DraftEntry("size", "120", False, True, 4, 700),
    DraftEntry("near", "lamp", False, False, 4, 2**40),
]


def test_what_is_put_in_comes_out() -> None:
    made = Entries()
    for entry in ENTRIES:
        made.append(entry)
    assert list(made) == ENTRIES
    assert list(made[1:]) == ENTRIES[1:]
    part = EntryPart(made, [2, 0])
    assert list(part) == [ENTRIES[2], ENTRIES[0]]
    assert list(part[1:]) == [ENTRIES[0]]
    assert [made.stratum(i) for i in range(3)] == ["far:fronted", "size", None]
    assert [made.is_number(i) for i in range(3)] == [False, True, False]
    assert [made.answer(i) for i in range(3)] == ["left", "120", "lamp"]
