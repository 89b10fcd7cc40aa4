"""Finding out what is asked before it is asked: answers belong to the weights that gave them, wherever they are served.

The identity of an endpoint's model is the user's label, else what the endpoint says that it serves, else its name where
that tells the weights by itself (at the family's own endpoint; a hub's id; a path). Where none of these is known, the
address stands for it, as in earlier versions.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from tolman.errors import EndpointError, UsageError
from tolman.models.base import Model
from tolman.models.credentials import without_password
from tolman.models.durations import in_words
from tolman.models.identity import Looking, Served
from tolman.runs.breaker import LOOK_SECONDS
from tolman.runs.limits import Limits
from tolman.runs.store import AnswerStore
from tolman.runs.watcher import Watcher

LONGEST_STEP = 10.0
"""Seconds between two looks at an endpoint that isn't up."""


@runtime_checkable
class AtAddresses(Protocol):
    """A model behind addresses; `models.endpoint.EndpointModel` says what its attributes are."""

    name: str
    urls: tuple[str, ...]
    label: str | None
    origin: str | None
    names_itself: bool
    looks: tuple[Looking, ...]
    settings: Mapping[str, Any]


@dataclass(frozen=True)
class Identity:
    """What was found out about a model.

    Attributes:
        older: settings that earlier answers of the same weights may be kept under.
        record: for run.json: addresses, weights and server; empty for a model at no address.
    """

    older: tuple[Mapping[str, Any], ...] = ()
    record: Mapping[str, Any] = field(default_factory=dict)


def begin(model: Model) -> None:
    """Start to look at what a model's addresses serve, where that isn't known yet; `identify` waits for it."""
    if isinstance(model, AtAddresses):
        for look in model.looks:
            look.begin()


async def identify(
    model: Model,
    store: AnswerStore | None,
    limits: Limits,
    watcher: Watcher,
    *,
    recorded: Sequence[str] = (),
    served_before: Mapping[str, str] | None = None,
) -> Identity:
    """Find out what a model's addresses serve, and keep its answers under that: `model.settings` says it from now on.

    Args:
        model: any; nothing becomes of those that are at no address.
        store: of responses, which remembers what was served where, and under which label.
        limits: how long an endpoint that isn't up is waited for.
        watcher: who is told.
        recorded: addresses at which an earlier start of the same run asked for answers that were kept under them.
        served_before: address → what an earlier start of the same run was told there.

    Raises:
        EndpointError: it was waited for, and didn't come.
        UsageError: the addresses serve different weights, or the label stands for others.
    """
    if not isinstance(model, AtAddresses):
        return Identity()
    found = [await asyncio.to_thread(look.result) for look in model.looks]
    if found and limits.wait_seconds and not any(one.reached for one in found):
        found = await _wait(model, limits, watcher)
    addresses = [without_password(url) for url in model.urls]
    told = {address: one.weights for address, one in zip(addresses, found, strict=False) if one.weights}
    weights = _one_of(told, model)
    if weights is None:
        known = (_recall(store, model, address) or (served_before or {}).get(address) for address in addresses)
        weights = next((one for one in known if one), None) if not all(one.reached for one in found) else None
    elif store is not None:
        for address, served in told.items():
            store.remember(model.name, f"served at {address}", served, replace=True)
    body = {name: value for name, value in model.settings.items() if name == "body"}
    by_address = {"base_url": model.urls[0]} | body
    if model.label is not None:
        _check_label(store, model, model.label, weights)
        identity: Mapping[str, Any] = {"label": model.label} | body
    elif weights is not None and weights != model.name.partition("/")[2]:
        identity = {"served": weights} | body
    elif weights is not None or model.names_itself:
        identity = body
    elif model.origin is not None:  # its port is another each time
        identity = {"served": model.origin} | body
    else:
        identity = by_address
        if not found or any(one.reached for one in found):
            watcher.noted(
                f"{addresses[0]} doesn't say which weights it serves, so answers are kept for this address; with "
                "--label NAME they are found from other addresses too."
            )
    # Who gives a label says that what was asked under the address alone is something else, but in the run's own folder.
    earlier = model.urls if store is not None and store.is_older and model.label is None else ()
    urls = dict.fromkeys([*earlier, *recorded])
    older = tuple({"base_url": url} | body for url in urls)
    model.settings = identity
    servers = sorted({one.server for one in found if one.server})
    record = {"addresses": addresses, "weights": weights, "server": ", ".join(servers) or None}
    return Identity(
        older=tuple(one for one in older if one != identity),
        record={name: value for name, value in record.items() if value},
    )


def is_by_address(settings: Mapping[str, Any]) -> bool:
    """Whether answers with these settings of a model were kept under its address."""
    return "base_url" in settings and "label" not in settings


async def _wait(model: AtAddresses, limits: Limits, watcher: Watcher) -> list[Served]:
    """Look until something is up."""
    began, looks = time.monotonic(), 0
    where = ", ".join(without_password(url) for url in model.urls)
    watcher.noted(f"{where} isn't up yet. It is waited for, {in_words(limits.wait_seconds)} at most.")
    while True:
        looks += 1
        pause = min(LONGEST_STEP, limits.base_delay * 2.0**looks)
        if time.monotonic() - began + pause > limits.wait_seconds:
            waited = in_words(time.monotonic() - began)
            raise EndpointError(
                f"{where} didn't come up in {waited} (--wait); is the server running? Nothing was sent."
            )
        until = time.monotonic() + pause
        while (left := until - time.monotonic()) > 0:
            if why := watcher.gone():
                raise EndpointError(why)
            await asyncio.sleep(min(left, LOOK_SECONDS))
        found = [await asyncio.to_thread(look.again) for look in model.looks]
        if any(one.reached for one in found):
            watcher.noted(f"{where} is up after {in_words(time.monotonic() - began)}.")
            return found


def _one_of(told: Mapping[str, str | None], model: AtAddresses) -> str | None:
    """The weights that all addresses name."""
    first: tuple[str, str | None] | None = None
    for address, weights in told.items():
        if first is None:
            first = address, weights
        elif weights != first[1]:
            raise UsageError(
                f"{first[0]} serves {first[1]} as {model.name.partition('/')[2]}, and {address} serves {weights}; "
                "addresses of one run must serve the same."
            )
    return first[1] if first else None


def _check_label(store: AnswerStore | None, model: AtAddresses, label: str, weights: str | None) -> None:
    """Make sure that a label stands for one thing."""
    if store is None or weights is None:
        return
    stood = store.remember(model.name, f"label {label}", weights)
    if stood != weights:
        raise UsageError(
            f"--label {label} stands for {stood}, and {without_password(model.urls[0])} serves {weights}; give that "
            f"another label, or forget the answers of {model.name} with 'tolman store prune'."
        )


def _recall(store: AnswerStore | None, model: AtAddresses, address: str) -> str | None:
    return store.recall(model.name, f"served at {address}") if store is not None else None
