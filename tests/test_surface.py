"""What stands around the package and must agree with it: versions, workflows, what the pages say of installing."""

import re
from collections import Counter
from pathlib import Path

import pytest

import bare
import tolman

yaml = pytest.importorskip("yaml", reason="workflows are YAML")

ROOT = bare.ROOT
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def test_the_version_is_the_same_everywhere() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert bare.PROJECT["version"] == tolman.__version__ == str(citation["version"])
    assert f"## {tolman.__version__} " in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert citation["license"] == bare.PROJECT["license"]
    assert citation["keywords"] == bare.PROJECT["keywords"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=[path.name for path in WORKFLOWS])
def test_workflows_call_what_the_makefile_has(path: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    commands = [step["run"] for job in content["jobs"].values() for step in job["steps"] if "run" in step]
    targets = [target for command in commands for target in re.findall(r"^make ([\w-]+)", command, re.MULTILINE)]
    assert targets
    assert [target for target in targets if not re.search(rf"^{target}:", makefile, re.MULTILINE)] == []


def test_the_tests_run_on_every_python_that_is_supported() -> None:
    content = yaml.safe_load((ROOT / ".github" / "workflows" / "test.yml").read_text(encoding="utf-8"))
    matrix = content["jobs"]["test"]["strategy"]["matrix"]
    assert matrix["python"] == ["3.11", "3.12", "3.13", "3.14"]
    assert f">={matrix['python'][0]}" == bare.PROJECT["requires-python"]
    assert {system.partition("-")[0] for system in matrix["os"]} == {"ubuntu", "macos"}


def test_the_image_installs_what_there_is_on_a_supported_python() -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    (extras,) = re.findall(r"^ARG EXTRAS=(\S+)", text, re.MULTILINE)
    assert set(extras.split(",")) <= set(bare.PROJECT["optional-dependencies"])
    copied = {path for line in re.findall(r"^COPY (?!--)(.+) \S+$", text, re.MULTILINE) for path in line.split()}
    kept = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert copied == {line[1:] for line in kept if line.startswith("!")}
    assert all((ROOT / path).exists() for path in copied)
    assert set(re.findall(r"^FROM python:(3\.\d+)-slim", text, re.MULTILINE)) <= {"3.11", "3.12", "3.13", "3.14"}
    assert text.rfind("USER tolman") < text.rfind("ENTRYPOINT")


def test_what_has_not_been_run_says_so() -> None:
    for path in WORKFLOWS:
        assert "has not been run yet" in path.read_text(encoding="utf-8")


def test_as_long_as_there_is_no_release_the_readme_installs_from_the_checkout() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "pip install '.[" in text
    assert "pip install tolman" not in text
    assert "pip install 'tolman" not in text


def test_the_core_has_no_plotting_library() -> None:
    names = {re.split(r"[\[<>=]", line)[0] for line in bare.PROJECT["dependencies"]}
    assert "matplotlib" not in names
    assert any(line.startswith("matplotlib") for line in bare.PROJECT["optional-dependencies"]["analyze"])


def test_dev_has_every_extra_but_the_large_ones() -> None:
    extras = bare.PROJECT["optional-dependencies"]
    own = set(bare.lines_of("dev"))
    assert {extra for extra in extras if not own.issuperset(bare.lines_of(extra))} == {
        "all",
        "cluster",
        "docs",
        "local",
    }
    assert set(bare.lines_of("all")) == {
        line for extra in extras if extra not in ("dev", "docs") for line in bare.lines_of(extra)
    }


def test_no_package_stands_in_two_extras() -> None:
    extras = bare.PROJECT["optional-dependencies"]
    names = Counter(re.split(r"[\[<>=;]", line)[0] for lines in extras.values() for line in lines)
    del names["tolman"]
    assert [name for name, count in names.items() if count > 1] == []
    assert len(extras) <= 11
