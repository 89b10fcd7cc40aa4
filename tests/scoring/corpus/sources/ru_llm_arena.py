"""Rows from VikhrModels/ru_llm_arena: the few questions of the Russian Arena-Hard that have one number or lettered option as answer.

About 70 models answered the numeric puzzles of the Russian Arena-Hard (sisters and brothers, letters in a word, sums).
"""

from clones import Output

REPOSITORY = "VikhrModels/ru_llm_arena"
COMMIT = "501ab65d54bc92789d9a1f974a5841a4aab96b74"
LICENCE = "Apache-2.0"

# start of the question: the number ("" where it can be disputed)
NUMBERS = {
    "Чему равно 7 умножить на 8?": "56",
    'context={"problem": "Сколько положительных целых чисел': "42",
    "Дэвид имеет двух старших братьев": "",
    "10 рыб плавают в пруду.": "",
    "Дэвид имеет три сестры.": "0",
    "Энни имеет трех братьев.": "1",
    "Джек (мальчик) имеет 3 сестры.": "1",
    "У Лизы есть 3 брата": "1",
    "На кувшинке сидят три лягушки": "",
    "Господин и госпожа Мастард имеют шесть дочерей": "9",
    "Чему равно x, если": "1",
    "Что такое 90%4+4*83": "",
    "Пожалуйста, найдите пропущенное число": "",
    "В солнечной системе 18 планет.": "18",
    "Сколько у Земли спутников?": "1",
    'сколько букв в слове "латук"?': "5",
    "сколько букв 'e' в слове 'Ketchup'?": "1",
    "сколько букв N в слове enter": "1",
}
CHOICES = {"Известный рэпер использует в своем имени число.": ["55", "87", "69", "103"]}


def text_of(turn):
    return turn["content"] if isinstance(turn, dict) else turn


def rows(clone, paths):
    asked = clone.json_lines("data/arena-hard-v0.1/question.jsonl")
    questions = {item["question_id"]: text_of(item["turns"][0]) for _, item in asked}
    for path in paths:
        for number, item in clone.json_lines(path):
            question = questions.get(item["question_id"], "")
            start = next((start for start in [*NUMBERS, *CHOICES] if question.startswith(start)), "")
            output = text_of(item["choices"][0]["turns"][0])
            yield Output(f"{path}#{number}", output, question[:400], NUMBERS.get(start, ""), CHOICES.get(start, []))
