"""Identifying models before they are asked: answers belong to the weights that gave them, wherever they are served.

The identity of an endpoint's model is the user's label, else the weights that the endpoint reports, else its name. The
name counts where it identifies the weights by itself (at the family's own endpoint; a hub's id; a path). If none of
these is known, the address is used, as in earlier versions.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tolman.errors import EndpointError, UsageError, nearest
from tolman.models.identity import AtAddresses, Served, without_password
from tolman.models.model import Model
from tolman.models.pacing import in_words
from tolman.runs.flow_control import Limits, Watcher
from tolman.runs.response_store import AnswerStore

NAMES_SHOWN = 5
"""Names of a list of models that a warning shows, at most."""
LONGEST_STEP = 10.0
"""Seconds between two looks at an endpoint that isn't up."""


@dataclass(frozen=True)
class Identity:
    """The identity found for a model.

    Attributes:
        older: settings that earlier answers of the same weights may be kept under.
        record: for run.json: addresses, weights and server; empty for a model at no address.
        label: the user's, and the weights that it names from the first answer on; None where there is none.
    """

    older: tuple[Mapping[str, Any], ...] = ()
    record: Mapping[str, Any] = field(default_factory=dict)
    label: tuple[str, str] | None = None


def begin(model: Model) -> None:
    """Start to look up the weights at a model's addresses, where they aren't known yet; `identify` waits for it."""
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
    """Find out which weights a model's addresses serve, and keep its answers under them, in `model.settings`.

    Args:
        model: any; those at no address are unchanged.
        store: of responses, which remembers the weights served at each address, and their label.
        limits: how long an endpoint that isn't up is waited for.
        watcher: is notified.
        recorded: addresses at which an earlier start of the same run asked for answers that were kept under them.
        served_before: address → weights reported there to an earlier start of the same run.

    Raises:
        EndpointError: it was waited for, and didn't come.
        UsageError: the addresses serve different weights, or the label names others.
    """
    if not isinstance(model, AtAddresses):
        return Identity()
    found = [await look.result() for look in model.looks]
    if found and limits.wait_seconds and not any(one.reached for one in found):
        found = await _wait(model, limits, watcher)
    addresses = [without_password(url) for url in model.urls]
    _warn_of_name(model, addresses, found, watcher)
    weights = _find_weights(model, store, addresses, found, served_before or {})
    body = {name: value for name, value in model.settings.items() if name == "body"}
    if model.label is not None:
        _check_label(store, model, model.label, weights)
    own = _own_identity(model, weights)
    if own is None:
        _warn_of_address(addresses[0], found, watcher)
    identity: Mapping[str, Any] = ({"base_url": model.urls[0]} if own is None else own) | body
    model.settings = identity
    return Identity(
        older=tuple(one for one in _older_settings(model, store, recorded, body) if one != identity),
        record=_record_of(addresses, weights, found),
        label=None if model.label is None or weights is None else (model.label, weights),
    )


def _find_weights(
    model: AtAddresses,
    store: AnswerStore | None,
    addresses: Sequence[str],
    found: Sequence[Served],
    served_before: Mapping[str, str],
) -> str | None:
    """The weights that the addresses serve, remembered for later; those of an earlier time where one isn't reached.

    Raises:
        UsageError: the addresses serve different weights.
    """
    told = {address: one.weights for address, one in zip(addresses, found, strict=False) if one.weights}
    weights = _one_of(told, model)
    if weights is not None:
        if store is not None:
            for address, served in told.items():
                store.remember(model.name, f"served at {address}", served, replace=True)
        return weights
    if all(one.reached for one in found):
        return None
    kept = {} if store is None else {address: store.recall(model.name, f"served at {address}") for address in addresses}
    return next((one for address in addresses if (one := kept.get(address) or served_before.get(address))), None)


