"""The weighted index over a suite: its arithmetic by hand, and from the runs of a suite."""

import io
import json
import math
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from runs.letters import bench, write_letters
from tolman.errors import InputError
from tolman.features.run.config import RunConfig
from tolman.features.run.render import show_suite
from tolman.features.run.suite import SuiteResult, report_suite, run_suite
from tolman.features.run.suite_file import IndexPart, SuiteIndex, index_of, read_suite, weighted_index
from tolman.scoring.intervals import Interval

MODEL = '''
def mostly(messages):
    """Right on questions of a whose number isn't divided by 4, and on a half of those of b."""
    text = str(messages)
    number = int(text.split("Question ")[1].split("?")[0].split()[1])
    wrong = number % 4 == 0 if "Question a" in text else number % 2 == 0
    return "B" if wrong else "A"
'''


def test_weights_are_divided_by_their_sum() -> None:
    index = SuiteIndex(weights={"a": 3, "b": 1})
    assert (index.share("a"), index.share("b")) == (0.75, 0.25)


def test_distances_of_benchmarks_are_added_in_squares_and_those_of_one_plainly() -> None:
    first, second = IndexPart(40, Interval(34, 48)), IndexPart(80, Interval(72, 86))
    found = weighted_index([(0.5, first, "a"), (0.5, second, "b")])
    assert found.value == 60
    assert found.interval is not None
    assert found.interval.low == pytest.approx(60 - math.sqrt(3**2 + 4**2))
    assert found.interval.high == pytest.approx(60 + math.sqrt(4**2 + 3**2))
    same = weighted_index([(0.5, first, "a"), (0.5, second, "a")])
    assert same.interval == Interval(60 - 7, 60 + 7)
    assert weighted_index([(1, first, "a")]).interval == first.interval
    assert weighted_index([(0.5, first, "a"), (0.5, IndexPart(1, None, lacks=True), "b")]) == IndexPart(
        20.5, None, True
    )


def suite(place: Path, index: str, benchmarks: str = '["BELOW/a", "BELOW/b"]') -> Path:
    (place / "m.py").write_text(MODEL)
    for name, count in (("a", 84), ("b", 48)):
        if not (place / name).exists():
            bench(place / name, count)
    path = place / "mine.toml"
    named = benchmarks.replace("BELOW", str(place))
    path.write_text(f'out = "{place}/out"\nbenchmark = {named}\nmodel = "python/{place}/m.py:mostly"\n{index}')
    return path


def carried_out(path: Path, **given: Any) -> tuple[list[RunConfig], SuiteResult]:
    configs = read_suite(path, given)
    return configs, run_suite(configs)


def test_a_suite_has_an_index_of_its_headlines(tmp_path: Path) -> None:
    path = suite(tmp_path, "[index]\nweights = { a = 3, b = 1 }\n")
    configs, result = carried_out(path)
    report = report_suite(result, index=index_of(path, configs))
    assert report.indices is not None
    ((name, found),) = report.indices.models.items()
    assert name.endswith("m.py:mostly")
    assert found.value == pytest.approx(0.75 * 75 + 0.25 * 50)
    assert found.interval is not None
    assert found.interval.low < found.value < found.interval.high
    own = {run.path.parent.name: run.scores.headline for run in result.runs}
    below = [w * (own[key].value - own[key].interval.low) for key, w in (("a", 0.75), ("b", 0.25))]  # type: ignore
    assert found.interval.low == pytest.approx(found.value - math.hypot(*below))
    matrix = report.indices.matrix()
    assert matrix.columns == [("Index", "plain"), ("a", "weight 0.75"), ("b", "weight 0.25")]
    assert "<h2>Index: weighted mean of the headlines" in report.page.read_text(encoding="utf-8")
    adjusted = index_of(suite(tmp_path, '[index]\nweights = { a = 3, b = 1 }\nfigures = "chance-adjusted"\n'), configs)
    ((_, found),) = report_suite(result, index=adjusted).indices.models.items()  # type: ignore[union-attr]
    assert found.value == pytest.approx(0.75 * 50 + 0.25 * 0)  # of two options, chance is 50
    console = Console(file=io.StringIO(), width=200)
    show_suite(console, result, as_json_list=True, index=adjusted)
    record = json.loads(console.file.getvalue())["index"]  # type: ignore[attr-defined]
    assert record["index"] == {"weights": {"a": 3, "b": 1}, "figures": "chance-adjusted"}
    assert record["models"][name]["value"] == pytest.approx(37.5)


