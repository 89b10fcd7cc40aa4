import shutil
from pathlib import Path

import pytest

from reviewing import serving, settings_of
from tolman.item_table import read_items, write_items
from tolman.review.projects.study_projects import start_named
from tolman.review.studies.form_sampling import foresee


@pytest.mark.parametrize(
    ("scenes", "sample", "told"),
    [
        (4, "people = 3", ["The questions are of 4 scenes: figures get an interval from 6 scenes on."]),
        (8, "people = 4\neach = 8\noverlap = 2", ["answered by more people than the overlap of 2, as there are too few: object_counting by up to 4."]),
        (8, "people = 4\neach = 8", []),
        (8, "people = 4\neach = 4\noverlap = 2", []),
    ],
)  # fmt: skip
def test_what_a_design_lacks_is_told_beforehand(
    benchmark: Path, tmp_path: Path, scenes: int, sample: str, told: list[str]
) -> None:
    (folder := tmp_path / "bench").mkdir()
    shutil.copy(benchmark / "benchmark.json", folder)
    rest = read_items(benchmark / "items.parquet")[0].model_copy(update={"media": ()})
    write_items(
        folder / "items.parquet",
        [rest.model_copy(update={"id": f"q{n}", "scene": f"s{n}", "task": "object_counting"}) for n in range(scenes)],
    )
    file = tmp_path / "study.toml"
    file.write_text(f'title = "P"\n[[parts]]\n[parts.sample]\n{sample}\n')
    with serving(*settings_of(folder, tmp_path / "store", None)) as served:
        started = start_named(served.site, str(file))
        assert len(started.foreseen) == len(told)
        assert all(end in sentence for sentence, end in zip(started.foreseen, told, strict=True))
        assert served.told(foresee, 1) == list(started.foreseen)
        page = served.person("owner", "Olga").get("/studies/1/about").text
        assert all(sentence in page for sentence in told)
