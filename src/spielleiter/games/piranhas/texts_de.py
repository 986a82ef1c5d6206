"""What pupils read, in German; `{}` stands for anything, `{#}` for a number."""

from __future__ import annotations

_COLOURS = {"red": "rot", "blue": "blau", "white": "weiß", "black": "schwarz"}
_NOUNS = {"Red": "Rot", "Blue": "Blau", "White": "Weiß", "Black": "Schwarz"}
_OF = {"red": "roter", "blue": "blauer", "white": "weißer", "black": "schwarzer"}
_SIZES = {"small": "kleiner", "medium": "mittlerer", "large": "großer"}

TEXTS = {
    **_COLOURS,
    **_NOUNS,
    **{f"{colour} fish": f"{of} Fisch" for colour, of in _OF.items()},
    **{f"{colour} fish, eaten": f"{of} Fisch, gefressen" for colour, of in _OF.items()},
    **{
        f"{size} {colour} fish": f"{how} {of} Fisch"
        for size, how in _SIZES.items()
        for colour, of in _OF.items()
    },
    "octopus": "Krake",
    "Piranhas {#}": "Piranhas {}",
    "Piranhas {#} draft": "Piranhas {}, Entwurf",
    "Piranhas, draft rules of {#}": "Piranhas, Regelentwurf von {}",
    "Piranhas, Software-Challenge {#}": "Piranhas, Software-Challenge {}",
    "{}: {#} fish, {#} eaten": "{}: {} Fische, {} gefressen",
    "Ply {#} of {#}, round {#} of {#}": "Zug {} von {}, Runde {} von {}",
    "{} to move": "{} ist am Zug",
    "{} wins: {}": "{} gewinnt: {}",
    "Draw: {}": "Unentschieden: {}",
    "Heaviest swarm: {} {#}, {} {#}": "Schwerster Schwarm: {} {}, {} {}",
    "Largest swarm: {} {#}, {} {#}": "Größter Schwarm: {} {}, {} {}",
    "First union: {}": "Zuerst vereint: {}",
    "only whole swarm": "einziger vollständiger Schwarm",
    "larger swarm": "größerer Schwarm",
    "heavier swarm": "schwererer Schwarm",
    "first union": "zuerst vereint",
    "blocked": "der Gegner kann nicht ziehen",
    "equal swarms": "gleiche Schwärme",
    "the game is over": "das Spiel ist vorbei",
    "no own fish is on the start field": "auf dem Startfeld steht kein eigener Fisch",
    "a fish swims exactly as far as there are fish on its line": (
        "ein Fisch schwimmt genau so weit, wie Fische auf seiner Linie stehen"
    ),
    "an opponent's fish bars the way": "ein gegnerischer Fisch versperrt den Weg",
    "the target is off the board": "das Ziel liegt außerhalb des Spielfelds",
    "the target is an octopus": "auf dem Zielfeld sitzt ein Krake",
    "the target is an own fish": "auf dem Zielfeld steht ein eigener Fisch",
    "the two fields are not on one straight line": (
        "die beiden Felder liegen nicht auf einer geraden Linie"
    ),
    "a fish must leave its field": "ein Fisch muss sein Feld verlassen",
}
