"""Lists and texts in temporary files."""

import os
from pathlib import Path

import pytest

from tolman import memory
from tolman.errors import OutputError
from tolman.memory import TemporaryDict, TemporaryList, TemporaryTexts


def test_a_list_gives_what_was_put_in() -> None:
    things = ["a", {"b": (1, 2.5)}, None, "x" * 10_000]
    kept = TemporaryList.of(things)
    assert list(kept) == things
    assert (len(kept), kept[-1], kept[1:3]) == (4, things[-1], things[1:3])
    assert things[1] in kept
    with pytest.raises(IndexError):
        kept[4]


def test_places_are_filled_in_any_order() -> None:
    kept = TemporaryList[str](4)
    kept.fill([2, 0], ["two", "zero"])
    assert (kept[0], kept[2]) == ("zero", "two")
    with pytest.raises(LookupError, match="nothing was put into place 1"):
        kept[1]
    with pytest.raises(ValueError, match="argument 2 is shorter"):
        kept.fill([1, 3], ["one"])


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs Linux")
def test_the_file_has_no_name_and_ends_with_its_object(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def open_there() -> int:
        found = (os.readlink(path) for path in Path("/proc/self/fd").iterdir() if path.is_symlink())
        return sum(str(tmp_path) in name for name in found)

    texts = TemporaryTexts()
    place = texts.add(b"kept")
    assert list(tmp_path.iterdir()) == []
    assert (open_there(), texts.at(place)) == (1, b"kept")
    del texts
    assert open_there() == 0


def test_a_dictionary_keeps_the_first_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "MANY", 2)
    kept = TemporaryDict[list[int]]()
    kept.update({"a": [1], "b": [2], "c": [3], "d": [4]})
    kept["c"], kept["a"] = [30], [10]
    del kept["d"]
    assert dict(kept) == {"a": [10], "b": [2], "c": [30]}
    assert (len(kept), kept["a"] is kept["a"], kept["c"] is kept["c"]) == (3, True, False)
    with pytest.raises(KeyError):
        kept["d"]


@pytest.mark.usefixtures("only_small_files")
def test_without_room_the_folder_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    texts = TemporaryTexts()
    said = rf"{tmp_path.name}: can't be written \(File too large\); make room or name another folder in TMPDIR"
    with pytest.raises(OutputError, match=said):
        texts.add(bytes(100_000))
