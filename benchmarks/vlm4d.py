"""Score VLM4D's released outputs without a judge, and compare with the figures that its authors state.

    python benchmarks/vlm4d.py [--repository FOLDER] [--only TEXT] [--out FOLDER]

The outputs are those of ShijieZhou-UCLA/VLM4D at 23f2680, `processed_outputs_paper_results`: 23 models that think step
by step and 22 that answer directly. The repository is cloned into a temporary folder, unless `--repository` names a
clone. The authors graded each response with two model judges and checked the grades by hand. Their figure is the share
of responses graded right, by their `acc_final_statistics.py`. Ours is `careful`, without a call.

Prints a Markdown table. `--out` writes the responses that the two read otherwise, as JSON lines.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tolman import benchmarks
from tolman.items import Item
from tolman.responses import Response
from tolman.scoring.aggregate import cells
from tolman.scoring.further_figures import unread_by_figure
from tolman.scoring.score_items import score

REPOSITORY = "https://github.com/ShijieZhou-UCLA/VLM4D"
COMMIT = "23f2680"
OUTPUTS = "processed_outputs_paper_results"
PROMPTS = ("cot", "direct-output")
PARTS = ("real", "synthetic")
NEAR, FAR = 0.5, 1.5
"""Points: sets within the first agree, and none may differ by more than the second without a mark."""


@dataclass(frozen=True)
class Compared:
    """One set of outputs.

    Attributes:
        name, prompt: which.
        stated: accuracy by the authors' grades, in percent.
        careful: ours.
        unread: percent of the responses in which `careful` reads no answer.
        marked: whether a table marks our figure with †.
        otherwise: rows that the two score differently.
    """

    name: str
    prompt: str
    stated: float
    careful: float
    unread: float
    marked: bool
    otherwise: tuple[dict[str, Any], ...]

    @property
    def difference(self) -> float:
        """Ours less the authors', in points."""
        return self.careful - self.stated


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--repository", type=Path, help="a clone, bare or not; default: cloned from GitHub")
    parser.add_argument("--only", default="", help="text in the names of the sets that are scored; default: all")
    parser.add_argument("--out", type=Path, help="folder for the responses that are read otherwise")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as place:
        repository = given.repository or cloned(Path(place) / "repository")
        found = list(compared(repository, Path(place), given.only))
    print(table(found))
    if given.out:
        given.out.mkdir(parents=True, exist_ok=True)
        for one in found:
            rows = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in one.otherwise)
            (given.out / f"{one.prompt}-{one.name}.jsonl").write_text(rows, encoding="utf-8")
    lost = [one for one in found if abs(one.difference) > FAR and not one.marked]
    sys.exit(f"{len(lost)} sets differ by more than {FAR} points and bear no mark" if lost else 0)


def cloned(place: Path) -> Path:
    """Clone the repository without its pictures."""
    subprocess.run(["git", "clone", "--quiet", "--bare", "--filter=blob:none", REPOSITORY, str(place)], check=True)
    return place


def shown(repository: Path, path: str) -> bytes:
    """A file of the commit."""
    command = ["git", "-C", str(repository), "show", f"{COMMIT}:{path}"]
    return subprocess.run(command, check=True, capture_output=True).stdout


def names_in(repository: Path, folder: str) -> list[str]:
    """The names of the JSON files in a folder of the commit."""
    command = ["git", "-C", str(repository), "ls-tree", "--name-only", f"{COMMIT}:{folder}"]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return [name for name in listed if name.endswith(".json")]


def compared(repository: Path, place: Path, only: str) -> Iterator[Compared]:
    """Score every set that has both parts and that text in its name."""
    data = place / "data"
    data.mkdir()
    for part in PARTS:
        (data / f"{part}_mc.json").write_bytes(shown(repository, f"data/{part}_mc.json"))
    items = benchmarks.get("vlm4d").load(data, "full")
    for prompt in PROMPTS:
        folders = [f"{OUTPUTS}/{part}_mc_{prompt}" for part in PARTS]
        for name in sorted(set.intersection(*(set(names_in(repository, folder)) for folder in folders))):
            if only not in name:
                continue
            rows = {
                f"{part}_mc/{row['id']}": row
                for part, folder in zip(PARTS, folders, strict=True)
                for row in json.loads(shown(repository, f"{folder}/{name}"))
            }
            yield compare(name.removesuffix(".json"), prompt, items, rows)


def compare(name: str, prompt: str, items: Sequence[Item], texts: Mapping[str, dict[str, Any]]) -> Compared:
    """Score one set.

    Args:
        name, prompt: of the set.
        items: the 1,816 questions.
        texts: item's id → the authors' row: response, extracted answer and grade.
    """
    spec = benchmarks.get("vlm4d")
    asked = [item for item in items if item.id in texts]
    if len(asked) != len(texts):
        raise SystemExit(f"{name}, {prompt}: {len(texts)} rows, of which {len(asked)} are of the questions")
    said = [Response(id=item.id, response=texts[item.id]["response"] or "") for item in asked]
    scores = score(asked, said, [spec.rule_set("careful")])
    found = cells(scores, spec.table_of("careful"))["overall"].value
    unread = unread_by_figure(scores, spec.table_of("careful"))["overall"]
    graded = {key: bool(row["correct"]) for key, row in texts.items()}
    otherwise = [
        {"id": item.id, "question": item.question, "options": item.options, "answer": item.answer,
         "response": texts[item.id]["response"], "careful": row["reading"], "rule": row["rule"], "note": row["note"],
         "authors": texts[item.id]["extracted_answer"], "graded": graded[item.id]}
        for item, row in zip(asked, scores.iter_rows(named=True), strict=True)
        if bool(row["score"]) != graded[item.id]
    ]  # fmt: skip
    stated = 100 * sum(graded.values()) / len(graded)
    return Compared(name, prompt, stated, found or 0.0, unread.share, unread.is_marked, tuple(otherwise))


def table(found: Sequence[Compared]) -> str:
    """The sets, the farthest first, and how many agree."""
    lines = ["| outputs | prompt | stated | careful | difference | unread, % | scored otherwise |", f"|{'---|' * 7}"]
    for one in sorted(found, key=lambda one: -abs(one.difference)):
        mark = "†" if one.marked else ""
        lines.append(
            f"| {one.name} | {one.prompt} | {one.stated:.2f} | {one.careful:.2f}{mark} | {one.difference:+.2f} | "
            f"{one.unread:.1f} | {len(one.otherwise)} |"
        )
    near = sum(abs(one.difference) <= NEAR for one in found)
    far = sum(abs(one.difference) > FAR and not one.marked for one in found)
    return "\n".join([
        *lines, "", f"{near} of {len(found)} sets within {NEAR} points; {far} off by more than {FAR} without a mark.",
    ])  # fmt: skip


if __name__ == "__main__":
    main()
