"""Settings of `tolman reproduce`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tolman.features.config import Setting, StorePlace

_MODEL, _STORES = "The model", "Stores"


@dataclass(frozen=True, kw_only=True)
class ReproduceConfig:
    """Which published result is run again, and where its weights answer."""

    name: Annotated[
        str | None, Setting("Target: a name, or a TOML file. Default: all are listed.", positional=True)
    ] = None
    dry_run: Annotated[bool, Setting("Print what would be asked, and of what, and ask nothing.")] = False
    base_url: Annotated[
        str | None, Setting("Base URL of the endpoint that serves the weights. Default: none.", panel=_MODEL)
    ] = None
    model: Annotated[
        str | None,
        Setting("FAMILY/NAME that answers, such as hf/NAME. Default: openai/ and the weights' name.", panel=_MODEL),
    ] = None
    serve: Annotated[
        str | None,
        Setting("Start a server for the runs, as 'tolman run --serve' does: vllm:NAME. Default: none.", panel=_MODEL),
    ] = None
    label: Annotated[str | None, Setting("Name for the weights, as of 'tolman run'. Default: none.", panel=_MODEL)] = (
        None
    )
    recipe: Annotated[
        str | None, Setting("Recipe in place of the target's: a name or a TOML file. Default: its own.", panel=_MODEL)
    ] = None
    concurrency: Annotated[
        int | None, Setting("Most requests in flight, from 1. Default: 32.", panel=_MODEL, least=1)
    ] = None
    timeout: Annotated[float, Setting("Seconds for one call, from 0.1.", panel=_MODEL, least=0.1)] = 600.0
    wait: Annotated[
        str | None,
        Setting("Time that an endpoint which is loading is waited for: 90s, 20m, 2h. Default: 0.", panel=_MODEL),
    ] = None
    data: Annotated[Path | None, Setting("Folder with the released data. Default: the Hugging Face hub.")] = None
    media: Annotated[Path | None, Setting("Folder of the videos. Default: the data's.")] = None
    out: Annotated[Path | None, Setting("Folder of the runs. Default: runs/reproduce/NAME.", writes="runs")] = None
    limit: Annotated[
        int | None, Setting("Most items, from 1, to try it out: no verdict then. Default: all.", least=1)
    ] = None
    store: StorePlace = None
    frame_store: Annotated[
        Path | None, Setting("Folder of decoded frames. Default: in the user's cache.", panel=_STORES)
    ] = None
