"""The owner's console: items of a project as a table, one item with all that happened to it, and acts on them."""
