"""Tables of figures as papers print them."""

from pathlib import Path

import pytest

from tolman.errors import InputError
from tolman.features.analyses.config import CorrelationConfig
from tolman.features.analyses.model_analyses import FigureCell, analyze_correlation, correlated_columns, read_figure


def table(folder: Path, *rows: str) -> Path:
    path = folder / "models.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12.3", 12.3), ("0.268 ± 0.241", 0.268), ("0.268±0.241", 0.268), ("0.268 +/- 0.241", 0.268), ("5 +- 1", 5),
        ("1,234", 1234), ("1,234.5", 1234.5), ("45.2%", 45.2), ("45.2 %", 45.2), ("45.2 ± 1.3 %", 45.2),
        ("45.2†", 45.2), ("**45.2**", 45.2), ("45.2²", 45.2), ("−0.94", -0.94), ("1e-3", 0.001), (7, 7), (".5", 0.5),
    ],
)  # fmt: skip
def test_a_figure_is_read_as_papers_print_it(text: object, value: float) -> None:
    found = read_figure(text)
    assert isinstance(found, FigureCell)
    assert found.value == pytest.approx(value)


@pytest.mark.parametrize("text", ["", None, "-", "–", "—", "n/a", "N/A", "nan"])
def test_an_empty_cell_is_no_figure(text: object) -> None:
    assert read_figure(text) is None


@pytest.mark.parametrize("text", ["12,3", "1,23,4", "inf", "about 5", "1 234", "5 ±", "3–5", "."])
def test_other_text_is_not_guessed_at(text: str) -> None:
    assert read_figure(text) == text


def test_means_are_read_and_their_errors_named(tmp_path: Path) -> None:
    path = table(
        tmp_path, "model,CAA,L2 Dist", "a,20,0.9 ± 0.2", "b,30,0.7 ± 0.1", "c,40,0.268 ± 0.241", "d,50,–", "e,60,0.1",
    )  # fmt: skip
    config = CorrelationConfig(table=path, score="CAA", against=("L2 Dist",), lower_is_better=("L2 Dist",))
    assert [round(x, 3) for x in correlated_columns(config).figures["L2 Dist"][:3]] == [-0.9, -0.7, -0.268]
    found = analyze_correlation(config)
    assert found.correlations["L2 Dist"].n == 4
    assert found.marks == ["L2 Dist: the errors after ± of 3 figures are not used."]
    assert (found.correlations["L2 Dist"].pearson or 0) > 0.9


def test_a_column_that_is_asked_for_says_which_cell_is_wrong(tmp_path: Path) -> None:
    path = table(tmp_path, "model,CAA,L2 Dist", "a,20,near", "b,30,far")
    with pytest.raises(InputError, match=r"row 2.*'near' is no number") as raised:
        correlated_columns(CorrelationConfig(table=path, score="CAA", against=("L2 Dist",)))
    assert "L2 Dist" in str(raised.value)
    words = table(tmp_path, "model,CAA,B,C", "a,2,1,x", "b,3,2,y")
    assert correlated_columns(CorrelationConfig(table=words, score="CAA")).others == ["B"]


def test_percent_signs_on_some_figures_only_are_refused(tmp_path: Path) -> None:
    path = table(tmp_path, "model,CAA,B", "a,20,45%", "b,30,0.5")
    with pytest.raises(InputError, match=r"'B'.*has a percent sign behind 1 of 2 figures"):
        correlated_columns(CorrelationConfig(table=path, score="CAA"))
