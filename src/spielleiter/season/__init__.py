"""Seasons: contests of uploaded bots, from the first entry to the last match day.

A season is a folder: `season.json` says who entered and when match days are played, `contest.toml`
and `contest.db` are a contest as `spielleiter contest` knows it. Nothing here knows a page.
"""
