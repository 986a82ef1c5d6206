"""A game between bots in this process, without a clock."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from spielleiter.game import Bot, Clock, Game, Move, Position


@dataclass(slots=True)
class LocalGame:
    """Players in the order of their seats, and the position, which changes with every move."""

    game: Game
    position: Position
    players: list[Bot]
    forfeited: int | None = None
    """The seat that had no legal move although the game was not over."""

    def moves(self) -> Iterator[Move]:
        """Play to the end; every move is yielded once it is made."""
        for seat, player in enumerate(self.players):
            player.begin(self.position.copy(), seat)
        while self.position.outcome() is None:
            if not self.position.legal_moves():
                self.forfeited = self.position.to_move()
                return
            move = self.players[self.position.to_move()].choose(self.position.copy(), Clock())
            self.position.play(move)
            yield move

    def name(self, seat: int) -> str:
        """A seat's name and who plays it."""
        return f"{self.game.seat_names[seat]} ({self.players[seat].name})"

    def summary(self) -> Iterator[str]:
        """How the game ended, in lines of text."""
        outcome, plural = self.position.outcome(), self.game.seats_are_plural
        if outcome is None:
            assert self.forfeited is not None, "a game without outcome ended by forfeit"
            loses = "have no legal move and forfeit" if plural else "has no legal move and forfeits"
            yield f"{self.name(self.forfeited)} {loses} the game."
            return
        if outcome.winner is None:
            yield f"A draw: {outcome.reason}."
        else:
            won = "win" if plural else "wins"
            yield f"{self.name(outcome.winner)} {won}: {outcome.reason}."
        for seat in sorted(range(self.position.seats), key=lambda seat: int(outcome.ranks[seat])):
            yield f"  {outcome.ranks[seat]}. {self.name(seat)}, score {outcome.scores[seat]}"
        yield f"{self.position.ply} plies; last position: {self.position.text()}"
