"""`spielleiter doctor`: what is wrong between a client and a server?"""

from __future__ import annotations

import socket
from typing import IO

import click

from spielleiter.cli._options import ClientCommand, authority_option
from spielleiter.client.connection import HOST, PORT
from spielleiter.client.doctor import examine
from spielleiter.client.finding import Finding, Severity
from spielleiter.client.proxy import Inspector, relay
from spielleiter.game import Authority

_COLOURS = {Severity.FINE: "green", Severity.NOTE: "yellow", Severity.PROBLEM: "red"}


@click.command(cls=ClientCommand, context_settings={"help_option_names": ["--help"]})
@click.option("-h", "--host", default=HOST, show_default=True, help="The server's address.")
@click.option("-p", "--port", default=PORT, show_default=True, help="Its port.")
@click.option("--game", metavar="GAME", help="Must offer this edition or game type.")
@click.option(
    "--password",
    envvar="SPIELLEITER_PASSWORD",
    show_envvar=True,
    help="The administrator's password; with it, the games on offer are tried.",
)
@click.option(
    "--between",
    "listen",
    type=click.IntRange(0, 65535),
    metavar="PORT",
    help="Listen here: start your client with this port, and see what either side does wrong.",
)
@click.option(
    "--record",
    type=click.File("wb"),
    metavar="FILE",
    help="With --between: write the conversation to this file, as our tests read it.",
)
@authority_option
def command(
    host: str,
    port: int,
    game: str | None,
    password: str | None,
    listen: int | None,
    record: IO[bytes] | None,
    authority: Authority,
) -> None:
    """Find out why a client and a contest server disagree.

    It connects, redeems a code that cannot exist, and disconnects. With the administrator's
    password it also prepares a paused game of every season, to see which are offered, and cancels
    it at once. With --between it listens to your own client. Exit status 1 if there is a problem.
    As in the contest, -h is the host; alone, it shows this help.
    """
    found: list[Finding] = []

    def report(finding: Finding) -> None:
        found.append(finding)
        click.echo(
            f"{click.style(finding.severity.value, fg=_COLOURS[finding.severity])}: {finding.text}"
        )

    for finding in examine(host, port, password=password, game=game):
        report(finding)
    if listen is not None and not _problems(found):
        with socket.create_server(("127.0.0.1", listen)) as listener:
            at = listener.getsockname()[1]
            click.echo(f"Now start your client with --host localhost --port {at}.")
            keep = None if record is None else record.write
            relay(listener, host, port, Inspector(authority), report, keep)
    raise SystemExit(1 if _problems(found) else 0)


def _problems(found: list[Finding]) -> bool:
    return any(finding.severity is Severity.PROBLEM for finding in found)
