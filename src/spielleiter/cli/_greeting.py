"""The greeting of an arena: its addresses, and how to become its organiser."""

from __future__ import annotations

import sys

import click

from spielleiter.service.arena import ArenaSettings, OpenArena
from spielleiter.service.process import EVERYWHERE


def greet(settings: ArenaSettings, is_open: OpenArena) -> None:
    """Print the addresses of pages and ports, and where to choose the organiser's password."""
    is_here = settings.is_local or settings.host in EVERYWHERE
    name = "localhost" if is_here else settings.host
    ports = is_open.service.ports
    click.echo(f"the arena is open: http://{name}:{is_open.port}/")
    network = is_open.arena.network
    if network is not None and network.address is not None:
        click.echo(f"in the local network: {network.address}/")
    listed = ", ".join(f"{name} {port}" for name, port in (*ports.seasons, *ports.binary))
    click.echo(f"ports for clients: XML {ports.xml} ({ports.first} unless a client names its game)")
    click.echo(f"of single games: {listed}")
    click.echo(f"everything is kept in {settings.data}")
    if is_open.arena.setup_code is not None:
        code = is_open.arena.setup_code
        address = f"http://{name}:{is_open.port}/organiser"
        click.echo(f"organiser? choose your password: {address} with this code: {code}")
    elif not is_open.arena.rights.password_set:
        click.echo(f"organiser? choose your password: http://{name}:{is_open.port}/organiser")
    sys.stdout.flush()
