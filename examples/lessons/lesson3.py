"""Lesson 3: think of the reply. A move is worth as much as its worst consequence."""

from spielleiter import Bot, run


def lead(position, seat):
    """How far this seat is ahead."""
    scores = position.scores()
    return scores[seat] - scores[1 - seat]


class Player(Bot):
    name = "lesson 3"

    def choose(self, position, clock):
        seat = position.to_move()

        def worst(move):
            mine = position.after(move)
            replies = (lead(mine.after(reply), seat) for reply in mine.legal_moves())
            return min(replies, default=lead(mine, seat))

        return max(position.legal_moves(), key=worst)


if __name__ == "__main__":
    run(Player())
