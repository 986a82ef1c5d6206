"""The final table of a league, computed from its record alone: FILE, by nothing of our own code.

It reads the store with sqlite3, counts what was played, replayed, annulled, decided and lost by
withdrawal, and ranks the teams by the criteria that the record names.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import sys
from collections import defaultdict
from fractions import Fraction
from itertools import combinations
from typing import Any


def entries(path: str, kind: str | None = None) -> list[tuple[str, Any]]:
    """Kind and content of all entries, in their order."""
    with sqlite3.connect(path) as raw:
        rows = raw.execute("select kind, data from event order by number").fetchall()
    return [(each, json.loads(data)) for each, data in rows if kind in (None, each)]


def counted(path: str) -> tuple[dict[str, Any], set[str], set[str]]:
    """Key → players, win points and scores; who withdrew; who joined late."""
    games: dict[str, Any] = {}
    withdrawn, late, fixed = set(), set(), set()
    for kind, data in entries(path):
        if kind == "game" and data["key"] not in fixed:
            games[data["key"]] = (data["players"], points_of(data), scores_of(data))
        if kind != "ruling":
            continue
        if data["action"] == "withdraw":
            withdrawn.add(data["team"])
        if data["action"] == "enter":
            late.add(data["team"])
        for key, players, *_ in data["games"]:
            games.pop(key, None)
            fixed.discard(key)
            if data["action"] != "replay":
                fixed.add(key)
                games[key] = (players, ruled_points(data, players), None)
    return games, withdrawn, late


def at_fault(data: Any) -> set[int]:
    return {seat for seat, *_ in data["faults"]}


def points_of(data: Any) -> list[int]:
    """2 for the only first, 1 for those who share it, nothing for whoever is at fault."""
    first = [seat for seat, rank in enumerate(data["ranks"]) if rank == 1]
    worth = 2 if len(first) == 1 else 1
    good = set(first) - at_fault(data)
    return [worth if seat in good else 0 for seat in range(len(data["ranks"]))]


def scores_of(data: Any) -> list[int]:
    bad = at_fault(data)
    return [0 if seat in bad else score for seat, score in enumerate(data["scores"])]


def ruled_points(data: Any, players: list[str]) -> list[int] | None:
    """None: the game counts for nobody."""
    if data["action"] != "decide":
        return None
    if data["winner"] is None:
        return [1] * len(players)
    return [2 if each == data["winner"] else 0 for each in players]


def table(path: str) -> list[tuple[str, list[Fraction]]]:
    """The teams, best first, with the values of all criteria."""
    (_, contest), *_ = entries(path, "contest")
    games, withdrawn, late = counted(path)
    teams = [name for name, _ in contest["teams"]] + sorted(late)
    met: dict[frozenset[str], list[Any]] = defaultdict(list)
    for players, points, scores in games.values():
        met[frozenset(players)].append((players, points, scores))
    won = dict.fromkeys(teams, 0)
    points_sum, encounters = dict.fromkeys(teams, 0), dict.fromkeys(teams, 0)
    sums, played = dict.fromkeys(teams, 0), dict.fromkeys(teams, 0)
    for pair in combinations(teams, 2):
        found = met[frozenset(pair)]
        missing = contest["games"] - len(found)
        gone = withdrawn & set(pair)
        assert missing == 0 or gone, f"{pair}: {missing} games are missing"
        here = dict.fromkeys(pair, 0)
        counting = missing
        for team in set(pair) - gone if gone else ():
            points_sum[team] += 2 * missing
            here[team] += missing
        for players, points, scores in found:
            counting += points is not None
            for seat, team in enumerate(players):
                points_sum[team] += points[seat] if points else 0
                here[team] += points is not None and points[seat] == 2
                if scores is not None:
                    sums[team] += scores[seat]
                    played[team] += 1
        for team in pair:
            won[team] += here[team]
            best = here[team] == max(here.values())
            equal = len(set(here.values())) == 1
            encounters[team] += 0 if not counting or not best else 1 if equal else 2
    known: dict[str, dict[str, Any]] = {
        "games won": won,
        "win points": points_sum,
        "encounter points": encounters,
        "average score": {each: Fraction(sums[each], max(1, played[each])) for each in teams},
    }
    criteria = contest["ranking"][1:]
    values = {team: [Fraction(known[name][team]) for name in criteria] for team in teams}

    def lot(team: str) -> bytes:
        words = "\x1f".join((str(contest["seed"]), "lot", contest["name"], team))
        return hashlib.sha256(words.encode()).digest()[:8]

    order = sorted(teams, key=lambda team: ([-value for value in values[team]], lot(team)))
    return [(team, values[team]) for team in order]


if __name__ == "__main__":
    for place, (team, row) in enumerate(table(sys.argv[1]), 1):
        print(place, team, *(round(float(value), 3) for value in row))
