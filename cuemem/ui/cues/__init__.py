"""The Cues page: what did extraction keep or lose, and how is it put right?"""
