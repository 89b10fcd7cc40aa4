"""USER:PASSWORD@ in addresses."""

from __future__ import annotations

import re
from base64 import b64encode
from urllib.parse import unquote, urlsplit


def without_password(url: str) -> str:
    """An address that may be shown."""
    return re.sub(r"//[^/@]*@", "//…@", url)


def split_password(url: str) -> tuple[str, str]:
    """An address without USER:PASSWORD@, and these as a header of basic authentication; empty where there are none."""
    parts = urlsplit(url)
    user, _, host = parts.netloc.rpartition("@")
    basic = f"Basic {b64encode(unquote(user).encode()).decode()}" if user else ""
    return parts._replace(netloc=host).geturl(), basic
