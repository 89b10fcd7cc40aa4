"""Shelves of TOML files: what is wrong in one is a sentence with its line and the nearest key that there is."""

from pathlib import Path
from typing import Literal

import pytest
from pydantic import BaseModel, ConfigDict

from tolman.errors import InputError, UsageError
from tolman.toml_catalogue import TomlCatalogue, checked, read_table


class Drawer(BaseModel):
    model_config = ConfigDict(extra="forbid")

    colour: Literal["red", "blue"] = "red"
    depth: float = 1.0


class Chest(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str
    title: str
    drawers: tuple[Drawer, ...] = ()
    by_room: dict[str, Drawer] = {}


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TomlCatalogue[Chest]:
    """Two chests in a package of their own."""
    folder = tmp_path / "shelf_of_a_test" / "chests"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").write_text("")
    (folder / "oak.toml").write_text('title = "Oak"\n')
    (folder / "pine.toml").write_text('title = "Pine"\n[[drawers]]\ncolour = "blue"\n')
    (folder / "notes.txt").write_text("no chest")
    monkeypatch.syspath_prepend(tmp_path)
    return TomlCatalogue("chest", Chest, "shelf_of_a_test", "chests", named=True)


def test_those_of_the_package_go_by_name_and_a_users_by_path(shelf: TomlCatalogue[Chest], tmp_path: Path) -> None:
    assert shelf.names == ("oak", "pine")
    assert shelf.open("pine").drawers[0].colour == "blue"
    assert shelf.open("oak") is shelf.open("oak")
    (tmp_path / "mine.toml").write_text('title = "Mine"\n')
    assert shelf.open(str(tmp_path / "mine.toml")).name == "mine"
    with pytest.raises(
        UsageError, match=r"no chest 'pin'; did you mean 'pine'\? known: oak, pine, or the path of a \.toml"
    ):
        shelf.open("pin")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('tittle = "x"\n', r"mine\.toml, line 1, field 'tittle': is not a known key; did you mean 'title'\? known: title, dr"),
        ('title = "x"\n[[drawers]]\n[[drawers]]\ncolor = 1\n', r"line 4, field 'drawers\.1\.color': .* 'colour'\? known: colour, depth"),
        ('title = "x"\n[by_room.hall]\ncolor = 1\n', r"line 3, field 'by_room\.hall\.color': .* did you mean 'colour'"),
        ('title = "x"\n[[drawers]]\ncolour = "green"\n', r"line 3, field 'drawers\.0\.colour': can't be 'green'; known: 'red'"),
        ('title = "x"\n[[drawers]]\ndepth = "deep"\n', r"line 3, field 'drawers\.0\.depth': Input should be a valid number"),
        ("[[drawers]]\n", r"mine\.toml, field 'title': is missing"),
        ('name = "x"\ntitle = "x"\n', r"line 1, field 'name': is not a known key: a chest's name is its file's"),
        ("title = \n", r"mine\.toml: is no TOML"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_sentence(shelf: TomlCatalogue[Chest], tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=sentence):
        shelf.open(str(path))


def test_a_file_that_can_not_be_read_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.toml: can't be read \(No such file"):
        read_table(tmp_path / "none.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match=r"bytes\.toml: can't be read"):
        read_table(tmp_path / "bytes.toml")
    assert checked(Drawer, tmp_path, "", {"depth": 2}).depth == 2
