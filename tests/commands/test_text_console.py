"""No text that is printed steers the terminal."""

import io
import json

import pytest
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from tolman.commands.configured import console
from tolman.features.events import Noted
from tolman.features.printing import TextConsole, progress, say, write_json
from tolman.features.report.render import print_wide
from tolman.visible import visible

HOSTILE = "a\x1b[2J\x1b]0;b\x07\x9b1m\u202ec"


@pytest.mark.parametrize("terminal", [False, True])
def test_texts_sentences_and_tables_are_shown(terminal: bool) -> None:
    file = io.StringIO()
    shown = TextConsole(file=file, force_terminal=terminal, color_system=None, width=200)
    grid = Table(title=escape(HOSTILE))
    grid.add_column(escape(HOSTILE))
    grid.add_row(escape(HOSTILE))
    say(shown, HOSTILE)
    shown.print(f"[bold]{escape(HOSTILE)}[/]", Text(HOSTILE))
    shown.print(grid)
    print_wide(shown, grid)
    text = file.getvalue()
    assert visible(text.replace("\x1b[1m", "").replace("\x1b[3m", "").replace("\x1b[0m", "")).count("\n") == text.count(
        "\n"
    )
    assert not set("\x07\x9b\u202e") & set(text)
    assert "\x1b[2J" not in text
    assert "\x1b]" not in text
    assert r"a\x1b[2J\x1b]0;b\x07\x9b1m\u202ec" in text


def test_a_name_between_colons_is_no_emoji() -> None:
    file = io.StringIO()
    shown = TextConsole(file=file)
    say(shown, "m.py:a: 1 failed")
    shown.print("m.py:b: 2 failed")
    assert file.getvalue().split("\n") == ["m.py:a: 1 failed", "m.py:b: 2 failed", ""]


def test_json_in_a_terminal_keeps_its_meaning() -> None:
    file = io.StringIO()
    write_json(TextConsole(file=file), {"said": HOSTILE}, ascii_only=False)
    assert visible(file.getvalue()) == file.getvalue()
    assert json.loads(file.getvalue()) == {"said": HOSTILE}


def test_every_console_of_the_commands_shows_them(capsys: pytest.CaptureFixture[str]) -> None:
    console().print(HOSTILE)
    console(stderr=True).print(HOSTILE)
    with progress() as events:
        events(Noted(HOSTILE))
    captured = capsys.readouterr()
    assert captured.out.count(r"\x1b[2J") == 1
    assert captured.err.count(r"\x1b[2J") == 2
    assert "\x1b[2J" not in captured.out + captured.err
