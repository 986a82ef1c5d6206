"""A whole bot: takes the move after which it is furthest ahead. Plays every game of every season.

python one_ply.py --host localhost --port 13050 --reservation CODE
"""

from spielleiter import Bot, run


class OnePly(Bot):
    name = "one ply"

    def begin(self, position, seat):
        self.seat = seat

    def choose(self, position, clock):
        return max(position.legal_moves(), key=lambda move: self.lead(position, move))

    def lead(self, position, move):
        scores = list(position.after(move).scores())
        return scores.pop(self.seat) - max(scores)


if __name__ == "__main__":
    run(OnePly())
