"""Keys: the one table of what the keyboard does, which pages show on `?` and tests read.

Keys of the table are punctuation, arrows and combinations. Letters and digits choose: they stand on the page itself, on
the element that they press (`data-key`), so that no key of the table can be an option's letter as well.
"""

from __future__ import annotations

import json
import string
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache

CHOICE_KEYS = string.digits[1:] + string.digits[0] + string.ascii_lowercase
"""Keys that choose, in the order in which a page without letters of its own gives them out."""


@dataclass(frozen=True)
class PageKey:
    """A key that does one thing wherever it does anything.

    Attributes:
        key: as `keys.js` names it: KeyboardEvent.key, 'Space' for the space bar, after Ctrl+ (on a Mac Command) and,
            where the key writes no character, Shift+.
        shown: the same for people; keys that are pressed together joined by '+'.
        act: name of what it does, by which scripts and buttons (`data-act`) know it.
        does: the same for people.
        needs: CSS selector of what a page must show for the key to do anything; '' for every page.
    """

    key: str
    shown: str
    act: str
    does: str
    needs: str = ""


_VIDEO = ".stage video"
_STAGE = ".stage"
_MANY = ".media.many"
_RADIO = "form[data-ask] input[type=radio], main:has(.media) input[type=radio]"
TABLE: tuple[PageKey, ...] = (
    PageKey("?", "?", "keys", "show or hide these keys"),
    PageKey("Enter", "Enter", "submit", "submit", "form[data-ask]"),
    PageKey("Ctrl+z", "Ctrl+Z", "undo", "take the last answer back", "[data-undo]"),
    PageKey("ArrowUp", "↑", "option-before", "go to the option before", _RADIO),
    PageKey("ArrowDown", "↓", "option-after", "go to the next option", _RADIO),
    PageKey("Space", "Space", "play", "play or pause; on a button or a free option, press it", _VIDEO),
    PageKey("ArrowLeft", "←", "second-back", "one second back", _VIDEO),
    PageKey("ArrowRight", "→", "second-on", "one second on", _VIDEO),
    PageKey(",", ",", "frame-back", "one frame back", _VIDEO),
    PageKey(".", ".", "frame-on", "one frame on", _VIDEO),
    PageKey("<", "<", "slower", "play slower", _VIDEO),
    PageKey(">", ">", "faster", "play faster", _VIDEO),
    PageKey(";", ";", "moment", "add the moment that the video shows to the key frames", "form[data-ask] #frames"),
    PageKey("+", "+", "zoom-in", "enlarge the picture", _STAGE),
    PageKey("-", "-", "zoom-out", "make the picture smaller", _STAGE),
    PageKey("=", "=", "zoom-whole", "show the whole picture", _STAGE),
    PageKey("Shift+ArrowLeft", "Shift+←", "pan-left", "show more of the enlarged picture's left", _STAGE),
    PageKey("Shift+ArrowRight", "Shift+→", "pan-right", "show more of its right", _STAGE),
    PageKey("Shift+ArrowUp", "Shift+↑", "pan-up", "show more of its top", _STAGE),
    PageKey("Shift+ArrowDown", "Shift+↓", "pan-down", "show more of its bottom", _STAGE),
    PageKey("(", "(", "picture-before", "go to the picture before", _MANY),
    PageKey(")", ")", "picture-after", "go to the next picture", _MANY),
    PageKey("/", "/", "blink", "blink between two pictures, and show the other one", _MANY),
)


@cache
def table_json() -> str:
    """The table for a page's attribute."""
    return json.dumps([asdict(row) for row in TABLE], ensure_ascii=False)


def choice_keys() -> Iterator[str]:
    """Give out the keys that choose, one after the other; '' where there are none left."""
    yield from CHOICE_KEYS
    while True:
        yield ""
