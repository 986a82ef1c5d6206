"""Matches and contests: schedules, standings, and the runner of games.

Everything but the runner is a pure function of the results: after a crash a contest simply resumes,
and the same results give the same tables in whatever order they arrived.
"""
