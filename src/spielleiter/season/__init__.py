"""Seasons: contests of uploaded bots, from the first entry to the last match day.

A season is a folder: `season.json` has the entries and the times of match days; `contest.toml` and
`contest.db` are a contest that `spielleiter contest` can read. Nothing here depends on the web.
"""
