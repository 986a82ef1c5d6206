"""What pupils read, in German; `{}` stands for anything, `{#}` for a number."""

from __future__ import annotations

TEXTS = {
    "Reversi": "Reversi",
    "map": "Karte",
    "a map of the catalogue, or the path of a map file": "eine Karte aus dem Katalog",
    "player {#}": "Spieler {}",
    "stone of player {#} on {}": "Stein von Spieler {} auf {}",
    "{} to move": "{} ist am Zug",
    "over: {} wins ({})": "vorbei: {} gewinnt ({})",
    "over: {} win ({})": "vorbei: {} gewinnen ({})",
    "stones: {}": "Steine: {}",
    "{}, {}": "{}, {}",
    "{}: {#}": "{}: {}",
    "{}: {#} (disqualified)": "{}: {} (disqualifiziert)",
    "most stones": "die meisten Steine",
    "equal stones": "gleich viele Steine",
    "last one left": "als Einziger übrig",
    "nobody left": "niemand ist übrig",
    "the cell is off the board": "das Feld liegt außerhalb des Bretts",
    "the cell is a hole": "das Feld ist ein Loch",
    "a stone lies on the cell": "auf dem Feld liegt schon ein Stein",
    "the stone would take no other stone": "der Stein würde keinen anderen umdrehen",
    "the game is over": "das Spiel ist vorbei",
}
