"""Questions from Scenes: a module for each family, with the rules that generating and auditing share."""
