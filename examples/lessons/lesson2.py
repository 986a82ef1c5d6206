"""Lesson 2: take the move that leaves you furthest ahead."""

from spielleiter import Bot, run


def lead(position, seat):
    """How far this seat is ahead."""
    scores = position.scores()
    return scores[seat] - scores[1 - seat]


class Player(Bot):
    name = "lesson 2"

    def choose(self, position, clock):
        seat = position.to_move()
        return max(position.legal_moves(), key=lambda move: lead(position.after(move), seat))


if __name__ == "__main__":
    run(Player())
