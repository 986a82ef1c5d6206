"""`spielleiter store verify|repair WHERE`: verify and repair stores."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import click

from spielleiter.cli._options import seal_option
from spielleiter.errors import StoreError
from spielleiter.store import StoreAddress, open_store
from spielleiter.store.address import STORE
from spielleiter.store.lock import LOCK, FolderLock
from spielleiter.store.repair import RepairReport
from spielleiter.store.repair import repair as repaired

where_argument = click.argument("where", metavar="WHERE")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Verify or repair a store.

    It is a file, the data folder of an arena, or the URL of a database.
    """


@command.command()
@where_argument
@seal_option
def verify(where: str, seal: str | None) -> None:
    """Compare every entry with its hash, and with a SEAL."""
    address = _address(where)
    if not address.exists:
        raise StoreError(f"there is no store {address}")
    with closing(open_store(address)) as store:
        wrong = [*store.check(), *(store.check_seal(seal) if seal else ())]
        now = store.seal
    for line in wrong:
        click.echo(line, err=True)
    if wrong:
        raise StoreError(
            f"{address} was changed; save the rest: spielleiter store repair {address}"
        )
    click.echo(f"All entries are as they were written. Seal: {now}")


@command.command()
@where_argument
@click.option("--to", "target", metavar="NEW", help="Write what is kept to another store.")
def repair(where: str, target: str | None) -> None:
    """Repair a damaged store: list what is lost and keep the rest.

    A file is replaced; what it was is kept beside it as FILE.damaged.
    """
    address = _address(where)
    with _not_in_use(address):
        report = repaired(address, None if target is None else StoreAddress.of(target))
    _print(report)


def _print(report: RepairReport) -> None:
    for line in report.lost:
        click.echo(f"lost: {line}")
    for line in report.doubtful:
        click.echo(f"kept: {line}")
    click.echo(f"{report.kept} entries kept, {len(report.lost)} lost.")


def _address(where: str) -> StoreAddress:
    """A folder means the store of the arena that keeps its data there."""
    is_folder = "://" not in where and Path(where).is_dir()
    return StoreAddress.of(Path(where) / STORE if is_folder else where)


@contextmanager
def _not_in_use(address: StoreAddress) -> Iterator[None]:
    folder = Path(address.where).parent
    if address.is_database or not (folder / LOCK).exists():
        yield
        return
    with FolderLock(folder):
        yield
