"""The game service: opens games, seats people and built-in players, and keeps the games going.

It runs in the arena's process or, so that nobody's game waits for those who watch, in a process of
its own.
"""
