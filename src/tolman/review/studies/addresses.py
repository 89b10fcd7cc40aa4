"""Addresses of a study: its link, and its pictures in texts."""

from __future__ import annotations

import hmac
from pathlib import Path

from markupsafe import Markup

from tolman.review.site import Site
from tolman.review.store.schema import Project
from tolman.review.studies.texts import html_of


def html(site: Site, project: Project, text: str) -> Markup:
    """A text of a study, with its pictures where this server has them."""
    kept: dict[str, str] = project.settings["study"].get("pictures", {})
    return html_of(text, {source: f"/study-pictures/{_name(site, project, path)}" for source, path in kept.items()})


def picture(site: Site, project: Project, name: str) -> Path | None:
    """The file of a picture by the name in its address."""
    kept: dict[str, str] = project.settings["study"].get("pictures", {})
    path = next((p for p in kept.values() if hmac.compare_digest(_name(site, project, p), name)), None)
    return None if path is None else site.settings.store / path


def join_path(site: Site, project: int) -> str:
    """The path by which people come to a study without an invitation."""
    return f"/join/{project}/{site.sign('join', project)}"


def is_join(site: Site, project: int, token: str) -> bool:
    """Tell whether a token is the one of a study's link."""
    return hmac.compare_digest(site.sign("join", project).encode(), token.encode())


def _name(site: Site, project: Project, path: str) -> str:
    return f"{project.id}-{site.sign('study picture', project.id, path)}"
