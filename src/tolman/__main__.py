"""`python -m tolman` is the `tolman` command."""

from tolman.cli import main

main()
