"""Lists of records, read row by row through a small window."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tolman.errors import InputError
from tolman.ingest import readers
from tolman.ingest.readers import json_rows

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
RECORDS = st.lists(st.dictionaries(st.text(max_size=5), VALUES, max_size=4), max_size=6)


@pytest.fixture(autouse=True)
def small_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers, "_CHUNK", 7)


@settings(deadline=None, max_examples=60)
@given(RECORDS, st.sampled_from([None, 0, 2]), st.booleans(), st.data())
def test_every_record_comes_back_and_no_cut_goes_unnoticed(
    tmp_path_factory: pytest.TempPathFactory,
    records: list[dict[str, object]],
    indent: int | None,
    escaped: bool,
    data: st.DataObject,
) -> None:
    path = tmp_path_factory.mktemp("r") / "table.json"
    encoded = json.dumps(records, indent=indent, ensure_ascii=escaped).encode()
    path.write_bytes(encoded)
    found = list(json_rows(path))
    assert [row.fields for row in found] == records
    assert [row.number for row in found] == list(range(1, len(records) + 1))
    assert [json.loads(row.text) for row in found] == records
    path.write_bytes(encoded[: data.draw(st.integers(0, len(encoded) - 1))])
    with pytest.raises(InputError, match=r"table\.json"):
        list(json_rows(path))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "is no list of records"),
        ('{"a": 1}', "is no list of records"),
        ("[1]", "row 1: is no record"),
        ('[{"a": 1} {"b": 2}]', "row 1: is followed by something other"),
        ('[{"a": 1},]', "row 2: is no record"),
        ('[{"a": 1}] x', "continues after the end"),
        ('[{"a": 1}, {"b": NaN}]', "row 2: is no JSON .NaN is no number of JSON"),
        ('[{"a": 1}, {"b" 2}]', "row 2: is no JSON"),
        ('[{"a": 1}, {"b": 2', "row 2: is cut off"),
        ('[{"a": 1}', "row 1: is the last, and no ']' follows"),
        ('[{"a": ' + "[" * 100_000, "row 1: is no JSON"),
        ('[{"a": ' + "9" * 5000 + "}]", "row 1: is no JSON"),
    ],
)
def test_what_is_wrong_is_said_with_the_row(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "table.json"
    path.write_text(text)
    with pytest.raises(InputError, match=sentence):
        list(json_rows(path))


def test_a_row_that_never_ends_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers, "_LONGEST", 1000)
    monkeypatch.setattr(readers, "_CHUNK", 400)
    path = tmp_path / "table.json"
    path.write_text('[{"a": "' + "x" * 100_000)
    with pytest.raises(InputError, match="row 1: is no JSON"):
        list(json_rows(path))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is missing"):
        list(json_rows(tmp_path / "gone.json"))
    with pytest.raises(InputError, match="can't be read"):
        list(json_rows(tmp_path))
    (tmp_path / "latin.json").write_bytes('[{"a": "é"}]'.encode("latin-1"))
    with pytest.raises(InputError, match="no text in UTF-8"):
        list(json_rows(tmp_path / "latin.json"))
