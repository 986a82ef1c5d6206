"""The command line as a person meets it."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from spielleiter import bots, games
from spielleiter.cli import cli, main
from spielleiter.cli.analyse import score_text
from spielleiter.service.served_games import newest_first, served_games
from tests.contests import ran

NAMES = games.names()


ROOT = Path(__file__).parents[1]


def ask(*words: str, typed: str = "") -> str:
    """What a command prints; it must succeed."""
    result = CliRunner().invoke(cli, list(words), input=typed, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def complaint(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What a command says when it refuses; the status must be 2."""
    with pytest.raises(SystemExit) as stop:
        main(list(words))
    assert stop.value.code == 2
    return capsys.readouterr().err


def commands() -> list[str]:
    """The names of all commands, found by file name."""
    return cli.list_commands(click.Context(cli))


@pytest.mark.parametrize("option", ["-h", "--help"])
@pytest.mark.parametrize("name", commands())
def test_every_command_explains_itself(name: str, option: str) -> None:
    text = ask(name, option)
    assert "Usage" in text
    assert len(text.splitlines()) > 4


@pytest.mark.parametrize("name", commands())
def test_every_command_understands_the_course_way_to_ask_for_help(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        main([name, "-help"])
    assert stop.value.code == 0
    assert "Usage" in capsys.readouterr().out


def test_a_build_shows_how_far_it_is_and_prints_all_only_if_it_fails() -> None:
    def built(code: str) -> subprocess.CompletedProcess[str]:
        words = [sys.executable, "core/build.py", sys.executable, "-c", code]
        return subprocess.run(words, cwd=ROOT, capture_output=True, text=True)

    fine = built("print('[1/2] one'); print('noise'); print('[2/2] two')")
    assert fine.returncode == 0
    assert fine.stderr.splitlines() == ["  compiled 1 of 2 files", "  compiled 2 of 2 files"]
    failed = built("print('no such header'); raise SystemExit(3)")
    assert failed.returncode == 3
    assert "no such header" in failed.stderr


def test_the_main_help_lists_every_command() -> None:
    text = ask("-h")
    assert all(re.search(rf"^  {name} ", text, re.M) for name in commands())


def test_games_lists_every_edition() -> None:
    assert [row["name"] for row in json.loads(ask("games", "--json"))] == list(NAMES)
    assert all(name in ask("games") for name in NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_game_shows_its_rules_start_and_moves(name: str) -> None:
    start = games.load(name).start(1)
    assert "#" in ask("rules", name)
    assert ask("show", start.text(), "--game", name).strip()
    moves = ask("moves", start.text(), "--game", name).splitlines()
    assert moves == sorted(move.text() for move in start.legal_moves())
    assert ask("moves", start.text(), "--game", name, "--why", moves[0]).strip() == "legal"


@pytest.mark.parametrize("name", NAMES)
def test_show_finds_the_game_of_a_position(name: str) -> None:
    assert ask("show", games.load(name).start(1).text()).strip()


@pytest.mark.parametrize("name", NAMES)
def test_show_writes_a_picture(name: str, tmp_path: object) -> None:
    picture, pixels = f"{tmp_path}/board.svg", f"{tmp_path}/board.png"
    both = ("--svg", picture, "--png", pixels)
    ask("show", games.load(name).start(1).text(), "--game", name, *both)
    with open(picture, encoding="utf-8") as file:
        assert file.read().startswith("<svg")
    with open(pixels, "rb") as raw:
        assert raw.read().startswith(b"\x89PNG")
    position: Any = games.load(name).start(1)
    assert position._repr_svg_().startswith("<svg")


@pytest.mark.parametrize("name", NAMES)
def test_perft_prints_the_count_last(name: str) -> None:
    start = games.load(name).start(0)
    lines = ask("perft", name, "--depth", "2", "--divide").splitlines()
    assert lines[-1] == str(start.perft(2))
    counts = [int(line.split(": ")[1]) for line in lines if ": " in line]
    assert sum(counts) == start.perft(2)
    assert ask("perft", name, "--position", start.text(), "--depth", "0").splitlines()[-1] == "1"


@pytest.mark.parametrize("name", NAMES)
def test_bots_play_a_game_to_its_end(name: str) -> None:
    text = ask("play", name, "--seat", "greedy", "--seed", "4", "--quiet")
    assert "last position" in text
    verb = "win" if games.load(name).seats_are_plural else "wins"
    assert re.search(rf"^A draw: | \(greedy\) {verb}: ", text, re.M)
    assert text == ask("play", name, "--seat", "greedy", "--seed", "4", "--quiet")


@pytest.mark.parametrize("name", NAMES)
def test_a_person_can_play_and_is_told_what_is_wrong(name: str) -> None:
    start = games.load(name).start(0)
    move = start.legal_moves()[0].text()
    words = ["play", name, "--seat", "human", "--seat", "greedy"]
    result = CliRunner().invoke(cli, words, input=f"nonsense!\n?\n{move}\n")
    assert "Type ? for the legal moves" in result.output
    assert f"{len(start.legal_moves())} legal moves" in result.output
    assert result.exit_code == 1  # the input ended before the game did
    assert "The game was left" in result.output


@pytest.mark.parametrize("name", NAMES)
def test_analyse_says_what_the_engine_thinks_while_it_thinks(name: str) -> None:
    start = games.load(name).start(1)
    asked = ("analyse", start.text(), "--game", name)
    text = ask(*asked, "--time", "50ms", "--lines", "2")
    assert re.search(r"^depth \d+, \d+ nodes in .* s \(.*/s\), table .* %$", text, re.M)
    last = json.loads(ask(*asked, "--nodes", "1000", "--all", "--json").splitlines()[-1])
    legal = {move.text() for move in start.legal_moves()}
    assert {line["moves"][0] for line in last["lines"]} == legal
    assert last["best"] == last["lines"][0]["moves"][0]
    assert last["score"] == last["lines"][0]["score"]
    assert {"depth", "nodes", "seconds", "speed", "fill"} <= last.keys()


@pytest.mark.parametrize(
    ("score", "said"),
    [
        (35, "+35"),
        (-30_000, "loss"),
        (30_012, "win by 12"),
        (-30_225, "loss by 225"),
        (30_997, "win in 3"),
        (-31_000, "unknown"),
    ],
)
def test_scores_say_how_a_certain_end_comes_about(score: int, said: str) -> None:
    assert score_text(score) == said


@pytest.mark.parametrize("name", NAMES)
def test_the_beginning_of_a_game_need_not_be_written_out(name: str) -> None:
    second = games.load(name).start(2)
    listed = ask("moves", "start:2", "--game", name).splitlines()
    assert set(listed) == {move.text() for move in second.legal_moves()}


def test_analyse_refuses_what_cannot_be_analysed(capsys: pytest.CaptureFixture[str]) -> None:
    game = games.load(NAMES[0])
    position, lot = game.start(1), random.Random(1)
    refused = complaint(capsys, "analyse", position.text(), "--time", "soon")
    assert "'soon' is no time" in refused
    assert "--game GAME" in complaint(capsys, "analyse", "start")
    while position.outcome() is None and position.legal_moves():
        position.play(lot.choice(position.legal_moves()))
    over = complaint(capsys, "analyse", position.text(), "--game", game.name)
    assert "nothing to analyse" in over


@pytest.mark.native
@pytest.mark.parametrize("name", NAMES)
def test_bench_prints_one_reproducible_number(name: str) -> None:
    first = CliRunner().invoke(cli, ["bench", name]).stdout
    assert first == CliRunner().invoke(cli, ["bench", name]).stdout
    assert re.fullmatch(rf"{name} \d+\n", first)


def test_unknown_names_are_answered_with_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    for name in NAMES:
        assert repr(name) in complaint(capsys, "rules", name + "z")
        assert "'greedy'" in complaint(capsys, "play", name, "--seat", "gredy")
        assert "option" in complaint(capsys, "play", name, "--nonsense", "1")
    assert "'games'" in complaint(capsys, "gamse")


def test_bad_positions_are_refused_in_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    text = complaint(capsys, "show", "no position at all")
    assert text.startswith("Error: no game understands this position")
    for name in NAMES:
        assert "character" in complaint(capsys, "moves", "nonsense", "--game", name)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_are_printed(shell: str) -> None:
    assert "spielleiter" in ask("completion", shell)


def test_the_list_of_commands_is_the_one_click_would_print() -> None:
    listed = [click.Context(cli).make_formatter() for _ in range(2)]
    cli.format_commands(click.Context(cli), listed[0])
    click.Group.format_commands(cli, click.Context(cli), listed[1])
    assert listed[0].getvalue() == listed[1].getvalue()


def test_no_help_in_a_list_of_commands_is_cut() -> None:
    context = click.Context(cli)
    found = (cli.get_command(context, name) for name in cli.list_commands(context))
    groups = [cli, *(each for each in found if isinstance(each, click.Group))]
    assert len(groups) > 5
    for group in groups:
        formatter = click.HelpFormatter(width=78)  # as click has it on 80 columns
        group.format_commands(click.Context(group), formatter)
        assert "..." not in formatter.getvalue(), formatter.getvalue()


def test_the_shell_is_offered_commands_with_their_help() -> None:
    offered = cli.shell_complete(click.Context(cli), "gam")
    assert [(item.value, item.help) for item in offered] == [
        ("games", "List all games and editions.")
    ]


_HEAVY = ("numpy", "sqlalchemy", "pydantic", "fastapi", "jinja2", "prometheus_client", "asyncio")


@pytest.mark.parametrize(
    ("words", "also"),
    [
        (["--help"], ()),
        (["games"], ()),
        (["show", "start", "--game", NAMES[0]], ()),
        (["moves", "start", "--game", NAMES[0]], ()),
        (["match", "--help"], ("numpy", "sqlalchemy", "asyncio")),
        (["unlock", "--help"], ()),
    ],
    ids=lambda given: " ".join(given),
)
def test_a_command_imports_only_the_libraries_it_needs(
    words: list[str], also: tuple[str, ...]
) -> None:
    """What a person waits for: the libraries take longer than the answer."""
    script = (
        "import sys; from spielleiter.cli import main\n"
        f"try: main({words!r})\n"
        f"finally: print(*({{*{_HEAVY!r}}} & sys.modules.keys()), file=sys.stderr)"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert set(result.stderr.split()) <= set(also)


def test_built_in_players_are_known_by_name() -> None:
    assert {"random", "greedy"} <= set(bots.names())


def test_the_module_can_be_run() -> None:
    result = subprocess.run(
        [sys.executable, "-m", "spielleiter", "games"], capture_output=True, text=True, check=True
    )
    assert all(name in result.stdout for name in NAMES)


SERVED = [game.name for game in served_games((), "document")]


@pytest.mark.parametrize("first", SERVED)
def test_seasons_keep_their_ports_whichever_is_offered_first(first: str) -> None:
    offered = served_games((), "document", first=first)
    assert offered[0].name == first
    assert [game.name for game in newest_first(offered)] == SERVED


@pytest.mark.parametrize(
    "name", [SERVED[0], *(pytest.param(name, marks=pytest.mark.deep) for name in SERVED[1:])]
)
def test_the_demo_plays_over_sockets_and_is_watched(name: str, tmp_path: Path) -> None:
    result = ran(tmp_path, "demo", name, "--delay", "0")
    assert result.returncode == 0, result.stderr
    assert re.search(r"^result (draw|seat \d wins), ", result.stdout, re.M)
