"""Configs: types, bounds and TOML."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pytest
from typer.testing import CliRunner

import tolman
from tolman.cli import app
from tolman.errors import InputError, UsageError
from tolman.features.config import Setting, by_field, fields_of, make, read_plugins, read_tables, to_table, write_config
from tolman.features.generate.config import GenerateConfig
from tolman.features.run.config import RunConfig
from tolman.features.scenes.config import SimulateConfig
from tolman.plugins import load_plugin


@dataclass(frozen=True, kw_only=True)
class Example:
    benchmark: Annotated[str, Setting("Its name.", positional=True)]
    out: Annotated[Path | None, Setting("Folder.")] = None
    seed: Annotated[int, Setting("Seed.", least=0)] = 0
    share: Annotated[float, Setting("Share.", least=0, most=1)] = 0.5
    depth: Annotated[bool, Setting("Write depth.")] = False
    frames: Annotated[tuple[int, ...], Setting("Frames.", least=1)] = ()
    shape: Annotated[str, Setting("Shape.", choices=("room", "street"))] = "room"


def test_fields_know_their_types() -> None:
    found = {one.name: (one.scalar, one.several, one.optional, one.required) for one in fields_of(Example)}
    assert found["benchmark"] == (str, False, False, True)
    assert found["out"] == (Path, False, True, False)
    assert found["frames"] == (int, True, False, False)


def test_values_of_toml_and_of_the_command_line_become_the_same_config() -> None:
    one = make(Example, {"benchmark": "b", "out": "x/y", "frames": "8, 16", "share": 1})
    other = make(Example, {"benchmark": "b", "out": Path("x/y"), "frames": [8, 16], "share": 1.0})
    assert one == other == Example(benchmark="b", out=Path("x/y"), frames=(8, 16), share=1.0)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({}, "x.toml: BENCHMARK is missing; give it, or write 'benchmark' into a --config file."),
        ({"benchmark": "b", "seeds": 1}, "x.toml: there is no setting 'seeds'; did you mean 'seed'?"),
        ({"benchmark": "b", "seed": "one"}, "x.toml: --seed takes a whole number, not 'one'."),
        ({"benchmark": "b", "seed": True}, "x.toml: --seed takes a whole number, not 'True'."),
        ({"benchmark": "b", "seed": -1}, "x.toml: --seed takes at least 0, not -1."),
        ({"benchmark": "b", "share": 2}, "x.toml: --share takes at least 0 and at most 1, not 2.0."),
        ({"benchmark": "b", "share": "nan"}, "x.toml: --share takes a finite number, not nan."),
        ({"benchmark": "b", "share": float("-inf")}, "x.toml: --share takes a finite number, not -inf."),
        ({"benchmark": "b", "depth": "yes"}, "x.toml: --depth takes true or false, not 'yes'."),
        ({"benchmark": "b", "frames": [8, 0]}, "x.toml: --frames takes at least 1, not 0."),
        ({"benchmark": "b", "frames": 8}, "x.toml: --frames takes a list, not 8."),
        ({"benchmark": "b", "shape": "streat"}, "x.toml: --shape can't be 'streat'; did you mean 'street'?"),
    ],
)
def test_wrong_values_are_told_in_a_sentence(values: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError) as error:
        make(Example, values, where="x.toml: ")
    assert str(error.value).startswith(said)


def test_a_written_config_repeats_the_command(tmp_path: Path) -> None:
    config = Example(benchmark="b", out=Path("o"), frames=(8, 16), depth=True)
    path = tmp_path / "made" / "tolman.toml"
    write_config(path, "audit", config)
    (table,) = read_tables(path, "audit")
    assert table == to_table(config) == {"benchmark": "b", "out": "o", "frames": [8, 16], "depth": True}
    assert make(Example, table) == config


def test_several_tables_and_other_commands(tmp_path: Path) -> None:
    path = tmp_path / "suite.toml"
    write_config(path, "run", Example(benchmark="a"), Example(benchmark="b"))
    assert [table["benchmark"] for table in read_tables(path, "run")] == ["a", "b"]
    with pytest.raises(InputError, match=r"has nothing for 'score' but run; write a \[score\] table"):
        read_tables(path, "score")
    (tmp_path / "plain.toml").write_text('benchmark = "a"\n')
    assert read_tables(tmp_path / "plain.toml", "score") == [{"benchmark": "a"}]
    (tmp_path / "broken.toml").write_text("benchmark = \n")
    with pytest.raises(InputError, match="is no TOML"):
        read_tables(tmp_path / "broken.toml", "run")
    (tmp_path / "above.toml").write_text('seed = 5\n[run]\nbenchmark = "a"\n[score]\n')
    with pytest.raises(InputError, match=r"above\.toml: 'seed' is above the tables; write it below \[run\]\."):
        read_tables(tmp_path / "above.toml", "run")


def test_a_setting_has_one_key() -> None:
    path = Path("x.toml")
    assert by_field(path, RunConfig, {"max-tokens": 5, "as": "frames"}) == {"max_tokens": 5, "input_form": "frames"}
    with pytest.raises(InputError, match=r"x\.toml: 'max-tokens' and 'max_tokens' are one setting; leave one out\."):
        by_field(path, RunConfig, {"max-tokens": 5, "max_tokens": 7})


def test_plugins_stand_above_the_tables_and_are_written_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tolman.plugins._loaded", {})
    Path("mine.py").write_text("x = 1\n")
    load_plugin("mine.py")
    write_config(Path("tolman.toml"), "audit", Example(benchmark="b"))
    assert read_plugins(Path("tolman.toml")) == ["mine.py"]
    assert read_tables(Path("tolman.toml"), "audit") == [{"benchmark": "b"}]
    Path("plain.toml").write_text('plugins = ["mine.py"]\nbenchmark = "b"\n')
    assert read_tables(Path("plain.toml"), "audit") == [{"benchmark": "b"}]
    Path("wrong.toml").write_text('plugins = "mine.py"\n')
    with pytest.raises(InputError, match=r"field 'plugins': is no list of files"):
        read_plugins(Path("wrong.toml"))


EMPTY = [
    ("run ./b --model baseline/random --ids", "--ids"),
    ("run ./b --model baseline/random --tasks", "--tasks"),
    ("run ./b --model baseline/random --frames", "--frames"),
    ("run ./b --model baseline/random --subset", "--subset"),
    ("run ./b --model baseline/random --out", "--out"),
    ("run ./b --model baseline/random --data", "--data"),
    ("generate scenes --out new --families", "--families"),
    ("audit ./b --learners", "--learners"),
]


@pytest.mark.parametrize(("line", "option"), EMPTY)
def test_an_empty_setting_is_refused_and_never_means_everything(line: str, option: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=rf"{option} (is empty|names nothing)"):
        CliRunner().invoke(app, [*line.split(), ""], catch_exceptions=False)


@pytest.mark.parametrize("given", [{"ids": []}, {"ids": [""]}, {"ids": " , "}, {"tasks": ()}, {"limit": 0}])
def test_an_empty_selection_in_python_asks_nothing(given: dict[str, Any], tmp_path: Path) -> None:
    asked: list[Any] = []
    place = tolman.load([{"id": "q", "task": "t", "kind": "text", "question": "?", "answer": "a"}]).save(tmp_path / "b")
    with pytest.raises(UsageError, match=r"names nothing|at least 1"):
        tolman.evaluate(place, asked.append, out=tmp_path / "r", **given)
    with pytest.raises(UsageError, match="no item is left"):
        tolman.evaluate(place, asked.append, out=tmp_path / "r", exclude="q")
    with pytest.raises(UsageError, match="RUNS names nothing"):
        tolman.report([])
    assert not asked
    assert not (tmp_path / "r").exists()


def test_an_empty_exclusion_leaves_nothing_out() -> None:
    assert make(RunConfig, {"benchmark": "b", "model": "m", "exclude": []}).exclude == ()


@pytest.mark.parametrize("config", [SimulateConfig, GenerateConfig])
def test_an_older_switch_means_the_opposite(config: Any) -> None:
    needed = {"out": "o"} if config is SimulateConfig else {"out": "o", "scenes": "s"}
    assert make(config, needed).media
    assert not make(config, {**needed, "no_media": True}).media
    assert make(config, {**needed, "no_media": True, "media": True}).media
    help_text = CliRunner().invoke(app, [config.__name__.removesuffix("Config").lower(), "--help"]).output
    assert "--no-media" in help_text
    assert "--no-no-media" not in help_text


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    file = tmp_path / "c.toml"
    file.write_text("\ufeff[run]\nbenchmark = 'b'\n", encoding="utf-8")
    assert read_tables(file, "run") == [{"benchmark": "b"}]
    card = tolman.load([{"id": "q", "task": "t", "kind": "text", "question": "?", "answer": "a"}]).save(tmp_path / "b")
    text = (card / "benchmark.json").read_text(encoding="utf-8")
    (card / "benchmark.json").write_text(f"\ufeff{text}", encoding="utf-8")
    assert len(tolman.load(card)) == 1


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothere: there is no such folder"):
        tolman.load(tmp_path / "nothere")
