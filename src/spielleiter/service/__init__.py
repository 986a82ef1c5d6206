"""The game service: opens games, seats people and built-in players, and keeps the games going.

It runs in its own process, so that no game waits for spectators, or in the arena's.
"""
