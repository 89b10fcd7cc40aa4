#!/bin/sh
# A model's answer "=> B" or "= 2.5", written by pandas with XlsxWriter and read back, is the number 0.
#
# XlsxWriter takes a text that begins with "=" for a formula of value 0, which then counts as a numeric answer; openpyxl
# leaves the cell without a value. A text over 32,767 characters, as of models that reason, loses its end, where the
# answer is. pandas warns of the second only.
# VLMEvalKit wrote its predictions this way until commit 63a279f1 (July 2026), and still cuts long ones unless
# PRED_FORMAT=tsv is set. Exits with 1 where a later version behaves otherwise.
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
        pd.DataFrame({"prediction": answers}).to_excel("a.xlsx", index=False, engine=engine)
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
