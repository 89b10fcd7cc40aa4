"""Evidence for answers: key frames with models' opinions, point clouds, drawings of scenes and floor plans."""
