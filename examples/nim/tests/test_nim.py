"""What is peculiar to Nim: its winning strategy."""

from __future__ import annotations

from spielleiter import games


def test_whoever_leaves_a_nim_sum_of_zero_can_win() -> None:
    position = games.load("nim").parse("3/4/5 0")
    position.play("A2")  # 1 ^ 4 ^ 5 == 0
    for reply in position.legal_moves():
        after = position.copy()
        after.play(reply)
        heaps = [int(heap) for heap in after.text().split()[0].split("/")]
        assert heaps[0] ^ heaps[1] ^ heaps[2] != 0
