"""SITE's own families: relations between an egocentric and an exocentric recording of the same time."""
