"""The gym: positions with known best moves, bots that are asked for a move there, and a table."""

from spielleiter.gym.positions import GymPosition, GymSet, shipped

__all__ = ["GymPosition", "GymSet", "shipped"]
