"""Rows of any form become candidates; those that can't be are named with the reason."""

import base64
import csv
import io
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from tolman.benchmarks import rows as row_files
from tolman.benchmarks.fields import Field, Unmappable
from tolman.curate.candidates import Candidate
from tolman.curate.convert import Bank, ConvertRules, Unconverted, convert
from tolman.curate.importing import Importer, QuestionSource, Unmapped
from tolman.curate.mapping import Mapping, open_mapping, open_taxonomy, shipped
from tolman.curate.pipeline import Recipe, SourceEntry
from tolman.errors import InputError, UsageError
from tolman.generate.distractors import Dealer

PLAIN: dict[str, Any] = {
    "name": "mine",
    "title": "Mine",
    "files": ["*.jsonl", "*.csv", "*.tsv", "*.json", "**/*.parquet"],
    "fields": {
        "id": "id", "question": "q", "answer": "a", "options": {"column": "o", "optional": True},
        "task": {"column": "t", "optional": True},
    },
}  # fmt: skip
IMAGES = {**PLAIN, "media": {"kind": "image", "from": "image"}}


def take(data: Path, pool: Path, mapping: dict[str, Any] | Mapping = PLAIN) -> tuple[list[Candidate], list[Unmapped]]:
    made = mapping if isinstance(mapping, Mapping) else Mapping.model_validate(mapping)
    found = list(Importer(pool).read(QuestionSource("mine", made, data)))
    return [x for x in found if isinstance(x, Candidate)], [x for x in found if isinstance(x, Unmapped)]


