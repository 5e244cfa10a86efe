"""Judge desk: can the judge be trusted?"""
