"""Evidence for answers: key frames, point clouds, floor plans, models' opinions, key steps of recordings."""
