"""Imported last by the fork server of `tests.forked`: what every copy would do again.

The games with their native modules are loaded. All of it is there for good: copies look for
garbage among what comes later only, and do not write to the pages that they share.
"""

from __future__ import annotations

import gc

from spielleiter import games

for _name in games.names():
    games.load(_name)
gc.collect()
gc.freeze()
