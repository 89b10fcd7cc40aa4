"""Question families, a folder for each paper; a module declares one as `FAMILY`, or several as `FAMILIES`.

The folder `support/` of a paper holds code shared by several of its families. How to add one: `docs/extend/family.md`.
"""
