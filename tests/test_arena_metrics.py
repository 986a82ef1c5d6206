"""The metrics of an arena: what they count, and that strangers cannot read them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx

from tests.test_people import Browser, house_in
from tests.test_season_web import SeasonHouse, site

__all__ = ["site"]


def value(browser: Browser, name: str) -> float:
    text = browser.ask("GET", "/metrics").text
    start = f"spielleiter_arena_{name} "
    found = [line for line in text.splitlines() if line.startswith(start)]
    return float(found[0].removeprefix(start)) if found else 0.0


def test_requests_are_counted_by_how_they_ended(tmp_path: Path) -> None:
    with house_in(tmp_path) as house:
        browser, name = house.browser(), 'request_seconds_count{kind="api",status="4xx"}'
        before = value(browser, name)
        assert browser.ask("GET", "/api/nothing").status_code == 404
        assert value(browser, name) == before + 1
        assert value(browser, "games") == 0


def test_seasons_tell_what_machines_spoilt_and_what_cannot_be_played(site: SeasonHouse) -> None:
    site.started()
    site.seasons.trouble[site.season] = "the disk is full"
    browser = site.organiser()
    assert value(browser, 'seasons{state="running"}') == 1
    assert value(browser, 'versions{state="released"}') == 2
    assert value(browser, "season_trouble") == 1
    assert value(browser, "season_spoilt_total") == 0


def test_a_stranger_of_the_network_reads_nothing(tmp_path: Path) -> None:
    with house_in(tmp_path) as house:
        transport = httpx.ASGITransport(house.app, client=("192.0.2.4", 40_000))
        away = httpx.AsyncClient(transport=transport, base_url="http://localhost:8080")
        assert asyncio.run(away.get("/metrics")).status_code == 401
