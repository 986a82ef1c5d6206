"""The explorer: for any position, the moves played in many stored games and their results."""

from spielleiter.explorer.index import ExplorerIndex, PlayedMove
from spielleiter.explorer.symmetry import BoardSymmetries

__all__ = ["BoardSymmetries", "ExplorerIndex", "PlayedMove"]
