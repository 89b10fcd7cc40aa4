"""Question families, a folder for each paper; a module declares one as `FAMILY`, or several as `FAMILIES`.

A family of no paper is a module of this folder, such as `posed_video.py`, with a preset of its own; the start of its
name is the module's. The folder `support/` of a paper holds code shared by several of its families. How to add one:
`docs/extend/family.md`.
"""
