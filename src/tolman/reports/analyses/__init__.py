"""The results of analyses as tables, sentences, figures and pages: a module for each, named as its core in `analyze`.

`show(result)` gives what is printed, top to bottom. Nothing here reads, asks or prints.
"""
