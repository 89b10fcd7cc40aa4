"""The shortcut audit: whether learners that shortcut filtering doesn't use guess a benchmark's answers from its text.

```
learner    the interface of a learner, what it is told of a question, the registry
learners   a file for each
tokens     words, spans and letters of questions and options
marks      names of files, order, labels: what rows say beside their texts
linear     logistic regression on tokens
lessons    which questions are taught and which are asked
trials     lessons carried out: scores of learners, of chance and of constants
verdicts   pass, FAIL, too few: differences, intervals, tests
audit      the whole, question type by question type
```
"""
