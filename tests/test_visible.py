"""Control characters are shown as escapes; every other text stays as it is."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

import tolman
from tolman.visible import visible, visible_dumps, visible_in, visible_json

HOSTILE = "a\x1b[2J\x1b]0;title\x07b\r c\x9bd\x7f\u202ee\u2066f"
SHOWN = r"a\x1b[2J\x1b]0;title\x07b\x0d c\x9bd\x7f\u202ee\u2066f"
PLAIN = "two lines\n\tor three\r\nÄ 木 ‏שלום‏ 👩‍👩‍👧 \u2028 \\x1b"


def test_control_characters_and_overrides_are_shown() -> None:
    assert visible(HOSTILE) == SHOWN
    assert visible_in({"a": [HOSTILE, 1, (None, HOSTILE)]}) == {"a": [SHOWN, 1, [None, SHOWN]]}


def test_other_texts_stay() -> None:
    assert visible(PLAIN) == PLAIN


def test_json_keeps_its_meaning() -> None:
    text = visible_json(json.dumps(HOSTILE, ensure_ascii=False))
    assert visible(text) == text
    assert json.loads(text) == HOSTILE


@pytest.mark.parametrize(
    "text", [PLAIN, HOSTILE, "\r\n", "\r", "\x7f", "\u202e", "\x1b", r"\boxed{\frac{1}{2}}", "\u2028<é"]
)
def test_json_of_visible_texts_is_that_of_each(text: str) -> None:
    value = {"text": [text, None, 1.5], text: (True, {"inner": text})}
    assert visible_dumps(value) == json.dumps(visible_in(value), ensure_ascii=False, separators=(",", ":"))


def test_the_explorer_shows_texts_as_python_does() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no Node.js")
    script = Path(tolman.__file__).parent / "reports/site/static/view.js"
    code = (
        "globalThis.tolman = {}; require(process.argv[1]); const kept = [];"
        "globalThis.document = { createElement: () => ({ append: (child) => kept.push(child) }) };"
        "for (const text of JSON.parse(process.argv[2])) tolman.el('p', {}, text);"
        "console.log(JSON.stringify(kept));"
    )
    done = subprocess.run(
        [node, "-e", code, str(script), json.dumps([HOSTILE, PLAIN])], capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == [SHOWN, PLAIN]
