"""What makes an answer true, as things to draw on a floor plan, in metres.

`drawing` turns an item and its scene into marks, by what the item's evidence holds (a distance, an angle at an
origin, stops, times of first sight …) and not by its family, so that a plugin's family that stores the same is drawn
too. A mark is a JSON object; `marks` lists the kinds.
"""
