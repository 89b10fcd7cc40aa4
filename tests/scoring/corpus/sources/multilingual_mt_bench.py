"""Rows from Peter-Devine/multilingual_mt_bench: MT-Bench maths and reasoning questions with one numeric (or lettered) answer.

About 15 chat models answered the maths questions of MT-Bench in German, French, Japanese, Chinese and English.
"""

from clones import Output

REPOSITORY = "Peter-Devine/multilingual_mt_bench"
COMMIT = "069a6355e2498b35530a182366312e73e32f2f30"
LICENCE = "Apache-2.0"

# question of the English set -> the numbers of its turns; only questions whose answer is one plain number
NUMBERS = {
    104: ("0", "1"), 111: ("3",), 112: ("12000", "2000"), 115: ("38", "100"), 117: ("19", "9"), 118: ("0", "3"),
    119: ("280", "350"), 120: ("0", "2"),
}  # fmt: skip
# the Japanese set is a rewriting of its own: other ids, other sums
JAPANESE = {
    31: ("3",), 32: ("1200000", "200000"), 35: ("38", "10000"), 37: ("19", "9"), 38: ("0", "3"),
    39: ("28000", "35000"), 40: ("0", "2"),
}  # fmt: skip


def rows(clone, paths):
    for path in paths:
        folder = path.partition("/model_answer/")[0]
        wanted = JAPANESE if folder.endswith("/ja_mt_bench") else NUMBERS
        questions = {item["question_id"]: item["turns"] for _, item in clone.json_lines(f"{folder}/question.jsonl")}
        for _, item in clone.json_lines(path):
            number = item["question_id"]
            for turn, truth in enumerate(wanted.get(number, ())):
                output = item["choices"][0]["turns"][turn]
                yield Output(f"{path}#{number}.{turn}", output, questions[number][turn][:400], truth)
