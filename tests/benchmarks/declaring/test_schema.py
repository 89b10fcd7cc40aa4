"""Mistakes in the data file of a benchmark, each told in one sentence."""

from pathlib import Path

import pytest

from tolman import benchmarks
from tolman.benchmarks.declaring import declared_benchmark
from tolman.errors import InputError
from tolman.plugins import load_plugin

FILE = """
title = "Mine"
files = ["mine.jsonl"]

[columns]
question = "q"
answer = "a"

[options]
from = "o"

[prompts.plain]
source = "here"
text = "{question}\\n{options}"

[scorers.official]
reader = "easi"
"""


def made(place: Path, text: str) -> Path:
    (place / "mine.toml").write_text(text)
    return place / "mine.toml"


def test_a_file_that_is_based_on_another_says_only_what_differs(tmp_path: Path) -> None:
    more = 'based_on = "blink"\ntitle = "Blinks"\n[subsets.own]\nabout = "our own"\n'
    found, blink = declared_benchmark(str(made(tmp_path, more))), benchmarks.get("blink")
    assert (found.name, found.title, list(found.subsets)) == ("mine", "Blinks", ["own"])
    assert (found.table, found.presets, found.hub) == (blink.table, blink.presets, blink.hub)
    with pytest.raises(InputError, match=r"mine.toml, line 1, field 'based_on': names no other .* mean 'blink'"):
        declared_benchmark(str(made(tmp_path, more.replace("blink", "blnk"))))


def test_a_short_file_is_a_benchmark(tmp_path: Path) -> None:
    benchmark = declared_benchmark(str(made(tmp_path, FILE)))
    assert (benchmark.name, benchmark.title, benchmark.table.headline) == ("mine", "Mine", "overall")
    assert [rules.name for rules in benchmark.rule_sets] == ["official", "careful"]
    assert list(benchmark.subsets) == ["all"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("question =", "questoin =", r"mine.toml, line 6, field 'columns.questoin': is not a known key; did you mean 'question'"),
        ('files = ["mine.jsonl"]', "", "field 'files': is missing"),
        ('from = "o"', 'from = "o"\nform = "rows"', "line 11.*can't be 'rows'; known: 'list', 'mapping'"),
        ('from = "o"', 'form = "lines"', "options as lines are in a column; name it with 'from'"),
        ('reader = "easi"', 'reader = "eazi"', "there is no reader 'eazi'; did you mean 'easi'"),
        ('reader = "easi"', 'reader = "easi"\nmetric = "acuracy"', "there is no metric 'acuracy'; did you mean 'accuracy'"),
        ('reader = "easi"', 'reader = "easi"\nmetric = "relative-error"', "can't score by the metric 'relative-error'"),
        ("{options}", "{option}", r"the prompt 'plain' has the placeholder \{option\}; did you mean 'options'"),
        ("[scorers", 'scorers = ["offical"]\n[scorers', "has the scorer 'offical'"),
        ('source = "here"', 'text2 = "x"', "'prompts.plain.text2': is not a known key; did you mean 'text'"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_sentence(tmp_path: Path, old: str, new: str, said: str) -> None:
    path = made(tmp_path, FILE.replace(old, new))
    with pytest.raises(InputError, match=said):
        declared_benchmark(str(path))


COLUMNS = """
[table]
headline = "all"
[[table.columns]]
key = "all"
title = "All"
mean_of = ["{of}"]
"""


@pytest.mark.parametrize(("of", "said"), [("all", "is a mean of itself"), ("al", "no column 'al'; did you mean 'all'")])
def test_a_mean_of_nothing_is_refused(tmp_path: Path, of: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        declared_benchmark(str(made(tmp_path, FILE + COLUMNS.replace("{of}", of))))


def test_a_file_is_a_plugin_and_goes_before_one_of_the_same_name(tmp_path: Path) -> None:
    load_plugin(made(tmp_path, FILE))
    assert "mine" in benchmarks.names()
    assert benchmarks.get("mine").title == "Mine"
    (tmp_path / "blink.toml").write_text(FILE)
    load_plugin(tmp_path / "blink.toml")
    assert benchmarks.get("blink").title == "Mine"
    with pytest.raises(
        InputError, match=r"is no plugin; give a Python file, such as my_family.py, or a benchmark's .toml"
    ):
        load_plugin(tmp_path / "mine.yaml")


def test_a_file_named_in_the_environment_finds_the_readers_of_another_plugin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own.py").write_text(
        "from tolman.scoring.readers import Reader\nfrom tolman.scoring.answer_values import ParsedAnswer\n"
        "READER = Reader('own', 'Own', 'here', lambda item, text, seed: ParsedAnswer(text[-1:]))\n"
    )
    made(tmp_path, FILE.replace('"easi"', '"own"'))
    monkeypatch.setenv("TOLMAN_PLUGINS", f"{tmp_path / 'own.py'}:{tmp_path / 'mine.toml'}")
    assert benchmarks.get("mine").rule_set("official").read


def test_a_subset_has_question_and_media_files_of_its_own_on_the_hub(tmp_path: Path) -> None:
    subsets = (
        '[subsets.all]\nabout = "all"\nfiles = ["all.jsonl"]\n[subsets.tiny]\nabout = "a part"\nfiles = ["t.jsonl"]\n'
    )
    hub = '[hub]\nrepository = "us/mine"\nmedia = ["*.zip"]\nmedia_of = { tiny = ["test.zip"] }\n'
    found = declared_benchmark(str(made(tmp_path, FILE + subsets + hub))).hub
    assert found is not None
    assert found.questions_of == {"all": ("all.jsonl",), "tiny": ("t.jsonl",)}
    assert found.media_of == {"tiny": ("test.zip",)}
    packed = hub + 'files = ["data.zip"]\nquestions_of = { tiny = ["tiny.zip"] }\n'
    found = declared_benchmark(str(made(tmp_path, FILE + subsets + packed))).hub
    assert found is not None
    assert (found.patterns, found.questions_of) == (("data.zip",), {"tiny": ("tiny.zip",)})
    with pytest.raises(InputError, match=r"\[hub\] names the subset 'tny'; did you mean 'tiny'"):
        declared_benchmark(str(made(tmp_path, FILE + subsets + packed.replace("tiny =", "tny ="))))
