"""Options of an arena for uploads: database, size limit and trust."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from spielleiter.errors import UsageError
from spielleiter.handin.upload_check import UploadCheck, why_no_uploads
from spielleiter.sandbox import probe

_MB = 1024 * 1024


def upload_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """--database, --upload-limit, --trust-uploads."""
    for option in reversed(
        (
            click.option(
                "--database",
                metavar="URL",
                help="Keep people, bots and the ladder in PostgreSQL.  [default: a file in --data]",
            ),
            click.option(
                "--upload-limit",
                type=click.IntRange(1, 2_000),
                default=100,
                show_default=True,
                metavar="MB",
                help="How large an uploaded bot may be.",
            ),
            click.option(
                "--trust-uploads",
                is_flag=True,
                help="Run uploaded bots even without a sandbox: every page says so.",
            ),
        )
    ):
        function = option(function)
    return function


def refuse_readable(data: Path) -> None:
    """Raises UsageError for a data folder inside Python's own, which every bot may read."""
    for folder in {sys.prefix, sys.base_prefix}:
        if data.resolve().is_relative_to(Path(folder).resolve()):
            raise UsageError(
                f"the data folder {data} lies inside {folder}, which every bot may read: "
                "choose another with --data"
            )


def upload_settings(upload_limit: int, trust_uploads: bool) -> dict[str, Any]:
    """Settings from the options: uploads need a sandbox or explicit trust."""
    refused = why_no_uploads()
    trusted = refused is not None and trust_uploads
    check = UploadCheck(probe().best.text) if trusted else UploadCheck()
    hint = "; `spielleiter arena --trust-uploads` runs them all the same, without a sandbox"
    return {
        "largest_upload": upload_limit * _MB,
        "trusts_uploads": trusted,
        "check_upload": None if refused is not None and not trusted else check,
        "uploads_refused": None if refused is None or trusted else refused + hint,
    }
