"""Values and texts as scripts."""

from pathlib import Path

from hypothesis import given, settings, strategies as st

from explorers import HOSTILE, unpacked, value
from tolman.reports.site.data_shards import MOST_IN_SHARD, SHARD_CHARACTERS, DataFolder, clean, shards


def test_any_text_comes_back_as_it_was_and_reaches_the_script_as_letters(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    texts = {"a": HOSTILE, "b": "\u2028\u2029 emoji 🪑 \ud800 end", "c": ""}
    for key, text in texts.items():
        data.put(key, text)
    data.put_json("d", [HOSTILE, None, 0.5])
    assert unpacked(tmp_path, "a") == HOSTILE
    assert unpacked(tmp_path, "b") == "\u2028\u2029 emoji 🪑 ? end"
    assert unpacked(tmp_path, "c") == ""
    assert value(tmp_path, "d") == [HOSTILE, None, 0.5]
    assert "<" not in (tmp_path / "data" / "a.js").read_text(encoding="ascii")


def test_the_same_content_makes_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        DataFolder(tmp_path / name).put("a", HOSTILE)
    one, two = ((tmp_path / name / "data" / "a.js").read_bytes() for name in ("one", "two"))
    assert one == two


@settings(max_examples=30)
@given(st.lists(st.integers(0, SHARD_CHARACTERS * 2), max_size=30))
def test_shards_follow_each_other_and_are_no_larger_than_they_need_be(sizes: list[int]) -> None:
    found = list(shards(range(len(sizes)), sizes))
    assert [entry for _, part in found for entry in part] == list(range(len(sizes)))
    for start, part in found:
        assert part[0] == start
        assert len(part) == 1 or sum(sizes[start : start + len(part)]) <= SHARD_CHARACTERS


def test_a_shard_has_no_more_items_than_its_limit() -> None:
    starts = [start for start, _ in shards(range(10_000), [0] * 10_000)]
    assert starts == [0, MOST_IN_SHARD, 2 * MOST_IN_SHARD]


def test_texts_hold_no_separator() -> None:
    assert clean("a\x00b\x01c") == "a\ufffdb\ufffdc"
