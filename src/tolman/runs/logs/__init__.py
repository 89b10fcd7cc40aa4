"""What other programs write of an evaluation, one module for each program, and how its rows find their items."""
