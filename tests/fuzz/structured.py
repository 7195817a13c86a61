"""Changes to files that keep their syntax: trees of JSON, records. Bytes are changed by the fuzzer itself."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from typing import Any

from .readers import RECORD_END

# What stands in no file of ours: numbers out of range, text that would be code, kinds where they do not belong.
HOSTILE: list[Any] = [
    *(None, True, False, 0, -1, 1, 2**31, 2**63, -(2**63), 10**30, 10**400, 1.5, -0.0, float("inf"), float("nan")),
    *(
        "",
        "\0",
        "a b",
        "../x",
        "/etc/passwd",
        "file:///tmp/x",
        "__import__('os').abort()",
        "class",
        "\ud800",
        "x" * 300,
    ),
    *(
        [],
        {},
        [[]],
        [None],
        [0] * 300,
        {"": None},
        {"ref": 0},
        {"ref": -1},
        {"ref": 10**9},
        {"tuple": []},
        {"dict": [[[], 0]]},
    ),
    *({"tensor": "x"}, {"array": "variable/0"}, {"object": 0}, {"traced": 0}, {"variable": 0}, {"table": 0}),
    *(
        {"namedtuple": ["print", ["end"], [1]]},
        {"slice": [1, 2, 0]},
        {"range": [0, 10**12, 1]},
        {"shape": [10**9, 10**9]},
    ),
    *(
        {"dtype": "string"},
        {"dtype": "variant"},
        {"spec": [None, "float32", None]},
        {"float": "nan"},
        {"bytes": "eA=="},
    ),
    *({"function": ["function", "print"]}, {"stream": "stdout"}, {"ellipsis": []}, ["op", "tanh"], ["trace", 0]),
    *(
        ["function", "while_loop"],
        ["function", "map_fn"],
        ["method", "write"],
        ["class", "TensorArray"],
        ["step", "enter"],
    ),
]

Change = Callable[[bytes, random.Random], bytes]


def json_changed(data: bytes, draw: random.Random) -> bytes:
    """The tree with a few parts replaced, removed, doubled, wrapped, or put in each other's place."""
    try:
        tree = json.loads(data)
    except (ValueError, RecursionError):
        return data
    for _ in range(draw.choice((1, 1, 1, 2, 4))):
        places = _places(tree)
        if not places:
            return json.dumps(draw.choice(HOSTILE)).encode()
        _change(places, draw)
    return json.dumps(tree, ensure_ascii=draw.random() < 0.9).encode("utf-8", "surrogatepass")


def _places(tree: Any) -> list[tuple[Any, Any]]:
    found, waiting = [], [tree]
    while waiting:
        part = waiting.pop()
        for key in list(part) if isinstance(part, dict) else range(len(part)) if isinstance(part, list) else ():
            found.append((part, key))
            waiting.append(part[key])
    return found


def _change(places: list[tuple[Any, Any]], draw: random.Random) -> None:
    part, key = draw.choice(places)
    other, other_key = draw.choice(places)
    action = draw.randrange(7)
    if action == 0:
        del part[key]
    elif action == 1:
        part[key] = copy.deepcopy(other[other_key])
    elif action == 2 and isinstance(part, list):
        part.insert(key, copy.deepcopy(part[key]))
    elif action == 3 and isinstance(part, dict):
        part[draw.choice(["", "x", "name", "value", str(other_key)])] = part.pop(key)
    elif action == 4:
        part[key] = {draw.choice(["tuple", "graph", "dict", "slice", "namedtuple", "spec", "list"]): [part[key]]}
    else:
        part[key] = copy.deepcopy(draw.choice(HOSTILE))


def records_changed(data: bytes, draw: random.Random) -> bytes:
    """The records with one removed, doubled, moved, or, if it is JSON, changed."""
    records = data.split(RECORD_END)
    place = draw.randrange(len(records))
    action = draw.randrange(4)
    if action == 0 and len(records) > 1:
        del records[place]
    elif action == 1:
        records.insert(draw.randrange(len(records) + 1), records[place])
    else:
        records[place] = json_changed(records[place], draw)
    return RECORD_END.join(records)


CHANGES: dict[str, Change] = {"json": json_changed, "records": records_changed}
