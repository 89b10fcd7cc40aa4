"""Checks of this machine, one for each kind of thing, with advice on repairs."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from http.client import HTTPException
from pathlib import Path
from typing import Any, Literal

from tolman.errors import MissingExtraError, NoDisplayError, TolmanError, counted, hint
from tolman.extras import COLLECTIONS, declared, lacking, needs
from tolman.features.catalogue.config import DoctorConfig
from tolman.features.catalogue.package_checks import ProbeError, attempt
from tolman.features.events import Advanced, Began, Ended, Events, silent
from tolman.media.frame_store import default_root
from tolman.models import anthropic, gemini, openai
from tolman.models.endpoint import address, error_text
from tolman.models.identity import split_password, without_password
from tolman.models.model import ModelOptions
from tolman.runs.response_store import is_url, usual_place

State = Literal["works", "missing", "fails"]


@dataclass(frozen=True)
class Check:
    """One thing that was looked at.

    Attributes:
        group: the kind of thing: extra, rendering, video, key, endpoint, database, folder.
        name: which.
        state: 'missing' where it isn't there, 'fails' where it is and doesn't work.
        found: the finding; never a key or a password.
        advice: what to do, as an imperative; empty where nothing is to be done.
        asked: whether the config asks for it.
    """

    group: str
    name: str
    state: State
    found: str
    advice: str = ""
    asked: bool = False


@dataclass(frozen=True)
class DoctorResult:
    """All that was looked at, in a fixed order."""

    checks: tuple[Check, ...]

    @property
    def failed(self) -> list[Check]:
        """Return the checks that the config asks for and that failed."""
        return [check for check in self.checks if check.asked and check.state != "works"]


def diagnose(config: DoctorConfig, events: Events = silent) -> DoctorResult:
    """Look at extras, rendering, videos, keys, stores, and the endpoints and databases of the config.

    Nothing is sent anywhere but to those endpoints and databases.
    """
    looks = list(_looks(config))
    found = []
    events(Began("trying out what is installed", len(looks)))
    with ThreadPoolExecutor(max_workers=min(4, os.cpu_count() or 1)) as pool:
        for check in pool.map(lambda look: look(), looks):
            found.append(check)
            events(Advanced())
    events(Ended())
    return DoctorResult(tuple(found))


def _looks(config: DoctorConfig) -> Iterator[Callable[[], Check]]:
    extras = [extra for extra in declared() if extra not in COLLECTIONS]
    for extra in extras:
        yield partial(check_extra, extra, asked=extra in config.extra)
    for extra in config.extra:
        if extra not in extras:
            advice = f"choose another: {hint(extra, extras)}"
            yield partial(Check, "extra", extra, "missing", "there is no such extra", advice, asked=True)
    for probe in PROBES:
        yield partial(check_probe, probe, asked=probe.extra in config.extra)
    for purpose, variables in keys().items():
        yield partial(check_key, purpose, variables)
    yield from (partial(check_endpoint, url) for url in config.base_url)
    yield from (partial(check_database, url) for url in config.database)
    store, frames = config.store, config.frame_store
    place = store or usual_place()
    if is_url(place):
        yield partial(check_database, str(place))
    for name, folder, option, named in (
        *(() if is_url(place) else (("response store", Path(place).parent, "--store or TOLMAN_STORE", store),)),
        ("frame store", frames or default_root(), "--frame-store or TOLMAN_CACHE", frames),
    ):
        yield partial(check_folder, name, folder, option, asked=named is not None)


ENDPOINT_SECONDS = 10.0
"""How long an endpoint or a database may take to answer."""

MIN_FREE_BYTES = 2 * 1000**3
"""Free space below which a store is likely to run full: frames of VSI-Bench's videos take about as much."""

MAX_NAMED_MODELS = 20
"""Models of an endpoint that are named."""


def keys() -> dict[str, tuple[str, ...]]:
    """Return environment variables by their purpose."""
    own = {module.__name__.rpartition(".")[2]: module.KEYS for module in (openai, anthropic, gemini)}
    return {**own, "the Hugging Face hub": ("HF_TOKEN",)}


