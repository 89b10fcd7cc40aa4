"""The table of keys."""

from __future__ import annotations

from itertools import islice

from tolman.review.pages import CHOICE_KEYS, KEY_TABLE, choice_keys


def test_no_key_of_the_table_does_two_things_or_chooses() -> None:
    keys = [row.key for row in KEY_TABLE]
    assert len(set(keys)) == len(keys)
    assert len({row.act for row in KEY_TABLE}) == len(KEY_TABLE)
    assert not {key.lower() for key in keys} & set(CHOICE_KEYS)
    assert all(row.does and row.shown for row in KEY_TABLE)


def test_keys_that_choose_are_given_out_once() -> None:
    given = list(islice(choice_keys(), len(CHOICE_KEYS) + 2))
    assert len(set(given[:-2])) == len(CHOICE_KEYS) == 36
    assert given[-2:] == ["", ""]
