"""SITE's own families: what an egocentric and an exocentric recording of the same time have to do with each other."""
