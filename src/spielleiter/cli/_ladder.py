"""The option of an arena that says how many games of uploaded bots are played at a time."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import click


def ladder_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """--ladder, as the argument `ladder`; half of the processors are for people and pages."""
    return click.option(
        "--ladder",
        type=click.IntRange(0, 256),
        default=max(1, (os.cpu_count() or 1) // 2),
        show_default=True,
        help="Games of uploaded bots at a time; 0: they do not play by themselves.",
    )(function)
