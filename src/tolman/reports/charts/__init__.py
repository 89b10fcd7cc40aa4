"""Charts: a data table drawn as bars, dots, lines … in light, dark and print; a module for each form.

The input is a `chart.Chart`, made elsewhere; nothing is computed here. `page.render` gives SVG, PDF or PNG.
"""
