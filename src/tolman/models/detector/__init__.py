"""`baseline/detector`: a model that sees. A small network finds objects in frames, geometry does the rest.

Its network was trained on Tolman's own rooms (README.md in this folder); another may be named.
"""
