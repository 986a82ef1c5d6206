"""Why a game was lost: what every move was worth, which one gave the game away, and in what way."""

from spielleiter.review.chances import GRADES, Grade, chance
from spielleiter.review.evaluator import Evaluator, Value
from spielleiter.review.game_review import (
    GameReview,
    ReviewedTurn,
    ReviewInterrupted,
    review_game,
)

__all__ = [
    "GRADES",
    "Evaluator",
    "GameReview",
    "Grade",
    "ReviewInterrupted",
    "ReviewedTurn",
    "Value",
    "chance",
    "review_game",
]
