"""Section 4.1, cue sources: where the cues of a turn come from."""
