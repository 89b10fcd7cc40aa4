"""What is printed on a terminal, and what a page of a report holds."""

import io
import json
from collections.abc import Callable
from typing import Any

from rich.console import Console


def on_console(show: Callable[..., object], *values: object, width: int = 80, **settings: object) -> str:
    """What a function prints on the console that it is given first."""
    file = io.StringIO()
    show(Console(file=file, width=width), *values, **settings)
    return file.getvalue()


def page_data(page: str) -> Any:
    """The items that a page of a report holds for its script."""
    return json.loads(page.split('id="data">')[1].split("</script>")[0])
