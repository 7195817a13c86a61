"""From a long list of nodes to a tree whose groups are small: calls, functions, runs of equal ops, rounds of loops.

Everything here goes by the order of the program and by source lines. A loop is found as what repeats: the same ops, or calls, of
the same lines in the same order. The smallest period is folded first, so that an inner loop is one item of the outer one,
however often it went round.
"""

from __future__ import annotations

import ast
import functools
import linecache
import math
from collections.abc import Hashable, Iterable
from dataclasses import replace

import numpy as np

from ..places import Where
from .picture import Group, Node, Scope, short_name

MOST_CHILDREN = 30  # of a group, without variables: what one can look at, and what is laid out in some 50 ms
_MOST_LEAVES = 60
_FEWEST_ROUNDS = 3
_FEWEST_ITEMS = 8  # in all rounds; fewer are shown as they are
_LONGEST_ROUND = 256  # items

Child = Group | int


def arranged(nodes: list[Node]) -> Group:
    """The tree of these nodes; no group has more than `MOST_CHILDREN` children, and the variables that they use.

    A variable that several groups use stands in each of them; the copies are added to the nodes.
    """
    root = _nested(nodes)
    for group in list(root.groups()):
        group.children = _by_function(group.children, nodes)
    _dissolve(root)
    for group in reversed(list(root.groups())):  # the innermost first
        group.children = _folded(group.children, nodes)
    for group in list(root.groups()):
        _bound(group)
    _place_leaves(root, nodes)
    return root


def _nested(nodes: list[Node]) -> Group:
    """The tree of the scopes; leaves are placed later."""
    root = Group("root", "", [])
    path: list[tuple[Scope, Group]] = []
    for place, node in enumerate(nodes):
        if node.is_leaf:
            continue
        depth = 0
        while depth < min(len(path), len(node.scopes)) and path[depth][0].number == node.scopes[depth].number:
            depth += 1
        del path[depth:]
        for scope in node.scopes[depth:]:
            inner = Group(scope.kind, scope.name, [], scope.where, scope.note)
            (path[-1][1] if path else root).children.append(inner)
            path.append((scope, inner))
        (path[-1][1] if path else root).children.append(place)
    return root


def _by_function(children: list[Child], nodes: list[Node]) -> list[Child]:
    """Consecutive ops of another function of the program than the one that made the last of them, as a group."""
    own = [nodes[child].function for child in children if isinstance(child, int)]
    if not own or len(set(own)) == 1:
        return children
    home = own[-1]
    found: list[Child] = []
    before = ""
    for child in children:
        function = nodes[child].function if isinstance(child, int) else ""
        if function in ("", home):
            found.append(child)
        elif function == before and isinstance(last := found[-1], Group):
            last.children.append(child)
        else:
            kind = "module" if "." in function else "function"
            found.append(Group(kind, function, [child], nodes[child].where if isinstance(child, int) else None))
        before = function
    return found


def _dissolve(group: Group) -> None:
    """A call, or function, of one op is that op."""
    for place, child in enumerate(group.children):
        if isinstance(child, Group):
            _dissolve(child)
            if len(child.children) == 1 and child.kind in ("call", "function", "module"):
                group.children[place] = child.children[0]


# --- what repeats --------------------------------------------------------------------------------------------------------


