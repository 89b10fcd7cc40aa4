"""Question families, a folder for each paper; a module declares one as `FAMILY`, or several as `FAMILIES`.

What several families of a paper share is in its folder `support/`. How to add one: `docs/extend/family.md`.
"""