def test_chance_is_that_of_the_answered_questions(tmp_path: Path) -> None:
    """Those with four options get no answer, so a right half of the others is no better than guessing."""
    (tmp_path / "m.py").write_text(
        "from tolman.models.model import CallError\nfrom tolman.responses import FailureKind\n\n"
        "def model(messages):\n    text = str(messages)\n"
        "    if 'zebra' in text:\n        raise CallError(FailureKind.FILTERED, 'too long')\n"
        "    return 'AB'[int(text.split('Question ')[1].split('?')[0]) % 4 // 2]\n"
    )
    write_letters(tmp_path / "a", 40, options=lambda i: ("x", "y") if i % 2 else ("x", "y", "z", "zebra"))
    path = tmp_path / "mine.toml"
    path.write_text(
        f'out = "{tmp_path}/out"\nbenchmark = ["{tmp_path}/a"]\nmodel = "python/{tmp_path}/m.py:model"\n'
        '[index]\nweights = { a = 1 }\nfigures = "chance-adjusted"\n'
    )
    configs, result = carried_out(path)
    indices = report_suite(result, index=index_of(path, configs)).indices
    assert indices is not None
    (found,) = indices.models.values()
    assert (found.value, found.lacks) == (pytest.approx(0), True)


def test_a_part_is_marked_and_a_missing_benchmark_leaves_none(tmp_path: Path) -> None:
    path = suite(tmp_path, "[index.weights]\na = 1\nb = 1\n")
    configs, result = carried_out(path, limit=20)
    found = report_suite(result, index=index_of(path, configs)).indices
    assert found is not None
    (cells,) = found.matrix().rows.values()
    assert [cell.interval.partition(" ")[0] for cell in cells if cell] == ["INCOMPLETE"] * 3
    lacking = SuiteResult(result.folder, result.runs[:1], ())
    other = report_suite(lacking, index=index_of(path, configs)).indices
    assert other is not None
    assert other.models == {}
    (warning,) = other.warnings
    assert warning.endswith("has no index: it has no run on b.")


def test_models_with_labels_have_an_index_each(tmp_path: Path) -> None:
    path = suite(tmp_path, "[index.weights]\na = 1\nb = 1\n")
    text = path.read_text()
    whole = next(line for line in text.splitlines() if line.startswith("model"))
    name = whole.partition(" = ")[2]
    models = "".join(f'[[model]]\nmodel = {name}\nlabel = "{label}"\n' for label in ("first", "second"))
    path.write_text(text.replace(whole + "\n", "") + models)
    configs, result = carried_out(path)
    report = report_suite(result, index=index_of(path, configs))
    assert report.indices is not None
    assert report.indices.warnings == []
    assert ["first" in name for name in report.indices.models] == [True, False]
    assert list(report.indices.models) == [name for name in report.matrix.rows if name in report.indices.models]


def test_a_sign_of_a_part_is_the_indexs_too(tmp_path: Path) -> None:
    path = suite(tmp_path, "[index.weights]\na = 1\nb = 1\n")
    mumbling = 'return "Hm." if "Question b" in text and number % 3 == 0 else "B" if wrong else "A"'
    (tmp_path / "m.py").write_text(MODEL.replace('return "B" if wrong else "A"', mumbling))
    configs, result = carried_out(path)
    found = report_suite(result, index=index_of(path, configs)).indices
    assert found is not None
    (cells,) = found.matrix().rows.values()
    assert [cell.value[-1] for cell in cells if cell] == ["†", cells[1].value[-1], "†"]  # type: ignore[union-attr]
    assert cells[1] is not None
    assert cells[1].value[-1].isdigit()


@pytest.mark.parametrize(
    ("index", "sentence"),
    [
        ("[index]\nweights = { a = 1, c = 1 }\n", "weights 'c', which is no benchmark of the suite"),
        ("[index]\nweights = { a = 0 }\n", "line 5.*greater than 0"),
        ("[index]\nweights = {}\n", "line 5"),
        ("[index]\nweight = { a = 1 }\n", "line 5.*'?weight'?.* is not a known key; did you mean 'weights'"),
        ("[index]\nweights = { a = 1 }\nfigures = 'adjusted'\n", "line 6.*can't be 'adjusted'; known: 'plain' or"),
        ("index = 3\n", "line 4"),
    ],
)
def test_a_wrong_index_is_one_sentence_before_anything_is_asked(tmp_path: Path, index: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        read_suite(suite(tmp_path, index))