def _folded(children: list[Child], nodes: list[Node]) -> list[Child]:
    if len(children) < _FEWEST_ITEMS:
        return children
    numbers: dict[Hashable, int] = {}
    codes = [numbers.setdefault(_key(child, nodes), len(numbers)) for child in children]
    period = 1
    while period <= min(_LONGEST_ROUND, len(children) // _FEWEST_ROUNDS):
        repeated = _repeats(np.array(codes), period)
        for start, rounds in reversed(repeated):
            start, rounds = _aligned(start, rounds, period, children, nodes)
            end = start + rounds * period
            body = tuple(codes[start : start + period])
            items = [children[first : first + period] for first in range(start, end, period)]
            children = [*children[:start], _loop(items, nodes), *children[end:]]
            codes = [*codes[:start], numbers.setdefault(("loop", body), len(numbers)), *codes[end:]]
        period += 1
    return children


def _key(child: Child, nodes: list[Node]) -> Hashable:
    if isinstance(child, Group):
        return child.kind, child.name
    return nodes[child].name, nodes[child].where


def _repeats(codes: np.ndarray, period: int) -> list[tuple[int, int]]:
    """Where items repeat after so many others, and how many rounds there are."""
    same = np.flatnonzero(np.diff(np.concatenate([[0], codes[period:] == codes[:-period], [0]])))
    found = []
    for start, end in zip(same[::2].tolist(), same[1::2].tolist(), strict=True):
        rounds = (end - start + period) // period
        if rounds >= _FEWEST_ROUNDS and rounds * period >= _FEWEST_ITEMS:
            found.append((start, rounds))
    return found


def _aligned(start: int, rounds: int, period: int, children: list[Child], nodes: list[Node]) -> tuple[int, int]:
    """A round begins at its first line; what stands before the loop may look like the end of a round."""
    lines = [_line(children[start + shift], nodes) for shift in range(period)]
    shift = lines.index(min(lines))
    return (start + shift, rounds - 1) if shift and rounds > _FEWEST_ROUNDS else (start, rounds)


def _line(child: Child, nodes: list[Node]) -> int:
    where = _where(child, nodes)
    return where.line if where is not None else 0


def _where(child: Child, nodes: list[Node]) -> Where | None:
    return child.where if isinstance(child, Group) else nodes[child].where


def _loop(rounds: list[list[Child]], nodes: list[Node]) -> Group:
    places = [place for child in rounds[0] if (place := _where(child, nodes)) is not None]
    where = min(places, key=lambda place: place.line, default=None)
    statement = loop_around(places)
    count = f"× {len(rounds)}"
    if len(rounds[0]) == 1:
        (child,) = rounds[0]
        if isinstance(child, Group):
            return Group("loop", f"{statement or child.name}  {count}", [one for (one,) in rounds], where)
        return Group("run", f"{nodes[child].name}  {count}", [one for (one,) in rounds], where)
    inside: list[Child] = [Group("round", f"round {number}", items) for number, items in enumerate(rounds, 1)]
    return Group("loop", f"{statement or _span(places)}  {count}", inside, where)


def _span(places: list[Where]) -> str:
    lines = sorted({place.line for place in places})
    if not lines:
        return "repeated"
    name = short_name(places[0].file)
    return f"{name}:{lines[0]}" if len(lines) == 1 else f"{name}:{lines[0]}–{lines[-1]}"


def loop_around(places: list[Where]) -> str:
    """The head of the innermost loop or comprehension around these lines: "for t in range(5)"; empty where there is none."""
    if not places or len({place.file for place in places}) != 1:
        return ""
    first, last = min(place.line for place in places), max(place.line for place in places)
    around = [loop for loop in _loops(places[0].file) if loop[0] <= first and last <= loop[1]]
    return min(around, key=lambda loop: loop[1] - loop[0])[2] if around else ""


@functools.lru_cache(64)
def _loops(file: str) -> list[tuple[int, int, str]]:
    """The loops of a file: first line, last line, head."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except SyntaxError:
        return []
    found = []
    for node in ast.walk(tree):
        if isinstance(node, (ast.For, ast.AsyncFor)):
            head = f"for {ast.unparse(node.target)} in {ast.unparse(node.iter)}"
        elif isinstance(node, ast.While):
            head = f"while {ast.unparse(node.test)}"
        elif isinstance(node, (ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)):
            loop = node.generators[0]
            head = f"for {ast.unparse(loop.target)} in {ast.unparse(loop.iter)}"
        else:
            continue
        found.append((node.lineno, node.end_lineno or node.lineno, head))
    return found


# --- leaves and sizes --------------------------------------------------------------------------------------------------


def _place_leaves(root: Group, nodes: list[Node]) -> None:
    """A variable stands in each group that uses it, another leaf in the innermost that has all users, before the first."""
    paths: dict[int, tuple[Group, ...]] = {}

    def walk(group: Group, path: tuple[Group, ...]) -> None:
        for child in group.children:
            if isinstance(child, Group):
                walk(child, (*path, child))
            else:
                paths[child] = path

    walk(root, (root,))
    users: dict[int, list[int]] = {}
    for place in paths:
        for source in dict.fromkeys((*nodes[place].inputs, *nodes[place].lost)):
            if nodes[source].is_leaf:
                users.setdefault(source, []).append(place)
    before: dict[int, dict[int, list[int]]] = {}  # in which group, before which child: leaves
    for leaf in [place for place, node in enumerate(nodes) if node.is_leaf]:
        for place, using in _copies(leaf, users.get(leaf, []), paths, nodes):
            path = _common([paths[user] for user in using]) or (root,)
            inner = paths[using[0]][len(path) :] if using else ()
            child = id(inner[0]) if inner else using[0] if using else -1
            before.setdefault(id(path[-1]), {}).setdefault(child, []).append(place)
    for group in list(root.groups()):
        if id(group) in before:
            group.children = _with_leaves(group, before[id(group)])


def _copies(
    leaf: int, users: list[int], paths: dict[int, tuple[Group, ...]], nodes: list[Node]
) -> Iterable[tuple[int, list[int]]]:
    """The leaf with its users; of a variable one copy for each group that uses it."""
    groups: dict[int, list[int]] = {}
    for user in users:
        groups.setdefault(id(paths[user][-1]), []).append(user)
    if nodes[leaf].kind != "variable" or len(groups) < 2:
        yield leaf, users
        return
    for number, using in enumerate(groups.values()):
        place = leaf
        if number:
            place = len(nodes)
            nodes.append(replace(nodes[leaf], same=leaf))
            for user in using:
                nodes[user].inputs = [place if each == leaf else each for each in nodes[user].inputs]
                nodes[user].lost = [place if each == leaf else each for each in nodes[user].lost]
        yield place, using


def _with_leaves(group: Group, before: dict[int, list[int]]) -> list[Child]:
    """The children, with leaves before them; very many leaves are a group of their own."""
    leaves = [leaf for some in before.values() for leaf in some]
    if len(leaves) > _MOST_LEAVES:
        inner = Group("part", f"{len(leaves)} variables and inputs", list(leaves))
        _bound(inner)
        return [inner, *group.children]
    children: list[Child] = list(before.get(-1, []))  # those that nobody uses
    for child in group.children:
        children += before.get(id(child) if isinstance(child, Group) else child, [])
        children.append(child)
    return children


def _common(paths: list[tuple[Group, ...]]) -> tuple[Group, ...]:
    """The part of the paths that all share."""
    shared = 0
    for level in zip(*paths, strict=False):
        if any(group is not level[0] for group in level):
            break
        shared += 1
    return paths[0][:shared] if paths else ()


def _bound(group: Group) -> None:
    """Split children that are too many into parts, and these again, about as many on each level."""
    word = {"loop": "rounds", "run": "ops"}.get(group.kind, "items")
    group.children = _parts(group.children, word, 0)


def _parts(children: list[Child], word: str, before: int) -> list[Child]:
    count = len(children)
    if count <= MOST_CHILDREN:
        return children
    levels = math.ceil(math.log(count, MOST_CHILDREN))
    least = max(0.8 * count ** (1 - 1 / levels), count / MOST_CHILDREN)
    size = next(size for size in _round_sizes() if size >= least)
    parts: list[Child] = []
    for start in range(0, count, size):
        end = min(start + size, count)
        name = f"{word} {before + start + 1}–{before + end}"
        parts.append(Group("part", name, _parts(children[start:end], word, before + start)))
    return parts


def _round_sizes() -> Iterable[int]:
    scale = 1
    while True:
        yield from (scale * size for size in (2, 5, 10, 20, 25))
        scale *= 10
