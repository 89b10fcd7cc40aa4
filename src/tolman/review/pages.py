"""Pages made from templates, and the one table of their keyboard shortcuts.

Pages show the table of keys on `?`, and tests read it. Its keys are punctuation, arrows and combinations. Letters and
digits choose: the page itself shows them, on the element that they press (`data-key`). So no key of the table can be
an option's letter as well.
"""

from __future__ import annotations

import json
import re
import string
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from fastapi.responses import HTMLResponse, RedirectResponse, Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from tolman.errors import counted
from tolman.review.site import Visitor, site_of
from tolman.scoring.agreement_coefficients import Coefficient

CHOICE_KEYS = string.digits[1:] + string.digits[0] + string.ascii_lowercase
"""Keys that choose, in the order in which a page without letters of its own gives them out."""


@dataclass(frozen=True)
class PageKey:
    """A key that does one thing wherever it does anything.

    Attributes:
        key: as `keys.js` names it: KeyboardEvent.key, 'Space' for the space bar, after Ctrl+ (on a Mac Command) and,
            where the key writes no character, Shift+.
        shown: the same for people; keys that are pressed together joined by '+'.
        act: name of its action, by which scripts and buttons (`data-act`) know it.
        does: the same for people.
        needs: CSS selector of an element that a page must show for the key to do anything; '' for every page.
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
KEY_TABLE: tuple[PageKey, ...] = (
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
def key_table_json() -> str:
    """The table for a page's attribute."""
    return json.dumps([asdict(row) for row in KEY_TABLE], ensure_ascii=False)


def choice_keys() -> Iterator[str]:
    """Give out the keys that choose, one after the other; '' where there are none left."""
    yield from CHOICE_KEYS
    while True:
        yield ""


HERE = Path(__file__).parent


@lru_cache(maxsize=1)
def environment() -> Environment:
    """The templates; every value in them is escaped."""
    made = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,  # the package's own files don't change while it runs
    )
    made.globals["key_table"] = key_table_json
    made.globals["choice_keys"] = choice_keys
    made.globals["next"] = next
    made.filters["counted"] = counted
    made.filters["minutes"] = minutes
    made.filters["utc"] = utc
    made.filters["percent"] = lambda share: "–" if share is None else f"{100 * share:.0f} %"
    made.filters["figure"] = lambda value: "–" if value is None else f"{value:.2f}"
    return made


def minutes(seconds: float | None) -> str:
    """A time as people say it."""
    if seconds is None:
        return "–"
    if seconds < 60:
        return f"{seconds:.0f} s"
    if seconds < 3600:
        return f"{int(seconds // 60)} min {int(seconds % 60):02d} s"
    return f"{int(seconds // 3600)} h {int(seconds % 3600 // 60):02d} min"


def utc(seconds: float) -> str:
    """A time as the tables of pages have it, to the minute; its column says that it is UTC."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")


COEFFICIENT = ("value", "95 % interval", "questions")
"""Headings of what `coefficient` gives."""


def coefficient(found: Coefficient) -> tuple[str, str, int]:
    """A coefficient of agreement for a table: value, interval or why there is none, and the number of questions."""
    value = "–" if found.value is None else f"{found.value:.2f}"
    between = found.interval
    interval = f"none: {found.reason}" if between is None else f"{between.low:.2f} to {between.high:.2f}"
    return value, interval, found.n


def page(visitor: Visitor, template: str, /, *, status: int = 200, **content: Any) -> HTMLResponse:
    """Return a whole page. Templates are given `me` (a Person or None), `csrf` and `path` besides the content."""
    shared = {"me": visitor.person, "csrf": visitor.csrf, "path": visitor.request.url.path}
    text = environment().get_template(template).render(**shared, **content)
    prefix = site_of(visitor.request).settings.prefix
    answer = HTMLResponse(_ADDRESS.sub(rf"\1{prefix}/", text) if prefix else text, status_code=status)
    if visitor.is_new:
        set_cookie(visitor, answer, visitor.cookie)
    return answer


_ADDRESS = re.compile(r'(\s(?:href|src|action|formaction|poster|hx-(?:get|post)|data-[a-z-]+)=")/(?!/)')
"""An address of this server in a page. What people wrote holds no quotation mark that isn't escaped."""


def see_other(address: str) -> RedirectResponse:
    """Go and look there: after everything that changed something, so that loading again sends nothing again."""
    return RedirectResponse(address, status_code=303)


def set_cookie(visitor: Visitor, answer: Response, token: str) -> None:
    """Give the browser its cookie: out of reach of scripts, not sent along by other sites' forms."""
    settings = site_of(visitor.request).settings
    secure = visitor.request.url.scheme == "https" or settings.is_secure
    path = settings.prefix or "/"
    answer.set_cookie(settings.cookie, token, httponly=True, samesite="lax", secure=secure, path=path)
