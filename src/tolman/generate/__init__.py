"""Questions from Scenes: a module for each family, their selection, filtering and publishing, and drawn evidence."""
