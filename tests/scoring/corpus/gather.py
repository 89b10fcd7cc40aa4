"""Collects the texts of `real_*.jsonl` from clones of the repositories that published them.

    python tests/scoring/corpus/gather.py FOLDER [--layout '{owner}/{name}'] [--out tests/scoring/corpus/texts]

The corpus names each real output by its repository, commit and place, and by the SHA-256 of its text; the texts stay
where their authors published them, under their licences. FOLDER holds a clone of each repository; `--layout` says where
in it, `{owner}` and `{name}` standing for the repository's. A repository that isn't there is named and left out.
"""

import argparse
import hashlib
import importlib.util
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from types import ModuleType

from clones import Clone, Output

HERE = Path(__file__).resolve().parent
PARTS = ("test", "development")


def sources() -> Iterator[ModuleType]:
    """The modules that know how a repository stores its outputs."""
    for path in sorted((HERE / "sources").glob("*.py")):
        spec = importlib.util.spec_from_file_location(f"corpus_source_{path.stem}", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        yield module


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="holds clones of the repositories")
    parser.add_argument("--layout", default="{owner}/{name}", help="where in it a clone lies (default: %(default)s)")
    parser.add_argument("--out", type=Path, default=HERE / "texts", help="where the texts go (default: %(default)s)")
    options = parser.parse_args()
    pointers = {part: [json.loads(line) for line in (HERE / f"real_{part}.jsonl").open()] for part in PARTS}
    found: dict[tuple[str, str], Output] = {}
    absent = []
    for source in sources():
        owner, name = source.REPOSITORY.split("/")
        clone = options.folder / options.layout.format(owner=owner, name=name)
        if not clone.is_dir():
            absent.append(source.REPOSITORY)
            continue
        wanted = {p["key"]: p["sha256"] for rows in pointers.values() for p in rows if p["source"] == source.REPOSITORY}
        paths = list(dict.fromkeys(key.partition("#")[0] for key in wanted))
        for row in source.rows(Clone(clone, source.COMMIT), paths):
            if row.key in wanted and hashlib.sha256(row.output.encode()).hexdigest() == wanted[row.key]:
                found[source.REPOSITORY, row.key] = row
        print(f"{source.REPOSITORY}: {sum(s == source.REPOSITORY for s, _ in found)} of {len(wanted)}", flush=True)
    options.out.mkdir(parents=True, exist_ok=True)
    for part, rows in pointers.items():
        kept = [{**asdict(found[p["source"], p["key"]]), **p} for p in rows if (p["source"], p["key"]) in found]
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in kept)
        (options.out / f"real_{part}.jsonl").write_text(text, encoding="utf-8")
        print(f"{part}: {len(kept)} of {len(rows)} texts in {options.out}")
    if absent:
        print(f"No clone of {', '.join(absent)} at {options.folder}/{options.layout}.", file=sys.stderr)
    return 1 if absent else 0


if __name__ == "__main__":
    sys.exit(main())
