"""The Runs page: is B better than A, and is it real?"""
