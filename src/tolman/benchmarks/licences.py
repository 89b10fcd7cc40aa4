"""Licences of data by the names that programs know: SPDX's, and those of the hub's data cards."""

from __future__ import annotations

import re

SPDX = (
    "CC0-1.0", "CC-BY-3.0", "CC-BY-4.0", "CC-BY-SA-3.0", "CC-BY-SA-4.0", "CC-BY-ND-4.0", "CC-BY-NC-2.0", "CC-BY-NC-3.0",
    "CC-BY-NC-4.0", "CC-BY-NC-ND-4.0", "CC-BY-NC-SA-3.0", "CC-BY-NC-SA-4.0", "Apache-2.0", "MIT", "BSD-2-Clause",
    "BSD-3-Clause", "ODC-By-1.0", "ODbL-1.0", "PDDL-1.0", "GPL-3.0", "CDLA-Permissive-2.0", "CDLA-Sharing-1.0",
)  # fmt: skip
_ON_THE_HUB = {"ODC-By-1.0": "odc-by", "ODbL-1.0": "odbl", "PDDL-1.0": "pddl"}


def spdx_of(licence: str) -> str | None:
    """The SPDX identifier that a text is, as 'CC-BY-4.0' of 'CC BY 4.0 (data card)'; None where it is none, or holds
    for a part only, as 'Apache-2.0 (questions)'."""
    plain = re.sub(r"[\s_]+", "-", re.sub(r"\((?:data card|repository)\)", "", licence).strip()).casefold()
    return next((name for name in SPDX if plain in (name.casefold(), _ON_THE_HUB.get(name))), None)


def licence_url(spdx: str) -> str:
    """The address of a licence's text at SPDX."""
    return f"https://spdx.org/licenses/{spdx}.html"


def card_lines(licence: str) -> str:
    """The lines of a data card's header that name a licence: an identifier that the hub knows, 'other' with its name,
    or 'unknown' where there is none."""
    spdx = spdx_of(licence)
    if spdx is not None:
        return f"license: {_ON_THE_HUB.get(spdx, spdx.casefold())}\n"
    name = licence.strip().replace('"', "'")
    return f'license: other\nlicense_name: "{name}"\n' if name else "license: unknown\n"
