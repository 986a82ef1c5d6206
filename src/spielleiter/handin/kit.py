"""Kits: bots in languages other than Python, with only the standard library.

The bot is an external engine (docs/reference/ugi.md) and asks for the legal moves by its option
`SearchMoves`. `kits/LANGUAGE.txt` here has what all games share; the folder `kit` of a game has its
example of a value of a move, `LANGUAGE.txt`, and a sample to test it with. On a contest's server
our client plays for the bot: `join.py`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources

from spielleiter.errors import UnknownName, UsageError
from spielleiter.game import Game

PYTHON = "python"


@dataclass(frozen=True, slots=True)
class Language:
    """A language that a bot can be written in."""

    file: str
    """Its source."""
    build: str
    """How it is built, in its folder; empty: it need not be."""
    words: tuple[str, ...]
    """How it is started; {here} is its folder."""
    needs: str
    """What must be installed."""


LANGUAGES: Mapping[str, Language] = {
    "java": Language(
        "Bot.java",
        "javac Bot.java",
        ("java", "-Xmx512m", "-cp", "{here}", "Bot"),
        "a JDK, 11 or newer",
    ),
    "cpp": Language(
        "bot.cpp",
        "g++ -std=c++17 -O2 -Wall -Wextra -o bot bot.cpp",
        ("{here}/bot",),
        "a C++ compiler",
    ),
    "rust": Language("bot.rs", "rustc -O -o bot bot.rs", ("{here}/bot",), "rustc, 1.70 or newer"),
    "javascript": Language("bot.js", "", ("node", "{here}/bot.js"), "Node.js, 18 or newer"),
}

_JOIN = '''\
"""Plays on the contest's server for the bot, which speaks lines."""

from pathlib import Path

from spielleiter import bots{imports}
from spielleiter.engines import EngineCommand

HERE = Path(__file__).resolve().parent
WORDS = {words}

if __name__ == "__main__":
    words = [word.replace("{{here}}", str(HERE)) for word in WORDS]
    bot = bots.load(EngineCommand("ugi", (), tuple(words)).text())
    {main}
'''
_README = """\
# {name}

A player of {title} in one file, `{file}`. It needs {needs}, and nothing else.

It reads lines and writes lines. For each move it gets the position and all legal moves, and it
answers with the one that it likes best: change `value` and `choose`.

```
position fen {position}
go movetime 1900 searchmoves {moves}
bestmove {best}
```

| command | what it does |
|---|---|
{build}| `{test}` | its own test |
| `spielleiter play {game} --seat "ugi:{command}" --seat human` | play against it |
| `spielleiter match "ugi:{command}" greedy --game {game}` | is it stronger than `greedy`? |
| `spielleiter check .` | is it ready to be handed in? |
| `spielleiter pack .` | the ZIP for the contest, with `start.sh` as its main file |

A line `#show {{"values": {{"score": 3}}, "text": "…"}}` on standard error says what it thinks,
beside the game; records of matches keep it (`docs/author/debugger.md`).

On the contest's server our client speaks the server's protocol and asks the bot: `start.sh` starts
`join.py`, which starts the bot.{built} The rules: `spielleiter rules {game}`.
All commands of the lines, and how positions and moves are written: `docs/reference/ugi.md`.
"""


def kit_files(name: str, game: Game, language: str, binary: bool) -> dict[str, str]:
    """The source of a bot, its README and what joins a contest for it."""
    if language not in LANGUAGES:
        raise UnknownName("language", language, (PYTHON, *LANGUAGES))
    kind, sample = LANGUAGES[language], tomllib.loads(_of_game(game, "sample.toml", language))
    words = {
        "NAME": name,
        "TITLE": game.title,
        "VALUE": _of_game(game, f"{language}.txt", language).rstrip(),
        "POSITION": str(sample["position"]),
        "MOVES": " ".join(sample["moves"]),
        "BEST": str(sample["best"]),
    }
    source = resources.files(__package__).joinpath("kits", f"{language}.txt").read_text("utf-8")
    for word, text in words.items():
        source = source.replace(f"@{word}@", text)
    files = {kind.file: source, "join.py": _joining(kind, game, binary)}
    files["README.md"] = _readme(kind, game, words)
    return files


def first_steps(language: str) -> str:
    """The first commands in the new folder."""
    kind = LANGUAGES[language]
    return ", ".join([*filter(None, [kind.build]), f"{_shown(kind)} --test", f"change {kind.file}"])


def _of_game(game: Game, file: str, language: str) -> str:
    found = resources.files(game.folder).joinpath("kit", file)
    if not found.is_file():
        raise UsageError(f"{game.name} has no kit for {language} yet; python plays every game")
    return found.read_text("utf-8")


def _joining(kind: Language, game: Game, binary: bool) -> str:
    imports = ", games\nfrom spielleiter.client.binary import run" if binary else ", run"
    main = f'run(bot, games.load("{game.name}"))' if binary else "run(bot)"
    return _JOIN.format(imports=imports, words=list(kind.words), main=main)


def _readme(kind: Language, game: Game, words: Mapping[str, str]) -> str:
    return _README.format(
        name=words["NAME"],
        title=game.title,
        game=game.name,
        file=kind.file,
        needs=kind.needs,
        position=words["POSITION"],
        moves=words["MOVES"],
        best=words["BEST"],
        build=f"| `{kind.build}` | build it, after every change |\n" if kind.build else "",
        test=f"{_shown(kind)} --test",
        command=_shown(kind),
        built=" Build it on Linux before you pack it: the contest builds nothing."
        if kind.build
        else "",
    )


def _shown(kind: Language) -> str:
    """How it is started from its own folder."""
    return " ".join(
        word.replace("{here}/bot.", "bot.").replace("{here}", ".") for word in kind.words
    )
