"""The item kind of the page `docs/extend/scoring.md`, as a file of a reader's."""

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "extend" / "scoring.md"
WORDS = Path(__file__).with_name("words.py")
"""A plugin with the item kind `words`."""


def write_kind(place: Path, name: str = "yes-no") -> Path:
    """Write the page's plugin into a folder; under another name it takes the place of none of Tolman's own."""
    (source,) = re.findall(r"```python\n(# yes_no\.py\n.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    file = place / "yes_no.py"
    file.write_text(source.replace("yes-no", name), encoding="utf-8")
    return file