def _own_identity(model: AtAddresses, weights: str | None) -> dict[str, Any] | None:
    """Return the model's identity wherever it is served; None where only its address identifies it."""
    if model.label is not None:
        return {"label": model.label}
    if weights is not None and weights != model.name.partition("/")[2]:
        return {"served": weights}
    if weights is not None or model.names_itself:
        return {}
    if model.origin is not None:  # its port is another each time
        return {"served": model.origin}
    return None


def _older_settings(
    model: AtAddresses, store: AnswerStore | None, recorded: Sequence[str], body: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """The settings with an address that earlier answers of the same weights may be kept under."""
    # A label says that what was asked under the address alone is something else, but in the run's own folder.
    earlier = model.urls if store is not None and store.is_older and model.label is None else ()
    return [{"base_url": url, **body} for url in dict.fromkeys([*earlier, *recorded])]


def _record_of(addresses: Sequence[str], weights: str | None, found: Sequence[Served]) -> dict[str, Any]:
    """Return the endpoint's record for run.json, without unknown values."""
    servers = sorted({one.server for one in found if one.server})
    record = {"addresses": addresses, "weights": weights, "server": ", ".join(servers) or None}
    return {name: value for name, value in record.items() if value}


def _warn_of_name(model: AtAddresses, addresses: Sequence[str], found: Sequence[Served], watcher: Watcher) -> None:
    """Say so where an address lists models and not the one that is asked for; some servers answer to any name."""
    name = model.name.partition("/")[2]
    for address, one in zip(addresses, found, strict=False):
        if one.others:
            near = nearest(name, one.others)
            known = ", ".join(near or one.others[:NAMES_SHOWN])
            more = len(one.others) - NAMES_SHOWN
            rest = f" and {more:,} more" if not near and more > 0 else ""
            meant = f"did you mean {known}?" if near else f"it lists {known}{rest}."
            watcher.noted(f"{address} doesn't list the model '{name}'; {meant}")
            return


def _warn_of_address(address: str, found: Sequence[Served], watcher: Watcher) -> None:
    """Say that answers are kept for an address, unless nothing was reached there."""
    if not found or any(one.reached for one in found):
        watcher.noted(
            f"{address} doesn't say which weights it serves, so answers are kept for this address; with "
            "--label NAME they are found from other addresses too."
        )


def is_by_address(settings: Mapping[str, Any]) -> bool:
    """Check whether answers with these settings of a model were kept under its address."""
    return "base_url" in settings and "label" not in settings


async def _wait(model: AtAddresses, limits: Limits, watcher: Watcher) -> list[Served]:
    """Look until something is up."""
    began, looks = time.monotonic(), 0
    where = ", ".join(without_password(url) for url in model.urls)
    watcher.noted(f"{where} isn't up yet. Waiting for it, {in_words(limits.wait_seconds)} at most.")
    while True:
        looks += 1
        pause = min(LONGEST_STEP, limits.base_delay * 2.0**looks)
        if time.monotonic() - began + pause > limits.wait_seconds:
            waited = in_words(time.monotonic() - began)
            raise EndpointError(
                f"{where} didn't come up in {waited} (--wait); is the server running? Nothing was sent."
            )
        await watcher.sleep(pause)
        found = [await look.again() for look in model.looks]
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
    """Check that a label names one thing only."""
    if store is None or weights is None:
        return
    stood = store.recall(model.name, f"label {label}")
    if stood not in (None, weights):
        raise _two_meanings(model, label, str(stood), weights)


def keep_label(store: AnswerStore, model: Model, label: str, weights: str) -> None:
    """Assign a label to weights that gave an answer.

    Raises:
        UsageError: another run gave it to others meanwhile.
    """
    stood = store.remember(model.name, f"label {label}", weights)
    if stood != weights and isinstance(model, AtAddresses):
        raise _two_meanings(model, label, stood, weights)


def _two_meanings(model: AtAddresses, label: str, stood: str, weights: str) -> UsageError:
    return UsageError(
        f"--label {label} stands for {stood}, and {without_password(model.urls[0])} serves {weights}; give that "
        f"another label, or forget the answers of {model.name} with 'tolman store prune'."
    )
