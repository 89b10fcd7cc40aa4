"""Models by name: 'family/name', a module for each family.

`baseline/random` is made by `create` in `tolman.models.baseline`. Other packages add families through the entry
point group `tolman.models`, each naming a `create` function.
"""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module

from tolman.errors import UsageError, unknown
from tolman.models.code import mark_created
from tolman.models.model import Model, ModelOptions, check_address
from tolman.registry import Registry

_REGISTRY = Registry("model family", __name__, "create", "tolman.models")
families = _REGISTRY.names


def check_name(model: str, base_url: str | None = None) -> None:
    """Refuse a name that isn't FAMILY/NAME of a known family, and addresses without a scheme.

    Raises:
        UsageError: the name or an address is refused.
    """
    family, _, name = model.partition("/")
    if family not in families() or not name:
        raise unknown("model", model, [f"{one}/NAME" for one in families()])
    for url in ModelOptions(base_url=base_url).urls:
        check_address(url)


def create(name: str, options: ModelOptions) -> Model:
    """The model of a name such as 'baseline/random'.

    Raises:
        UsageError: there is no such family, or the family knows no such model; several addresses for a family that
            takes one.
    """
    family, _, rest = name.partition("/")
    maker = _REGISTRY.get(family)
    if not rest:
        known: tuple[str, ...] = getattr(import_module(maker.__module__), "MODELS", ())
        there = f", NAME being {', '.join(known[:-1])} or {known[-1]}" if len(known) > 1 else ""
        raise UsageError(f"'{name}' names a family but no model; write {family}/NAME{there}.")
    if len(options.urls) < 2:
        model: Model = maker(rest, options)
        return mark_created(_in_batches(model) if options.batch else model, maker)
    if options.batch:
        raise UsageError("--batch takes one address: batches are left at one provider.")
    from tolman.models.endpoint import EndpointModel
    from tolman.models.servers import Fleet

    replicas = [maker(rest, replace(options, base_url=url)) for url in options.urls]
    if not all(isinstance(one, EndpointModel) for one in replicas):
        raise UsageError(f"--base-url takes several addresses for openai/, gemini/ and anthropic/NAME, not for {name}.")
    return Fleet(replicas)


def _in_batches(model: Model) -> Model:
    """The model, asked through its provider's batch interface.

    Raises:
        UsageError: it has none.
    """
    from tolman.models.batching import Batching, BatchModel

    if not isinstance(model, Batching):
        raise UsageError(f"--batch is for models of the families openai and anthropic, not for {model.name}.")
    return BatchModel(model)
