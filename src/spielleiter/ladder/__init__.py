"""The ladder: versions of bots play by themselves, game after game, and are rated.

The record is a chained store whose entries hold opaque ids only. Everything else (ratings, tables,
lists of games) is computed from it and can be computed again. Games to be played are in a queue:
each has an id and, while a worker plays it, a lease.
"""
