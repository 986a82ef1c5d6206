"""What pupils read, in German; `{}` stands for anything, `{#}` for a number."""

from __future__ import annotations

TEXTS = {
    "Nim": "Nim",
    "Nim with three heaps": "Nim mit drei Haufen",
    "first": "Erster",
    "second": "Zweiter",
    "stone": "Stein",
    "ply {#}": "Zug {}",
    "took the last one": "nahm den letzten Stein",
    "the heap does not hold that many": "so viele liegen nicht auf dem Haufen",
    "the game is over": "das Spiel ist vorbei",
}