@dataclass(frozen=True)
class Probe:
    """One of `probes.PROBES`, with its needs.

    Attributes:
        name: of the probe.
        what: works where it succeeds.
        extra: that it needs.
        advice: what to do where it fails.
    """

    name: str
    what: str
    extra: str
    advice: str


PROBES = (
    Probe("rendering", "EGL", "worlds", f"{NoDisplayError.FIX}; 'tolman simulate' needs it"),
    Probe(
        "video",
        "H.264",
        "media",
        "pip install --force-reinstall av, whose wheels from PyPI bring an FFmpeg with H.264",
    ),
)


def check_extra(extra: str, *, asked: bool = False) -> Check:
    """Check whether an extra's packages are installed and can be imported."""
    install = f"pip install 'tolman[{extra}]'"
    if absent := lacking(extra):
        return Check("extra", extra, "missing", f"not installed: {', '.join(absent)}", install, asked)
    try:
        return Check("extra", extra, "works", attempt("import", extra), asked=asked)
    except ProbeError as error:
        return Check("extra", extra, "fails", str(error), f"{install} into a new environment", asked)


def check_probe(probe: Probe, *, asked: bool = False) -> Check:
    """Check whether a feature of an extra works."""
    check = partial(Check, probe.name, probe.what, asked=asked)
    if absent := lacking(probe.extra):
        return check("missing", f"not installed: {', '.join(absent)}", f"pip install 'tolman[{probe.extra}]'")
    try:
        return check("works", attempt(probe.name))
    except ProbeError as error:
        return check("fails", str(error), probe.advice)


def check_key(purpose: str, variables: Sequence[str]) -> Check:
    """Check whether a key is set in the environment; its value is not looked at."""
    found = next((name for name in variables if os.environ.get(name)), None)
    if found is not None:
        return Check("key", purpose, "works", f"{found} is set")
    return Check(
        "key", purpose, "missing", f"{' or '.join(variables)} is not set", f"export {variables[0]}=… to use it"
    )


def check_endpoint(base_url: str) -> Check:
    """Check whether an endpoint that speaks OpenAI's chat completions answers, and which models it lists."""
    check = partial(Check, "endpoint", without_password(base_url), asked=True)
    try:
        url = address(ModelOptions(base_url=base_url), "OPENAI_BASE_URL", openai.DEFAULT_URL)
    except TolmanError as error:
        return check("fails", str(error), "write http://HOST:PORT/v1")
    key = next((os.environ[name] for name in openai.KEYS if os.environ.get(name)), None)
    address_only, basic = split_password(url)
    allowed = f"Bearer {key}" if key else basic
    try:
        headers = {"Authorization": allowed} if allowed else {}
        request = urllib.request.Request(f"{address_only}/models", headers=headers)
        with _OPENER.open(request, timeout=ENDPOINT_SECONDS) as reply:
            content = _read(reply)
    except urllib.error.HTTPError as error:
        said = f"answers /models with status {error.code}: {error_text(error.read())}"
        said = said.replace(key, "…") if key else said
        return check("fails", said, _STATUS_ADVICE.get(error.code, "see what its server writes into its log"))
    except (OSError, ValueError, HTTPException) as error:
        reason = getattr(error, "reason", error)
        return check("fails", f"can't be reached: {reason}", "start the server, or correct the address")
    try:
        models = [str(entry["id"]) for entry in json.loads(content)["data"]]
    except (ValueError, KeyError, TypeError):
        return check("fails", "answers, but lists no models under /models", _STATUS_ADVICE[404])
    if not models:
        return check("fails", "serves no model", "load one into it")
    more = f" and {len(models) - MAX_NAMED_MODELS:,} more" if len(models) > MAX_NAMED_MODELS else ""
    return check("works", f"serves {', '.join(models[:MAX_NAMED_MODELS])}{more}")


