"""The verbs of the command line, a module for each group of them; heavy imports stay inside the commands."""
