"""Frames of Polars that are made of Python's values, or read from text, have a schema.

Without one Polars looks at the first 100 rows: what comes later is cut to their types (2.5 becomes 2), or ends in an
error.
"""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "tolman"
SCHEMAS = frozenset({"schema", "infer_schema_length"})
NEEDED = {
    **dict.fromkeys(("DataFrame", "LazyFrame", "from_dicts", "from_records", "from_dict"), SCHEMAS),
    **dict.fromkeys(("read_csv", "scan_csv", "read_ndjson", "scan_ndjson", "read_json"), SCHEMAS | {"infer_schema"}),
    "Series": frozenset({"dtype"}),
}
METHODS = dict.fromkeys(("replace_strict", "map_elements", "map_batches"), frozenset({"return_dtype"}))


def untyped(source: str) -> list[int]:
    """The lines of calls that let Polars guess types from some rows."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        is_polars = isinstance(node.func.value, ast.Name) and node.func.value.id in ("pl", "polars")
        needed = NEEDED.get(node.func.attr) if is_polars else METHODS.get(node.func.attr)
        given = {one.arg for one in node.keywords}
        if needed and (node.args or given) and not given & needed:
            found.append(node.lineno)
    return found


@pytest.mark.parametrize(
    "call",
    [
        "pl.DataFrame(rows)",
        "pl.DataFrame({'a': [1, 2.5]})",
        "pl.from_dicts(rows)",
        "pl.read_csv(path)",
        "pl.scan_ndjson(path)",
        "pl.Series('a', values)",
        "pl.col('a').replace_strict(names)",
    ],
)
def test_a_guess_is_found(call: str) -> None:
    assert untyped(call) == [1]


@pytest.mark.parametrize(
    "call",
    [
        "pl.DataFrame()",
        "pl.DataFrame(rows, schema=schema, orient='row')",
        "pl.from_dicts(rows, infer_schema_length=None)",
        "pl.read_csv(path, infer_schema=False)",
        "pd.DataFrame(rows)",
        "pl.read_parquet(path)",
    ],
)
def test_a_type_that_is_stated_is_none(call: str) -> None:
    assert untyped(call) == []


def test_the_package_lets_polars_guess_nowhere() -> None:
    found = {
        f"{path.relative_to(PACKAGE)}:{line}"
        for path in sorted(PACKAGE.rglob("*.py"))
        if "polars" in (text := path.read_text(encoding="utf-8"))
        for line in untyped(text)
    }
    assert not found


def test_polars_is_called_pl() -> None:
    for path in {*PACKAGE.rglob("*.py")} - {PACKAGE / "extras.py"}:  # which gives it the name
        text = path.read_text(encoding="utf-8")
        assert "from polars import" not in text, path
        for node in ast.walk(ast.parse(text if "polars" in text else "")):
            if isinstance(node, ast.Import):
                assert all(one.asname == "pl" for one in node.names if one.name == "polars"), path