def _read(reply: Any) -> bytes:
    """A reply's content.

    Raises:
        TimeoutError: it takes too long as a whole.
    """
    content, until = b"", time.monotonic() + ENDPOINT_SECONDS
    while part := reply.read1():
        content += part
        if time.monotonic() > until:
            raise TimeoutError(f"its reply takes longer than {ENDPOINT_SECONDS:g} s")
    return content


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Redirects are answers: the key goes to no other address than the one that was named."""

    def redirect_request(self, *_: Any) -> None:
        return None


_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirects())
"""Like the calls of a run, it takes no proxy from the environment."""
_STATUS_ADVICE = {
    401: "set the endpoint's key in OPENAI_API_KEY",
    403: "set a key in OPENAI_API_KEY that may list models",
    404: "correct the address, which usually ends with /v1",
}


def check_database(url: str) -> Check:
    """Check whether a database answers, and whether it holds the tables of `tolman review`; nothing in it is
    changed."""
    try:
        with needs("review", "A database"):
            import sqlalchemy
            from sqlalchemy.engine import make_url
        try:
            parsed = make_url(url)
        except sqlalchemy.exc.ArgumentError:
            advice = "write postgresql://USER:PASSWORD@HOST/NAME or sqlite:///FILE"
            return Check("database", "the URL given", "fails", "is no URL of a database", advice, asked=True)
        shown, backend = parsed.render_as_string(hide_password=True), parsed.get_backend_name()
        arguments: dict[str, Any] = {}
        if backend == "postgresql":
            with needs("review", "PostgreSQL"):
                import psycopg  # noqa: F401
            parsed, arguments = parsed.set(drivername="postgresql+psycopg"), {"connect_timeout": int(ENDPOINT_SECONDS)}
        elif backend != "sqlite":
            return Check("database", shown, "fails", f"is of {backend}", "use PostgreSQL or SQLite", asked=True)
        elif not parsed.database or not Path(parsed.database).is_file():
            return Check("database", shown, "missing", "there is no such file", "'tolman review' makes it", asked=True)
        engine = sqlalchemy.create_engine(parsed, connect_args=arguments)
        try:
            with engine.connect() as connection:
                version = ".".join(str(part) for part in connection.dialect.server_version_info or ())
                tables = sqlalchemy.inspect(connection).get_table_names()
        except sqlalchemy.exc.DBAPIError as error:
            said = (str(error.orig).strip().splitlines() or ["no reason is given"])[0]
            return Check("database", shown, "fails", said, "start its server, or correct the URL", asked=True)
        finally:
            engine.dispose()
    except MissingExtraError as error:
        return Check("database", "the URL given", "missing", str(error), "install it", asked=True)
    held = (
        f"{counted(len(tables), 'table')} of a review" if "alembic_version" in tables else "no tables of a review yet"
    )
    return Check("database", shown, "works", f"{_BACKENDS[backend]} {version}, {held}", asked=True)


_BACKENDS = {"postgresql": "PostgreSQL", "sqlite": "SQLite"}


def check_folder(name: str, folder: Path, option: str, *, asked: bool = False) -> Check:
    """Check whether a file can be written into a folder, or into the nearest one above it that exists; nothing is left
    there.

    Args:
        name: of the store that is in it.
        folder: the store's.
        option: how another folder is chosen.
        asked: whether it was named.
    """
    there = next(place for place in (folder.absolute(), *folder.absolute().parents) if place.exists())
    try:
        with tempfile.TemporaryFile(dir=there):
            pass
    except OSError as error:
        reason = f"{there} can't be written into: {error.strerror or error}"
        return Check("folder", name, "fails", reason, f"choose another folder by {option}", asked)
    free = shutil.disk_usage(there).free
    found = f"{folder}, {free / 1000**3:.1f} GB free"
    if free < MIN_FREE_BYTES:
        advice = f"free {MIN_FREE_BYTES / 1000**3:g} GB, or choose another folder by {option}"
        return Check("folder", name, "fails", found, advice, asked)
    return Check("folder", name, "works", found, asked=asked)
