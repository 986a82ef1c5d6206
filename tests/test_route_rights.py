"""Every route has a row that says who may ask for it, and every cell is tried through HTTP.

A new route without a row fails here: whoever adds one has to say whose it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from spielleiter.accounts.rights import RIGHTS, Action, Role
from tests.contests import QUICK
from tests.test_erasure import Site, site  # noqa: F401  # a fixture
from tests.test_people import PASSWORD, Browser

ROOT = Path(__file__).parents[1]
EVERYBODY = "everybody"
"""Pages, public lists, and what guests may do; some answers contain more for those who may."""

ROUTES: dict[Action | str, str] = {
    EVERYBODY: """
        GET /api/catalogue
        GET /api/guides/{edition}
        GET /api/games
        GET /api/games/{game}
        GET /api/games/{game}/rematch
        GET /api/games/{game}/scenes
        GET /api/games/{game}/scenes/{turn}
        GET /api/games/{game}/positions/{turn}
        GET /api/games/{game}/files/{file}
        GET /api/games/{game}/feed
        GET /api/network
        GET /api/session
        POST /api/replays
        GET /api/replays/{source}/{name}
        GET /api/replays/{source}/{name}/positions/{turn}
        GET /api/replays/{source}/{name}/picture.svg
        GET /api/replays/{source}/{name}/picture.png
        GET /api/replays/{source}/{name}/page.html
        GET /api/replays/{source}/{name}/replay{suffix}
        GET /api/annotations/{source}/{name}
        POST /api/annotations/seats/{code}
        GET /api/analysis/engines/{edition}
        GET /api/analysis/position
        GET /api/analysis/line
        GET /api/analysis/{source}/{name}
        GET /api/reviews/{source}/{name}
        GET /api/reviews/{source}/{name}/gym.toml
        GET /api/reviews/{source}/{name}/better/{turn}.svg
        GET /api/reviews/{source}/{name}/tried/{turn}
        GET /api/contests
        GET /api/contests/{contest}
        GET /api/contests/{contest}/games
        GET /api/contests/{contest}/games.zip
        GET /api/contests/{contest}/meeting
        GET /api/contests/{contest}/games/{number}/log
        GET /api/contests/{contest}/feed
        GET /api/contests/{contest}/stage
        GET /api/stores
        POST /api/stores
        GET /api/stores/{store}
        GET /api/stores/{store}/games.zip
        GET /api/explorer
        GET /api/explorer/picture.svg
        GET /api/starts/{edition}
        POST /api/starts/{edition}
        GET /api/me
        GET /api/registration
        GET /api/texts/{name}
        GET /api/invitations/{secret}
        GET /api/feeds/{key}
        POST /api/reset
        DELETE /api/session
        DELETE /api/login
    """,
    Action.SEE_TEAMS: """
        GET /api/teams
        GET /api/teams/{team}
        GET /api/bots/{bot}
        GET /api/ladder
        GET /api/ladder/{edition}
        GET /api/ladder/{edition}/games
        GET /api/ladder/{edition}/feed.atom
        GET /api/ladder/versions/{version}
        GET /api/ladder/versions/{version}/games.zip
        GET /api/ladder/games/{game}
        GET /api/teams/{team}/friendlies
        GET /api/friendlies/{friendly}
        GET /api/seasons
        GET /api/seasons/{season}
        GET /api/seasons/{season}/games/{number}/log
    """,
    Action.REGISTER: "POST /api/members",
    Action.MAKE_TEAM: "POST /api/teams",
    Action.JOIN_TEAM: "POST /api/invitations/{secret}",
    Action.OWN_ACCOUNT: """
        GET /api/me/export
        POST /api/me/password
        POST /api/me/erase
    """,
    Action.OWN_TOKENS: """
        GET /api/me/tokens
        POST /api/me/tokens
        DELETE /api/me/tokens/{token}
    """,
    Action.SEE_INSIDE: "GET /api/versions/{version}",
    Action.DOWNLOAD: "GET /api/versions/{version}/file",
    Action.INVITE: "POST /api/teams/{team}/invitation",
    Action.RENAME_TEAM: "POST /api/teams/{team}/name",
    Action.LEAVE_TEAM: "POST /api/teams/{team}/leave",
    Action.SET_WEBHOOK: "POST /api/teams/{team}/webhook",
    Action.MAKE_BOT: """
        POST /api/teams/{team}/bots
        POST /api/bots/{bot}/name
        DELETE /api/bots/{bot}
    """,
    Action.UPLOAD: "POST /api/bots/{bot}/versions",
    Action.CHOOSE_VERSION: "POST /api/versions/{version}/activate",
    Action.CHALLENGE: """
        POST /api/teams/{team}/friendlies
        POST /api/teams/{team}/friendlies/{friendly}/accept
        POST /api/teams/{team}/friendlies/{friendly}/decline
        POST /api/teams/{team}/friendlies/{friendly}/end
    """,
    Action.ENTER_SEASON: """
        PUT /api/seasons/{season}/entries/{team}
        POST /api/seasons/{season}/entries/{team}/withdrawal
    """,
    Action.PARK: """
        POST /api/versions/{version}/park
        POST /api/versions/{version}/unpark
    """,
    Action.LIST_MEMBERS: "GET /api/members",
    Action.RENAME_MEMBER: "POST /api/members/{member}/name",
    Action.MAKE_RESET: "POST /api/members/{member}/reset",
    Action.SET_ROLE: "POST /api/members/{member}/role",
    Action.ERASE_MEMBER: "DELETE /api/members/{member}",
    Action.ERASE_TEAM: "DELETE /api/teams/{team}",
    Action.SET_REGISTRATION: "POST /api/registration",
    Action.WRITE_PAGES: "POST /api/texts/{name}",
    Action.RUN_SEASON: """
        POST /api/seasons
        GET /api/seasons/choices
        POST /api/seasons/import
        PUT /api/seasons/{season}
        DELETE /api/seasons/{season}
        GET /api/seasons/{season}/contest.toml
        POST /api/seasons/{season}/actions
        POST /api/seasons/{season}/days
    """,
    Action.JUDGE: "POST /api/seasons/{season}/rulings",
}
TRIED_ELSEWHERE = {
    "POST /api/games": "test_a_guest_has_so_many_games_open_and_no_more",
    "POST /api/games/{game}/rematch": "test_a_rematch_changes_seats_and_the_old_keys_fit",
    "POST /api/games/{game}/pause": "test_who_opened_a_game_may_end_it_and_strangers_may_not",
    "POST /api/games/{game}/step": "test_who_opened_a_game_may_end_it_and_strangers_may_not",
    "POST /api/games/{game}/cancel": "test_who_opened_a_game_may_end_it_and_strangers_may_not",
    "POST /api/network": "test_the_network_is_let_in_by_one_switch_through_an_address_that_works",
    "POST /api/contests/{contest}/stage/host": "test_who_may_host_the_stage_of_a_season",
    "POST /api/contests/{contest}/stage/start": "test_who_may_host_the_stage_of_a_season",
    "POST /api/contests/{contest}/stage/skip": "test_who_may_host_the_stage_of_a_season",
    "POST /api/login": "test_wrong_passwords_make_a_name_wait_but_not_its_classmates",
    "POST /api/session": "test_many_addresses_that_guess_lock_the_login_but_not_the_organiser",
    "POST /api/first-password": "test_the_first_organiser_is_one_of_several",
    "POST /api/password": "test_the_first_organiser_is_one_of_several",
}
"""Routes that need a running game, or where a password decides."""
LAST = ("DELETE", "POST /api/teams/{team}/leave", "POST /api/me/password", "POST /api/me/erase")
"""What takes away what others need is asked for at the end, erasing accounts last of all."""
BODIES: dict[str, Any] = {
    "POST /api/members": {"name": "Another one", "password": "long enough", "code": ""},
    "POST /api/seasons/import": {"toml": "[contest]"},
    "POST /api/me/password": {"old": PASSWORD, "password": PASSWORD},
    "POST /api/me/erase": {"password": PASSWORD},
}


def rows() -> Iterator[tuple[str, Action | str]]:
    for whose, text in ROUTES.items():
        for line in text.strip().splitlines():
            yield line.strip(), whose


def test_every_route_has_a_row_and_every_row_a_route(site: Site) -> None:  # noqa: F811
    known = [route for route, _ in rows()] + list(TRIED_ELSEWHERE)
    assert sorted(known) == sorted(described(site.olga))
    tests = "".join(path.read_text("utf-8") for path in ROOT.glob("tests/test_*.py"))
    for test in TRIED_ELSEWHERE.values():
        assert f"def {test}(" in tests, test


def test_every_role_is_let_in_or_refused_as_the_table_says(site: Site) -> None:  # noqa: F811
    season, spec = site.season(), described(site.olga)
    ids = {
        "team": site.versions[0].team,
        "bot": site.versions[0].bot,
        "version": site.versions[0].id,
        "season": season,
        "edition": QUICK,
        "member": site.grace.get("/api/me")["member"]["id"],
        "secret": site.house.accounts.teams.invite(site.versions[0].team),
    }
    who = {
        Role.GUEST: site.house.browser(),
        Role.MEMBER: site.house.member("Marie"),
        Role.TEAMMATE: site.ada,
        Role.ORGANISER: site.olga,
    }
    cells = [
        (route, role, role in RIGHTS[whose])
        for route, whose in sorted(rows(), key=lambda row: order(row[0]))
        for role in Role
        if isinstance(whose, Action)
    ]
    found = {
        (route, role): status(who[role], route, ids, spec[route])
        for route, role, may in sorted(cells, key=lambda cell: cell[2])  # refused: nothing changed
    }
    wrong = [
        (route, role.name, found[route, role])
        for route, role, may in cells
        if may == (found[route, role] in (401, 403))
        or (not may and found[route, role] != (401 if role is Role.GUEST else 403))
    ]
    assert wrong == []


def order(route: str) -> int:
    """When a route is tried: 0 at first."""
    return max((at for at, each in enumerate(LAST, 1) if route.startswith(each)), default=0)


def described(browser: Browser) -> dict[str, Any]:
    """Every route with its description; references are resolved."""
    found = browser.get("/api/openapi.json")
    schemas = found["components"]["schemas"]
    return {
        f"{method.upper()} {path}": _body(each, schemas)
        for path, methods in found["paths"].items()
        for method, each in methods.items()
    }


def status(browser: Browser, route: str, ids: dict[str, str], body: Any) -> int:
    method, _, path = route.partition(" ")
    address = re.sub(r"\{(\w+)\}", lambda found: ids.get(found[1], "1"), path)
    if path.endswith("/versions") and method == "POST":
        address += "?name=bot.py"
    sent = {} if method in ("GET", "DELETE") else {"json": BODIES.get(route, body)}
    answer = browser.ask(method, address, **sent)
    if route == "POST /api/me/password" and answer.is_success:
        browser.headers["x-csrf-token"] = answer.json()["csrf"]  # a new login
    return answer.status_code


def _body(route: Any, schemas: Any) -> Any:
    """A body that is well formed, so that nobody is refused for that."""
    content = route.get("requestBody", {}).get("content", {}).get("application/json")
    return {} if content is None else _sample(content["schema"], schemas)


def _sample(schema: Any, schemas: Any) -> Any:
    if "$ref" in schema:
        return _sample(schemas[schema["$ref"].rpartition("/")[2]], schemas)
    if "anyOf" in schema:
        return _sample(schema["anyOf"][0], schemas)
    if "enum" in schema or "const" in schema:
        return schema.get("enum", [schema.get("const")])[0]
    match schema.get("type"):
        case "object":
            wanted = schema.get("required", ())
            return {name: _sample(schema["properties"][name], schemas) for name in wanted}
        case "array":
            return [_sample(schema["items"], schemas)] * schema.get("minItems", 0)
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return True
    return "long enough for all"[: schema.get("maxLength", 20)]
