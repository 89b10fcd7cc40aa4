"""Places in pictures: run lengths of masks, boxes, polygons and points, and the scales that coordinates are given on.

An item's answer names a place as a JSON object that says all about itself (`place.read_place`): `box`, `boxes`,
`polygon`, `mask` or `points`, in pixels of a picture of the `size` (width, height), or, without a size, as shares of
the picture's width and height.
"""
