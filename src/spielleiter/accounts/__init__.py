"""People, teams, bots and their files.

The chained record of games holds opaque ids only. What the ids stand for lies here: it can be
changed and erased, and the record stays valid. `docs/organiser/people.md` has the model.
"""
