"""Making pages from templates."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from tolman.review.access import Visitor
from tolman.review.keys import choice_keys, table_json
from tolman.review.site import site_of
from tolman.scoring.coefficients import Coefficient

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
    made.globals["key_table"] = table_json
    made.globals["choice_keys"] = choice_keys
    made.globals["next"] = next
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


def page(request: Request, visitor: Visitor, template: str, /, *, status: int = 200, **content: Any) -> HTMLResponse:
    """A whole page. Templates are given `me` (a Person or None) and `csrf` beside the content."""
    text = (
        environment()
        .get_template(template)
        .render(me=visitor.person, csrf=visitor.csrf, path=request.url.path, **content)
    )
    prefix = site_of(request).settings.prefix
    answer = HTMLResponse(_ADDRESS.sub(rf"\1{prefix}/", text) if prefix else text, status_code=status)
    if visitor.is_new:
        set_cookie(request, answer, visitor.cookie)
    return answer


_ADDRESS = re.compile(r'(\s(?:href|src|action|formaction|poster|hx-(?:get|post)|data-[a-z-]+)=")/(?!/)')
"""An address of this server in a page. What people wrote holds no quotation mark that isn't escaped."""


def see_other(address: str) -> RedirectResponse:
    """Go and look there: after everything that changed something, so that loading again sends nothing again."""
    return RedirectResponse(address, status_code=303)


def set_cookie(request: Request, answer: Response, token: str) -> None:
    """Give the browser its cookie: out of reach of scripts, not sent along by other sites' forms."""
    settings = site_of(request).settings
    secure = request.url.scheme == "https" or settings.is_secure
    path = settings.prefix or "/"
    answer.set_cookie(settings.cookie, token, httponly=True, samesite="lax", secure=secure, path=path)
