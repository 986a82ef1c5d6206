"""People, teams, bots and their files.

The chained record of games holds opaque ids only. This package keeps what the ids stand for. That
can be changed and erased; the record stays valid. `docs/organiser/people.md` has the model.
"""
