"""Rows from shisa-ai/shaberi: Japanese chat models answering the questions of three benchmarks that have one plain answer.

About 550 models answered the Japanese questions of ELYZA-tasks-100, Tengu-Bench and JA MT-Bench with one number or option.
"""

from clones import Output

REPOSITORY = "shisa-ai/shaberi"
COMMIT = "f8cd7a040397cf37b2cd23ef224cfc97095ef756"
LICENCE = "Apache-2.0"

# start of the question: (truth, options); an empty list of options means a number
WANTED = {
    "次の質問に答えてください。\n缶コーヒーの多くは": ("C", ["円", "円錐", "円柱", "円環"]),
    "質問: 太郎くんはりんごを5つ持っています。": ("11", []),
    "1から500までの数字を入力するのに何回キーボード": ("B", ["1156", "1392", "1480", "1562", "1788"]),
    "2つの文字列で連続した最長共通部分文字列の長さを求めよ。": ("4", []),
    "82歳の男性が24歳の友人と": ("C", ["82歳の男性", "24歳の友人", "情報不足"]),
    "赤玉4個、青玉2個、黄玉1個を用いて首飾りを": ("9", []),
    "80円のみかんと120円のりんごをあわせて40個": ("15", []),
    "兄が6歩歩く間に弟は5歩歩きます。": ("", []),
    "選挙権は何歳から与えられますか。": ("18", []),
    "三角形の頂点が点 (0, 0)": ("3", []),
    "あるテックスタートアップは、最初の年に": ("1200000", []),
    "バスには初めていくつかの人々が乗りました。": ("38", []),
    "不等式 |x + 5| < 10 の解となる整数は": ("19", []),
    "ある数を10で割ると余りが4になります。": ("0", []),
    "佐藤は書店に行き、さまざまな本を購入しました。": ("28000", []),
    "f(x) = 4x^3 - 9x - 14 が与えられたとき": ("0", []),
}


def rows(clone, paths):
    for path in paths:
        for number, item in clone.json_lines(path):
            question = item.get("Question") or ""
            truth, options = next((known for start, known in WANTED.items() if question.startswith(start)), ("", []))
            yield Output(f"{path}#{number}", item.get("ModelAnswer"), question[:400], truth, options)
