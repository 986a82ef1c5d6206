"""Options of the commands that administer a contest server: where it is, and its password."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click

from spielleiter.client.admin import PASSWORD, Administrator
from spielleiter.client.connection import HOST, PORT
from spielleiter.game import Authority


@dataclass(frozen=True, slots=True)
class Login:
    """The address of the server, and the administrator's password."""

    host: str
    port: int
    password: str

    def open(self, game: str | None, authority: Authority = "document") -> Administrator:
        """A connection as an administrator."""
        return Administrator.open(
            self.host, self.port, self.password, game=game, authority=authority
        )

    def tell(self, game: str | None, request: Callable[[Administrator], None]) -> None:
        """Send a request that is answered only if it is refused; waits a moment for that."""
        with self.open(game) as admin:
            request(admin)
            admin.settle()


def login_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """--host, --port and --password, as one argument `server`."""

    @functools.wraps(function)
    def wired(host: str, port: int, password: str, **others: Any) -> Any:
        return function(server=Login(host, port, password), **others)

    options = (
        click.option("--host", default=HOST, show_default=True, help="The server's address."),
        click.option("-p", "--port", default=PORT, show_default=True, help="Its port."),
        click.option(
            "--password",
            default=PASSWORD,
            envvar="SPIELLEITER_PASSWORD",
            show_default=True,
            show_envvar=True,
            help="The administrator's password.",
        ),
    )
    for option in reversed(options):
        wired = option(wired)
    return wired
