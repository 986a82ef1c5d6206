"""Matches and contests: who plays whom next, what the results say, and how games are run.

Everything but the runner is a pure function of what was played: a contest resumes after a crash by
asking again, and the same results give the same tables in whatever order they arrived.
"""
