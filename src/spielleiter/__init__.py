"""Spielleiter: write, test and measure computer players for board games, run their contests."""

from spielleiter import games
from spielleiter.client.player import run
from spielleiter.game import Bot, Clock, Game, Outcome, Scene

__all__ = ["Bot", "Clock", "Game", "Outcome", "Scene", "games", "run"]
