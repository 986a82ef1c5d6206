"""What pupils read, in German; `{}` stands for anything, `{#}` for a number."""

from __future__ import annotations

from spielleiter.games.blokus.reference import NAMES

_COLOURS = {"blue": "blau", "yellow": "gelb", "red": "rot", "green": "grün"}
_OF = {"blue": "blauer", "yellow": "gelber", "red": "roter", "green": "grüner"}

TEXTS = {
    **_COLOURS,
    **{name: name for name in NAMES},
    **{f"{colour} {name}": f"{of} {name}" for colour, of in _OF.items() for name in NAMES},
    **{f"{colour} squares": f"{of} Stein" for colour, of in _OF.items()},
    "Blokus": "Blokus",
    "Blokus, Software-Challenge {#}": "Blokus, Software-Challenge {}",
    "blue and red": "blau und rot",
    "yellow and green": "gelb und grün",
    "start piece": "Startstein",
    "lot": "Los",
    "the piece every colour places first": "der Stein, den jede Farbe zuerst legt",
    "pass": "aussetzen",
    "{}: {#} left": "{}: noch {}",
    "round {#}, turn {#}: {} to move": "Runde {}, Zug {}: {} ist am Zug",
    "over after {#} turns: {} ({})": "vorbei nach {} Zügen: {} ({})",
    "blue and red win": "blau und rot gewinnen",
    "yellow and green win": "gelb und grün gewinnen",
    "a draw": "unentschieden",
    "blue and red {#} points, yellow and green {#} points": (
        "blau und rot {} Punkte, gelb und grün {} Punkte"
    ),
    "start piece {}; out of play: {}": "Startstein {}; ausgeschieden: {}",
    "start piece {}": "Startstein {}",
    "{}, {}": "{}, {}",
    "more points": "mehr Punkte",
    "equal points": "gleich viele Punkte",
    "the game is over": "das Spiel ist vorbei",
    "it is another colour's turn": "eine andere Farbe ist am Zug",
    "the first move of a colour has to place a piece": (
        "im ersten Zug muss jede Farbe einen Stein legen"
    ),
    "the first piece of a colour has to be the drawn one": (
        "der erste Stein jeder Farbe muss der ausgeloste sein"
    ),
    "the piece has been placed before": "dieser Stein liegt schon auf dem Brett",
    "the piece does not lie wholly on the board": "der Stein liegt nicht ganz auf dem Brett",
    "the piece would cover another one": "hier liegt schon ein Stein",
    "the piece lies beside a piece of its own colour": (
        "der Stein liegt Kante an Kante mit einem Stein der eigenen Farbe"
    ),
    "the first piece of a colour has to cover a corner of the board": (
        "der erste Stein jeder Farbe muss eine Ecke des Bretts bedecken"
    ),
    "the first piece of a colour has to cover a field on the edge of the board": (
        "der erste Stein jeder Farbe muss ein Feld am Rand bedecken"
    ),
    "the piece touches no piece of its own colour at a corner": (
        "der Stein berührt keinen Stein der eigenen Farbe an einer Ecke"
    ),
}