def write_rows(path: Path, *rows: dict[str, Any]) -> None:
    """A table with commas or tabs, by the file's name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]), delimiter="," if path.suffix == ".csv" else "\t")
        table.writeheader()
        table.writerows(rows)


def lines(place: Path, *rows: Any) -> Path:
    path = place / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_every_kind_of_answer(tmp_path: Path) -> None:
    path = lines(
        tmp_path,
        {"id": 1, "q": "Which?", "a": "(b)", "o": ["A. left", "B. right"], "t": "side"},
        {"id": 2, "q": "How many?", "a": 1200.0},
        {"id": 3, "q": "How far?", "a": "1,200.5"},
        {"id": 4, "q": "Where?", "a": "on the shelf"},
    )
    found, lost = take(path, tmp_path / "pool")
    assert not lost
    assert [(c.id, c.kind, c.answer, c.options, c.task) for c in found] == [
        ("mine/1", "choice", "B", ("left", "right"), "side"),
        ("mine/2", "number", "1200", (), "mine"),
        ("mine/3", "number", "1200.5", (), "mine"),
        ("mine/4", "text", "on the shelf", (), "mine"),
    ]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"q": "Which?", "a": "A"}, "'id' is empty or missing"),
        ({"id": 1, "q": "", "a": "A"}, "'q' is empty"),
        ({"id": 1, "q": "  ", "a": "x"}, "the question is empty"),
        ({"id": 1, "q": "Which?", "a": "E", "o": ["a", "b"]}, "'E' is no letter of an option"),
        ({"id": 1, "q": "Which?", "a": "A", "o": ["a", "A "]}, "two options are the same"),
        ({"id": 1, "q": "Which?", "a": "A", "o": ["a"]}, "a choice needs 2"),
        ({"id": 1, "q": "Which?", "a": "A", "o": "ab"}, "the options are no list"),
        ({"id": 1, "q": ["x"], "a": "A"}, "'q' is no text"),
        ({"id": 1, "q": "Which?", "a": {"x": 1}}, "the answer is no text"),
        ({"id": 1, "q": "Which?", "a": float("nan")}, "'a' is empty or missing"),
        ({"id": 1, "q": "Which?", "a": "NaN"}, "the answer 'NaN' is how programs write an empty cell"),
        ([1, 2], "is no JSON object"),
    ],
)
def test_a_row_that_cannot_be_mapped_is_named_and_left_out(tmp_path: Path, row: Any, reason: str) -> None:
    found, lost = take(lines(tmp_path, {"id": 9, "q": "Good?", "a": "yes"}, row), tmp_path / "pool")
    assert [c.id for c in found] == ["mine/9"]
    assert lost[0].row == 2
    assert reason in lost[0].reason


def test_broken_lines_and_repeated_ids_are_rows_like_others(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(
        '{"id": 1, "q": "a?", "a": "x"}\n{"id": 1, "q": "b?", "a": "y"}\n{broken\n{"id": 2, "q": "\\ud800?", "a": "z"}\n'
    )
    found, lost = take(path, tmp_path / "pool")
    assert [c.id for c in found] == ["mine/1", "mine/2"]
    assert found[1].question == "\ufffd?"
    assert [(x.row, x.reason.split(" (")[0]) for x in lost] == [(2, "the id 1 is used twice"), (3, "is no JSON")]


def test_numbers_in_the_digits_of_another_script_are_numbers(tmp_path: Path) -> None:
    rows = [{"id": i, "q": "How many?", "a": answer} for i, answer in enumerate(("٣", "٣٫٥", "１٬２００"))]
    found, lost = take(lines(tmp_path, *rows), tmp_path / "pool")
    assert not lost
    assert [(c.kind, c.answer) for c in found] == [("number", "3"), ("number", "3.5"), ("number", "1200")]


@pytest.mark.parametrize(
    ("form", "answer", "right"),
    [
        ("index", 1, True), ("position", "2", True), ("text", "Right ", True), ("letter", "B)", True),
        ("index", 2, False), ("index", -1, False), ("position", 0, False), ("text", "up", False), ("index", "x", False),
    ],
)  # fmt: skip
def test_forms_of_a_choice(tmp_path: Path, form: str, answer: Any, right: bool) -> None:
    path = lines(tmp_path, {"id": 1, "q": "Which?", "a": answer, "o": {"A": "left", "B": "right"}})
    found, lost = take(path, tmp_path / "pool", PLAIN | {"answer": form})
    assert [one.answer_text for one in found] == ["right"] * right
    assert ["the answer" in one.reason for one in lost] == [True] * (not right)


def test_csv_tsv_json_and_parquet_say_the_same(tmp_path: Path) -> None:
    rows = [{"id": str(i), "q": f"What, {i}?", "a": f"answer {i}"} for i in range(30)]
    for name in ("csv/rows.csv", "tsv/rows.tsv"):
        write_rows(tmp_path / name, *rows)
    (tmp_path / "json").mkdir()
    (tmp_path / "json" / "rows.json").write_text(json.dumps({"data": {"rows": rows}}))
    (tmp_path / "hub" / "data").mkdir(parents=True)
    for part in range(2):
        pl.DataFrame(rows[part::2]).write_parquet(tmp_path / "hub" / "data" / f"test-0000{part}-of-00002.parquet")
    (tmp_path / "saved").mkdir()
    pl.DataFrame(rows).write_ipc_stream(tmp_path / "saved" / "data-00000-of-00001.arrow")
    expected = sorted((f"mine/{row['id']}", row["q"], row["a"]) for row in rows)
    needed: dict[str, dict[str, Any]] = {"json": {"records": "data.rows"}, "saved": {"files": ["*.arrow"]}}
    for folder in ("csv", "tsv", "json", "hub", "saved"):
        found, lost = take(tmp_path / folder, tmp_path / "pool", PLAIN | needed.get(folder, {}))
        assert not lost
        assert sorted((c.id, c.question, c.answer) for c in found) == expected, folder


def test_large_json_is_read_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ijson")
    monkeypatch.setattr(row_files, "_JSON_LIMIT", 10)
    rows = {f"k{i}": {"q": f"How {i}?", "a": i + 0.5} for i in range(5)}
    mapping = {**PLAIN, "fields": {"id": "_key", "question": "q", "answer": "a"}}
    (tmp_path / "a.json").write_text(json.dumps(rows))
    found, lost = take(tmp_path / "a.json", tmp_path / "pool", mapping)
    assert [(c.id, c.answer) for c in found] == [(f"mine/k{i}", f"{i}.5") for i in range(5)]
    (tmp_path / "b.json").write_text(json.dumps({"x": {"rows": [*rows.values(), 7]}}))
    mapping = {**PLAIN, "records": "x.rows", "fields": {"question": "q", "answer": "a"}}
    found, lost = take(tmp_path / "b.json", tmp_path / "pool", mapping)
    assert [c.id for c in found] == [f"mine/b:{i}" for i in range(1, 6)]
    assert lost[0].row == 6
    (tmp_path / "c.json").write_text('[{"q": "a"')
    with pytest.raises(InputError, match="is no JSON"):
        take(tmp_path / "c.json", tmp_path / "pool")


def picture(colour: str) -> bytes:
    image = pytest.importorskip("PIL.Image").new("RGB", (8, 8), colour)
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def test_images_inside_tables_are_written_once(tmp_path: Path) -> None:
    red, blue = picture("red"), picture("blue")
    images = {"1": (red, blue), "2": (red,), "3": (b"nothing",)}
    rows = [
        {"id": i, "q": "a?", "a": "x", "image": [{"bytes": b, "path": None} for b in own]} for i, own in images.items()
    ]
    pl.DataFrame(rows).write_parquet(tmp_path / "rows.parquet")
    found, lost = take(tmp_path / "rows.parquet", tmp_path / "pool", IMAGES)
    assert [len(c.media) for c in found] == [2, 1]
    assert found[0].media[0] == found[1].media[0]
    assert (tmp_path / "pool" / found[0].media[1].path).read_bytes() == blue
    assert len(list((tmp_path / "pool").rglob("*.png"))) == 2
    assert lost[0].reason == "the image is of no format that is known here"
    text = base64.b64encode(red).decode()
    found, _ = take(
        lines(tmp_path, {"id": 1, "q": "a?", "a": "x", "image": text}), tmp_path / "p",
        {**PLAIN, "media": {"kind": "image", "from": "image", "base64": True}},
    )  # fmt: skip
    assert (tmp_path / "p" / found[0].media[0].path).read_bytes() == red


@pytest.mark.parametrize("path", ["../../etc/passwd", "/etc/passwd", "a/../../b", "", ".", "a\0b", "x" * 300])
def test_paths_that_lead_out_of_the_media_folder_are_refused(tmp_path: Path, path: str) -> None:
    mapping = {**PLAIN, "media": {"kind": "image", "from": {"template": "{p}"}}}
    found, lost = take(lines(tmp_path, {"id": 1, "q": "a?", "a": "x", "p": path}), tmp_path / "pool", mapping)
    assert not found
    assert len(lost) == 1


def test_media_are_reached_through_the_pool(tmp_path: Path) -> None:
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "a.jpg").write_bytes(b"here")
    mapping = Mapping.model_validate({**PLAIN, "media": {"kind": "image", "from": {"template": "./{p}.jpg"}}})
    path = lines(tmp_path, {"id": 1, "q": "a?", "a": "x", "p": "a"})
    source = QuestionSource("mine", mapping, path, tmp_path / "pictures")
    for _ in range(2):
        (found,) = Importer(tmp_path / "pool").read(source)
        assert isinstance(found, Candidate)
        assert (tmp_path / "pool" / found.media[0].path).read_bytes() == b"here"
        assert found.scene == "media/mine/files/a.jpg"


def test_fields_by_every_means() -> None:
    row = {"a": {"b": ["x", "y"]}, "n": 3.0, "t": "(A) one (B) two", "j": '["p", "q"]', "e": "nan"}
    assert Field(column="a.b.1").text(row) == "y"
    assert Field(column="n").text(row) == "3"
    assert Field(template="{n}-{a.b.0}").text(row) == "3-x"
    assert Field(column="t", every=r"\([A-B]\) (\w+)").of(row) == ["one", "two"]
    assert Field(column="j", json_text=True).of(row) == ["p", "q"]
    assert Field(column="t", pattern=r"^\((.)\)").text(row) == "A"
    assert Field(column="n", values={"3": "three"}).text(row) == "three"
    assert Field(columns=("e", "n"), missing=("nan",)).of(row) == [3.0]
    assert Field(column="t", replace=(("one", "1"),)).text(row) == "(A) 1 (B) two"
    assert Field(column="z", optional=True).of(row) is None
    with pytest.raises(Unmappable, match="'z' is empty"):
        Field(column="z").of(row)
    with pytest.raises(Unmappable, match="doesn't fit"):
        Field(column="t", pattern="three").text(row)
    with pytest.raises(ValueError, match="no regular expression"):
        Field(column="t", pattern="(")


def test_every_shipped_mapping_is_whole_and_says_what_is_not_certain() -> None:
    taxonomy = open_taxonomy("site")
    assert len(shipped()) == 31  # the thirty that SITE surveyed, and SpatialBench
    for name in shipped():
        mapping = open_mapping(name)
        assert mapping.name == name
        assert mapping.read
        assert mapping.unsure
        taxonomy.check({*mapping.spatial.categories.values(), mapping.spatial.default}, name)


SHAPES: list[tuple[str, str, Any, dict[str, Any]]] = [
    ("mmvp", "Questions.csv", [{"Index": 1, "Question": "Are the eyes open?", "Options": "(a) Open (b) Closed", "Correct Answer": "(b)"}],
     {"options": ("Open", "Closed"), "answer": "B", "media": "MMVP Images/1.jpg"}),
    ("vstar", "test_questions.jsonl", [{"text": "Is the red car on the left or right of the bus?\n(A) left\n(B) right\nAnswer with the letter.",
      "label": "A", "category": "relative_position", "question_id": "3", "image": "relative_position/3.jpg"}],
     {"question": "Is the red car on the left or right of the bus?", "options": ("left", "right"), "category": "spatial relationship reasoning"}),
    ("spatialeval", "vqa/test-0.parquet", [{"id": "spatialmap.vqa.0.1", "text": "Please answer.\nWhere is X?\nAvailable options:\nA. North\nB. South\nC. East\nD. West",
      "oracle_option": "C", "image": {"bytes": b"\x89PNG", "path": None}}],
     {"question": "Please answer.\nWhere is X?", "options": ("North", "South", "East", "West"), "answer": "C", "task": "spatialmap"}),
    ("tgif-qa", "Test_action_question.tsv", [{"gif_name": "tumblr_1", "question": "What does she do 4 times?", "a1": "flick", "a2": "jump", "a3": "chew",
      "a4": "shake hips", "a5": "pat", "answer": "3", "vid_id": "ACTION1", "key": "5"}],
     {"id": "tgif-qa/Test_action_question-ACTION1", "answer_text": "shake hips", "media": "tumblr_1.gif"}),
    ("tgif-qa", "Test_count_question.tsv", [{"gif_name": "tumblr_2", "question": "How many times?", "answer": "5", "vid_id": "COUNT2", "key": "16"}],
     {"kind": "number", "unit": "count", "category": "counting & existence"}),
    ("tvqa", "tvqa_val.jsonl", [{"qid": 1, "q": "Where is Ross?", "a0": "a", "a1": "b", "a2": "c", "a3": "d", "a4": "e", "answer_idx": 4,
      "ts": "76.01-84.2", "vid_name": "friends_s06e12"}], {"answer": "E", "start": 76.01, "end": 84.2}),
    ("vsr", "test.jsonl", [{"image": "1.jpg", "caption": "The cat is under the table.", "label": 0, "relation": "under"}],
     {"kind": "text", "answer": "No", "category": "spatial relationship reasoning"}),
    ("spec", "count/image2text.json", [{"query": "images/1.jpg", "keys": ["one dog", "two dogs"], "label": 1}],
     {"answer_text": "two dogs", "media": "count/images/1.jpg", "category": "counting & existence"}),
    ("mm-vet", "test-0.parquet", [{"question_id": "v1_0", "question": "Which is left?", "answer": "cup<OR>mug", "capability": "rec,spat",
      "image": {"bytes": b"\x89PNG", "path": None}}], {"answer": "cup", "also": ("cup", "mug"), "category": None}),
    ("mm-vet", "test-0.parquet", [{"question_id": "v1_1", "question": "Who?", "answer": "he<AND>she", "capability": "rec",
      "image": {"bytes": b"\x89PNG", "path": None}}], {"answer": "he and she", "category": "no"}),
    ("logicvista", "dataset.json", {"v1_0": {"imagename": "v1_0.png", "question": "What choice (A, B, C, or D)?", "answer": "C", "skill": ["spatial"]}},
     {"id": "logicvista/v1_0", "answer": "C", "media": "images/v1_0.png"}),
    ("blink", "Counting/val-0.parquet", [{"idx": "val_Counting_1", "question": "How many floats?", "sub_task": "Counting", "choices": ["0", "3"], "answer": "(B)",
      "image_1": {"bytes": b"\x89PNG", "path": None}, "image_2": None}], {"answer_text": "3", "category": "counting & existence"}),
    ("gqa", "val_balanced_questions.json", {"05515938": {"question": "Is it left?", "answer": "no", "imageId": "2405722", "types": {"detailed": "relVerify"}}},
     {"id": "gqa/05515938", "task": "relVerify", "media": "2405722.jpg"}),
    ("clevr", "CLEVR_val_questions.json", {"info": {}, "questions": [{"question_index": 0, "question": "How many cubes?", "answer": "3", "image_filename": "CLEVR_val_0.png"}]},
     {"kind": "number", "unit": "count", "media": "images/val/CLEVR_val_0.png"}),
    ("mme-realworld", "data/train-0.parquet", [{"index": "1", "question": "What number?", "multi-choice options": ["(A) 1", "(B) 2"], "answer": "B", "category": "x",
      "l2-category": "y", "bytes": base64.b64encode(b"\x89PNG").decode()}], {"answer_text": "2"}),
    ("mmbench", "en/dev-0.parquet", [{"index": 4, "question": "Where?", "A": "left", "B": "right", "C": "nan", "D": None, "answer": "B", "category": "ocr",
      "image": {"bytes": b"\x89PNG", "path": None}}], {"options": ("left", "right"), "category": "no"}),
    ("open-eqa", "open-eqa-v0.json", [{"question_id": "q1", "question": "Where is the cup?", "answer": "on the desk", "extra_answers": ["desk"], "category": "object localization",
      "episode_history": "hm3d-v0/000"}], {"also": ("desk",), "media": "hm3d-v0/000.mp4"}),
    ("sat", "SAT_test.parquet", [{"image_bytes": [{"bytes": b"\x89PNG", "path": None}], "question": "Which way?", "answers": ["left", "right"], "correct_answer": "right", "question_type": "ego"}],
     {"answer": "B"}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "file", "rows", "expected"), SHAPES, ids=[f"{s[0]}-{i}" for i, s in enumerate(SHAPES)]
)
def test_shipped_mappings_on_rows_of_the_shape_that_they_describe(
    tmp_path: Path, name: str, file: str, rows: Any, expected: dict[str, Any]
) -> None:
    path = tmp_path / "data" / file
    path.parent.mkdir(parents=True)
    if path.suffix == ".parquet":
        pl.DataFrame(rows).write_parquet(path)
    elif path.suffix in (".csv", ".tsv"):
        write_rows(path, *rows)
    else:
        path.write_text("\n".join(map(json.dumps, rows)) if path.suffix == ".jsonl" else json.dumps(rows))
    found = list(Importer(tmp_path / "pool").read(QuestionSource(name, open_mapping(name), tmp_path / "data")))
    assert len(found) == 1
    one = found[0]
    assert isinstance(one, Candidate), one
    for field, value in expected.items():
        if field == "category":
            assert one.labels.get("category") == value
        elif field == "media":
            assert one.media[0].path == f"media/{name}/files/{value}"
        elif field in ("start", "end"):
            assert getattr(one.media[0], field) == value
        else:
            assert getattr(one, field) == value


def test_real_question_sets(shared_data: Path, tmp_path: Path) -> None:
    counts = {}
    for name in ("vsi-bench", "spatialbench"):
        found, lost = take(shared_data / name, tmp_path / "pool", open_mapping(name))
        assert not lost
        counts[name] = len(found), sum(c.kind == "number" for c in found)
    assert counts == {"vsi-bench": (5130, 2640), "spatialbench": (3193, 780)}


def test_a_source_has_its_own_name_or_its_mappings(tmp_path: Path) -> None:
    path = tmp_path / "map.toml"
    path.write_text('name = "mine"\ntitle = "X"\nfiles = ["a"]\n[fields]\nquestion = "q"\nanswer = "a"\n')
    entry = SourceEntry(mapping=str(path), data=tmp_path)
    assert Recipe.source_name(entry) == "mine"
    assert Recipe.source_name(entry.model_copy(update={"name": "other"})) == "other"


def test_mappings_that_do_not_hold(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no mapping 'nothing'"):
        open_mapping("nothing")
    path = tmp_path / "m.toml"
    whole = 'name = "x"\ntitle = "X"\nfiles = ["a"]\n'
    for text, what in (("a = [", "is no TOML"), (whole, "field 'fields': is missing")):
        path.write_text(text)
        with pytest.raises(InputError, match=what):
            open_mapping(str(path))
    (tmp_path / "nowhere").mkdir()
    with pytest.raises(InputError, match="holds no Mine"):
        take(tmp_path / "nowhere", tmp_path / "pool")


LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30)
KEYS = st.sampled_from(["bytes", "path", "A", "B", "answer"])
VALUES = st.recursive(
    LEAVES | st.sampled_from(["A", "(B)", "3", "a/b.jpg"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)
ROW = st.fixed_dictionaries({}, optional=dict.fromkeys(("id", "q", "a", "o", "t", "p", "u"), VALUES))


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.lists(ROW, max_size=4))
def test_whatever_stands_in_a_row_it_is_mapped_or_named(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    mapping = {
        **PLAIN,
        "fields": {**PLAIN["fields"], "also": {"column": "u", "optional": True}},
        "media": {"kind": "image", "from": {"column": "p", "optional": True}},
    }
    found, lost = take(lines(tmp_path, *rows), tmp_path / "pool", mapping)
    assert len(found) + len(lost) == len(rows)
    assert all(one.reason for one in lost)
    for one in found:
        done = convert(one, ConvertRules(), Bank(), Dealer("0"), "0")
        assert isinstance(done, Unconverted) or done.item()


def _rotations(index: int) -> list[dict[str, Any]]:
    """A row of 3DSRBench and its circular ones, as VLMEvalKit numbers them."""
    options = ["left", "right", "front", "behind"]
    return [
        {
            "index": index + 1_000_000 * k, "qid": f"q{index}", "question": "Where is it?",
            **dict(zip("ABCD", options[k:] + options[:k], strict=True)), "answer": "ABCD"[-k % 4],
            "category": "location_above", "image": f"{index}.jpg",
        }
        for k in range(4)
    ]  # fmt: skip


def test_a_circular_file_beside_the_plain_one_is_passed_over(tmp_path: Path) -> None:
    write_rows(tmp_path / "a/3dsrbench_v1_vlmevalkit.tsv", *(_rotations(i)[0] for i in range(3)))
    write_rows(tmp_path / "a/3dsrbench_v1_vlmevalkit_circular.tsv", *(row for i in range(3) for row in _rotations(i)))
    write_rows(tmp_path / "a/3dsrbench_v1.csv", *(_rotations(i)[0] for i in range(3)))
    found, lost = take(tmp_path / "a", tmp_path / "pool", open_mapping("3dsrbench"))
    assert (len(found), lost) == (3, [])
    write_rows(tmp_path / "b/3dsrbench_v1.csv", *(_rotations(i)[0] for i in range(3)))
    assert len(take(tmp_path / "b", tmp_path / "pool2", open_mapping("3dsrbench"))[0]) == 3
    with pytest.raises(InputError, match=r"circular.tsv: is another version of 3DSRBench's questions, by its name"):
        take(tmp_path / "a/3dsrbench_v1_vlmevalkit_circular.tsv", tmp_path / "pool3", open_mapping("3dsrbench"))
    (tmp_path / "c").mkdir()
    (tmp_path / "a/3dsrbench_v1_vlmevalkit_circular.tsv").rename(tmp_path / "c/x_circular.tsv")
    with pytest.raises(InputError, match="holds no 3DSRBench"):
        take(tmp_path / "c", tmp_path / "pool4", open_mapping("3dsrbench"))


def test_other_orders_of_a_question_are_told_whatever_the_name(tmp_path: Path) -> None:
    write_rows(tmp_path / "a/renamed.tsv", *(row for i in range(3) for row in _rotations(i)))
    found, lost = take(tmp_path / "a", tmp_path / "pool", open_mapping("3dsrbench"))
    assert [one.id for one in found] == ["mine/0", "mine/1", "mine/2"]
    assert len(lost) == 9
    assert lost[0].reason == "renamed.tsv has this question with its options in another order: one is circular"


def test_versions_of_a_question_set_in_one_folder_are_told(tmp_path: Path) -> None:
    row = {**_rotations(1)[0]}
    write_rows(tmp_path / "a/one.tsv", row)
    write_rows(tmp_path / "a/two.tsv", {**row, "index": 99})
    found, lost = take(tmp_path / "a", tmp_path / "pool", open_mapping("3dsrbench"))
    assert len(found) == 1
    assert [one.reason for one in lost] == [
        "one.tsv has the same question: these files are versions of one question set"
    ]


@pytest.mark.parametrize(
    ("mapping", "plain_name", "other"),
    [
        ("mmbench", "mmbench_dev_en.tsv", "mmbench_dev_cn.tsv"),
        ("mmt-bench", "MMT-Bench_VAL.parquet", "MMT-Bench_VAL_MI.parquet"),
        ("mme-realworld", "MME-RealWorld.parquet", "MME-RealWorld-CN.parquet"),
        ("mme-realworld", "MME-RealWorld.parquet", "MME-RealWorld_lite.parquet"),
    ],
)
def test_translations_and_parts_are_passed_over(tmp_path: Path, mapping: str, plain_name: str, other: str) -> None:
    for name in (plain_name, other):
        (tmp_path / name).write_bytes(b"")
    assert [path.name for path in QuestionSource("x", open_mapping(mapping), tmp_path).files()] == [plain_name]
    with pytest.raises(InputError, match="is another version of"):
        QuestionSource("x", open_mapping(mapping), tmp_path / other).files()


def test_a_missing_shard_is_named(tmp_path: Path) -> None:
    for number in (0, 2):
        table = pl.DataFrame({"id": [number], "q": ["?"], "a": ["1"]})
        table.write_parquet(tmp_path / f"val-{number:05d}-of-00003.parquet")
    said = r"2 of 3 shards are read, val-00001-of-00003.parquet is not; fetch the others"
    with pytest.raises(InputError, match=said):
        take(tmp_path, tmp_path / "pool")
    with pytest.raises(InputError, match="1 of 3 shards is read"):
        take(tmp_path / "val-00000-of-00003.parquet", tmp_path / "pool")
