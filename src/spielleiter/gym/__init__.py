"""The gym: tests bots in positions with known best moves."""

from spielleiter.gym.positions import GymPosition, GymSet, shipped

__all__ = ["GymPosition", "GymSet", "shipped"]
