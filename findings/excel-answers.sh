#!/bin/sh
# A model's answer "=> B" or "= 2.5", written by pandas with XlsxWriter and read back, is the number 0; with openpyxl none.
#
# Both take a text that begins with "=" for a formula that nothing computes. A 0 then counts as a numeric answer. A text
# over 32,767 characters, as of models that reason, loses its end, where the answer is. pandas warns of the second only.
# VLMEvalKit keeps its predictions this way by default (vlmeval/smp/file.py, commit e8e78f0). Exits with 1 where a later
# version behaves otherwise.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check pandas==3.1.1 XlsxWriter==3.3.1 openpyxl==3.1.5
cd "$place"
"$place/venv/bin/python" - <<'PYTHON'
import sys
import warnings
from importlib.metadata import version

import pandas as pd

answers = ["=> B", "= 2.5", "== Answer ==\nC", "The door is 3 m away. " * 1500 + "So the answer is D.", "A"]
read, said = {}, {}
for engine in ("xlsxwriter", "openpyxl"):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        pd.DataFrame({"index": range(len(answers)), "prediction": answers}).to_excel("a.xlsx", index=False, engine=engine)
        read[engine] = pd.read_excel("a.xlsx", keep_default_na=False)["prediction"].tolist()
    said[engine] = [str(warning.message) for warning in caught]
    for wrote, got in zip(answers, read[engine]):
        print(f"{engine}: wrote {wrote[:14]!r} ({len(wrote):,} characters), read "
              f"{got[:14] if isinstance(got, str) else got!r} ({len(str(got)):,})")
    print(f"{engine}: warnings {said[engine]}")
print(", ".join(f"{name} {version(name)}" for name in ("pandas", "XlsxWriter", "openpyxl")))
cut = answers[3][:32767]
sys.exit(0 if read == {"xlsxwriter": [0, 0, 0, cut, "A"], "openpyxl": ["", "", "", cut, "A"]}
         and all(len(one) == 1 and "truncated" in one[0] for one in said.values()) else 1)
PYTHON
