"""Native functions that were compiled before, found by what they are written from: no text is written for them.

A note lies beside the object code (native/object_cache.py). It has the key of the module, and where each address of the table is
from (origins.py). Where something is missing, or does not fit this process, the text is written.
"""

from __future__ import annotations

import json
import logging
from typing import NamedTuple

from ...native import engine
from ...native.object_cache import NOTE, of_user
from .identity import Identity
from .memory import Table
from .origins import Unknown, found

LOGGER = logging.getLogger("gradtape")


class Known(NamedTuple):
    """A native function: where it begins, and the table that it is given."""

    address: int
    table: Table


def known(identity: Identity) -> Known | None:
    """The function with this identity; None where it is not known."""
    cache = of_user()
    note = None if cache is None else cache.load(identity.key, NOTE)
    if note is None:
        return None
    try:
        module, origins = json.loads(note)
        table = Table()
        for origin in origins:
            table.add(*found(origin, identity.things))
    except (ValueError, TypeError, IndexError, AttributeError, Unknown) as error:
        LOGGER.debug("What is noted of a native function does not fit: %s", error)
        return None
    addresses = engine.compiled_before(module, "entry")
    return None if addresses is None else Known(addresses[0], table)


def remember(identity: Identity, module: str, table: Table) -> None:
    """Note a function whose module was compiled, for processes to come."""
    cache = of_user()
    if cache is not None and None not in table.origins:
        cache.store(identity.key, json.dumps([module, table.origins]).encode(), NOTE)
