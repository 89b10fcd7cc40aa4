"""Question families about pictures from several viewpoints, and the view geometry that they share."""
