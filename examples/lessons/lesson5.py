"""Lesson 5: the same search with a better judgement: fish that are close together count."""

from spielleiter import Bot, run

WIN = 1000


def distance(fields):
    """How far fish are from their middle, on average."""
    if not fields:
        return 0
    middle_x = sum(x for x, _ in fields) / len(fields)
    middle_y = sum(y for _, y in fields) / len(fields)
    return sum(max(abs(x - middle_x), abs(y - middle_y)) for x, y in fields) / len(fields)


class Player(Bot):
    name = "lesson 5"

    def __init__(self, depth="3"):
        self.depth = int(depth)

    def choose(self, position, clock):
        best, chosen = -2 * WIN, None
        for move, following in self.best_first(position):
            value = -self.value(following, self.depth - 1, -2 * WIN, -best)
            if value > best:
                best, chosen = value, move
        return chosen

    def value(self, position, depth, alpha, beta):
        """What a position is worth to the seat on turn, if it matters: between alpha and beta."""
        seat, outcome = position.to_move(), position.outcome()
        if outcome is not None:
            return self.end(outcome, seat, position.ply)
        if depth == 0:
            return self.judge(position, seat)
        for _, following in self.best_first(position):
            alpha = max(alpha, -self.value(following, depth - 1, -beta, -alpha))
            if alpha >= beta:  # the other side avoids this position anyway
                break
        return alpha

    def best_first(self, position):
        """All moves, promising ones first: then the others are skipped sooner."""
        seat = position.to_move()
        moves = [(move, position.after(move)) for move in position.legal_moves()]
        return sorted(moves, key=lambda each: -self.judge(each[1], seat))

    def end(self, outcome, seat, ply):
        """Win soon, lose late."""
        if outcome.winner is None:
            return 0
        return WIN - ply if outcome.winner == seat else ply - WIN

    def judge(self, position, seat):
        """What a position seems to be worth to a seat: its lead, and how close its fish are."""
        scores = position.scores()
        lead = scores[seat] - scores[1 - seat]
        return lead + 5 * (distance(position.fish(1 - seat)) - distance(position.fish(seat)))


if __name__ == "__main__":
    run(Player())
