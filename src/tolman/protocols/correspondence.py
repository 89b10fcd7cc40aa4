"""Visual correspondence: images side by side in one picture, with lines between points that show the same place.

Source: MMSI-Bench paper, section 4.3, Appendix E.2 and Figures 8 to 11. There PATS, a learned matcher, finds the
points; here SIFT with MAGSAC++ does by default, and learned matchers plug in (`tolman.matchers`). The control is
`joined`.
"""

from __future__ import annotations

from collections.abc import Sequence

from tolman.benchmarks.base import BenchmarkSpec, PromptPreset
from tolman.items import Item
from tolman.media import matchers
from tolman.protocols.base import Modifier, ProtocolOptions
from tolman.protocols.joined import check_images, joined


def _check(benchmark: BenchmarkSpec, items: Sequence[Item], preset: PromptPreset, options: ProtocolOptions) -> None:
    matchers.get(options.matcher)
    check_images("correspondence", items)


PROTOCOL = Modifier(
    "correspondence",
    messages=lambda messages, options: joined(messages, options.matcher),
    uses=("matcher",),
    check=_check,
    summary="images side by side, lines between matching points",
)
