"""The explorer: from any position, what was played in many stored games, and how it ended."""

from spielleiter.explorer.index import ExplorerIndex, PlayedMove
from spielleiter.explorer.symmetry import BoardSymmetries

__all__ = ["BoardSymmetries", "ExplorerIndex", "PlayedMove"]
