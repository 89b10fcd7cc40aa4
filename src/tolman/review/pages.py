"""Making pages from templates."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from tolman.review.access import COOKIE, Visitor
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
    )
    made.filters["minutes"] = minutes
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
    answer = HTMLResponse(text, status_code=status)
    if visitor.is_new:
        set_cookie(request, answer, visitor.cookie)
    return answer


def see_other(address: str) -> RedirectResponse:
    """Go and look there: after everything that changed something, so that loading again sends nothing again."""
    return RedirectResponse(address, status_code=303)


def set_cookie(request: Request, answer: Response, token: str) -> None:
    """Give the browser its cookie: out of reach of scripts, not sent along by other sites' forms."""
    base = site_of(request).settings.base_url or ""
    secure = request.url.scheme == "https" or base.startswith("https://")
    answer.set_cookie(COOKIE, token, httponly=True, samesite="lax", secure=secure, path="/")
