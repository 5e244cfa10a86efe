"""QGMem, section III: where memory units, their trajectories and parsed questions come from: files or a model."""
