"""Tables of the API: Polars frames, and pandas frames on request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tolman.errors import MissingExtraError

if TYPE_CHECKING:
    import polars as pl


def given_as(frame: pl.DataFrame, *, pandas: bool) -> pl.DataFrame | Any:
    """The frame, or a pandas frame of the same content.

    Raises:
        MissingExtraError: pandas is wanted and not installed.
    """
    if not pandas:
        return frame
    try:
        import pandas as pd  # type: ignore[import-untyped,import-not-found,unused-ignore]
    except ImportError:
        raise MissingExtraError("pandas", "pandas", "A pandas frame") from None
    return pd.DataFrame(frame.to_dict(as_series=False))
