"""Tables, figures and pages made from run folders and the papers' published rows."""
