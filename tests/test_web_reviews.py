"""Reviews over HTTP: what a move was worth, what would have been better, tasks for the gym."""

from __future__ import annotations

from pathlib import Path

import pytest

from spielleiter import games
from spielleiter.gym import GymSet
from spielleiter.web import reviews
from tests.arenas import arena, built_in
from tests.contests import QUICK


def test_a_finished_game_is_reviewed_once_for_everybody_in_both_languages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reviews, "usual_nodes", lambda position, game, part: 20)
    with arena(tmp_path) as visitor:
        game = visitor.order(QUICK, built_in("random"), built_in("random"))["id"]
        visitor.watch_to_the_end(game)
        where = f"/api/reviews/game/{game}"
        review, german = visitor.get(where), visitor.get(where, lang="de")
        assert [each["turn"] for each in review["turns"]] == list(
            range(1, len(german["turns"]) + 1)
        )
        assert review["accuracy"] == german["accuracy"]
        assert review["seats"] != german["seats"]
        assert all(0 <= each["chance_after"] <= each["chance"] <= 1 for each in review["turns"])
        picture = f"{where}/better/{review['turns'][0]['turn']}.svg"
        drawn, gezeichnet = (
            visitor.http.get(picture, params={"lang": lang}).text for lang in ("en", "de")
        )
        assert drawn.startswith("<svg")
        assert gezeichnet.startswith("<svg")
        assert drawn != gezeichnet
        tasks = visitor.http.get(f"{where}/gym.toml").text
        wrong = [each for each in review["turns"] if each["grade"] in ("mistake", "blunder")]
        assert tasks.count("[[position]]") == len(wrong)
        if wrong:
            turn = wrong[0]["turn"]
            one = GymSet.parse(visitor.http.get(f"{where}/gym.toml?turn={turn}").text)
            assert one.positions[0].best == (wrong[0]["best"],)
        assert visitor.http.get(f"{where}/gym.toml?turn=9999").status_code == 404
        last = review["turns"][-1]
        tried = visitor.get(f"{where}/tried/{last['turn']}", move=last["best"])
        assert (tried["grade"], tried["chance_after"]) == ("best", last["chance"])
        other = next(each for each in review["turns"] if each["choices"] > 1)
        tried = visitor.get(f"{where}/tried/{other['turn']}", move=other["move"])
        assert (tried["grade"], tried["chance_after"]) == (other["grade"], other["chance_after"])
        turns = visitor.get(f"/api/replays/game/{game}")["turns"]
        before = games.load(QUICK).parse(turns[other["turn"] - 1]["position"])
        known = {other["best"], other["move"]}
        for move in [each.text() for each in before.legal_moves() if each.text() not in known][:1]:
            tried = visitor.get(f"{where}/tried/{other['turn']}", move=move)
            assert 0 <= tried["chance_after"] <= tried["chance"] <= 1
        assert visitor.http.get(f"{where}/tried/1?move=nonsense").status_code == 422


def test_who_still_plays_is_not_helped(tmp_path: Path) -> None:
    with arena(tmp_path) as visitor:
        game = visitor.order(QUICK, built_in("random"), {"kind": "person"})["id"]
        answer = visitor.http.get(f"/api/reviews/game/{game}")
        assert answer.status_code == 422
        assert answer.json()["detail"]["code"] == "not-over"
        assert visitor.http.get("/api/reviews/game/9999").status_code == 404
