"""Words and sentences as NLTK's tokenizer and Punkt part them; the expected tokens are theirs."""

import pytest

from tolman.analyze.composition import words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Is the Lamp lit? It isn't.", "Is the Lamp lit ? It is n't ."),
        ("It's 3.5 m, or 1,000 cm: (roughly) the dog's.", "It 's 3.5 m , or 1,000 cm : ( roughly ) the dog 's ."),
        ('He said "left" -- or \'right\'…', "He said `` left '' -- or ' right'…"),
        ("You'll cannot, we've gonna; they're I'm", "You 'll can not , we 've gon na ; they 're I 'm"),
        ("A/B-test… wait... 50% & $5 [x] {y} <z> #1 a@b", "A/B-test… wait ... 50 % & $ 5 [ x ] { y } < z > # 1 a @ b"),
        ("“Left” — or «right»? ‘Up’!", "“ Left ” — or « right » ? ‘ Up ’ !"),
        ("Turn.' Then go. Stop", "Turn . ' Then go . Stop"),
        ("do this: 1. go to the bed 2. [fill in] 3. go on.", "do this : 1. go to the bed 2 . [ fill in ] 3. go on ."),
        ("either 'turn left,' or 'turn right.'): 1. go", "either ' turn left , ' or ' turn right . ' ) : 1. go"),
        ("", ""),
    ],
)  # fmt: skip
def test_words_and_punctuation(text: str, expected: str) -> None:
    assert words(text) == expected.split()
