"""Sizes that are not known yet: whole-number expressions over symbols.

A size is an int where it is known. Else it is a `Size`: a polynomial with integer coefficients over symbols (`n`, `2*n + 1`,
`n*m`) and over terms that are not taken further apart (`n//2`, `max(n - 1, 0)`, the common size of two operands that broadcast).
`UNKNOWN` is the size of which nothing is known; arithmetic with it gives it again.

Comparisons answer where the answer is the same for all values of the symbols, and raise `Undecided` elsewhere: a rule that asks
`if n == 1` never goes on silently with one of the branches. `same` answers None instead.

>>> n = symbol("n")
>>> (n * 6 + 4) // 2, same(n + 1, n), same(n, 1)
(3*n + 2, False, None)
"""

from __future__ import annotations

import itertools
import math
import operator
import weakref
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NoReturn

Bounds = tuple[float, float]


class Undecided(Exception):
    """A question about sizes whose answer depends on sizes that nobody has given yet."""


class Mismatch(ValueError):
    """Sizes that can never fit together, whatever the unknown ones are."""


class Atom:
    """What expressions are made of: a symbol, or a function of sizes that is not taken apart; equal ones are one object."""

    __slots__ = ("__weakref__", "bounds", "kind", "parts", "place")

    def __init__(self, kind: str, parts: tuple[Any, ...], bounds: Bounds) -> None:
        self.kind = kind
        self.parts = parts
        self.bounds = bounds
        self.place = next(_PLACES)  # in the order of terms

    def __repr__(self) -> str:
        if self.kind == "symbol":
            return str(self.parts[0])
        if self.kind == "//":
            return "//".join(f"({p})" if isinstance(p, Size) and not p.is_plain else str(p) for p in self.parts)
        return f"{self.kind}({', '.join(map(str, self.parts))})"


_PLACES = itertools.count()
_ATOMS: weakref.WeakValueDictionary[Any, Atom] = weakref.WeakValueDictionary()
Monomial = tuple[Atom, ...]


class Size:
    """An expression; see the module's docstring. What is a number is an int, never a Size."""

    __slots__ = ("terms",)

    def __init__(self, terms: tuple[tuple[Monomial, int], ...]) -> None:
        self.terms = terms

    # --- arithmetic ------------------------------------------------------------------------------------------------

    def __add__(self, other: object) -> Any:
        terms = _terms(other)
        if terms is None:
            return _beside(other)
        total = dict(self.terms)
        for monomial, factor in terms:
            total[monomial] = total.get(monomial, 0) + factor
        return _from_terms(total)

    __radd__ = __add__

    def __mul__(self, other: object) -> Any:
        terms = _terms(other)
        if terms is None:
            return _beside(other)
        total: dict[Monomial, int] = {}
        for (left, a), (right, b) in itertools.product(self.terms, terms):
            monomial = tuple(sorted(left + right, key=_place))
            total[monomial] = total.get(monomial, 0) + a * b
        return _from_terms(total)

    __rmul__ = __mul__

    def __neg__(self) -> Any:
        return self * -1

    def __sub__(self, other: Any) -> Any:
        return self + -other

    def __rsub__(self, other: object) -> Any:
        return -self + other

    def __floordiv__(self, other: object) -> Any:
        terms = _terms(other)
        if terms is None:
            return _beside(other)
        if len(terms) == 1 and not terms[0][0]:
            return self._divided_by_number(terms[0][1])
        if not terms:
            raise ZeroDivisionError("a size is divided by 0")
        return _exact_quotient(self.terms, terms) if len(terms) == 1 else _quotient(self, other)

    def __rfloordiv__(self, other: object) -> Any:
        return _quotient(other, self)

    def __mod__(self, other: object) -> Any:
        return self - self // other * other

    def __rmod__(self, other: object) -> Any:
        return other - other // self * self

    def __divmod__(self, other: object) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: object) -> Any:
        return other // self, other % self

    def _divided_by_number(self, number: int) -> Any:
        """Multiples of the number come out of the quotient; what is left is divided as a whole."""
        if number < 0:
            return (-self) // -number
        whole, rest = {}, {}
        for monomial, factor in self.terms:
            whole[monomial], rest[monomial] = divmod(factor, number)
        remaining = _from_terms(rest)
        quotient = remaining // number if isinstance(remaining, int) else _atom("//", remaining, number)
        return _from_terms(whole) + quotient

    # --- questions -------------------------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        answer = same(self, other)
        if answer is None:
            raise Undecided(f"Whether {self} is {other}.")
        return answer

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        if any(atom.bounds[0] == -math.inf for monomial, _ in self.terms for atom in monomial):
            raise Undecided(f"Whether {self} is among other numbers.")  # (`axis in {0, 1}` would never say so)
        return hash(self.terms)

    def __lt__(self, other: object) -> bool:
        low, high = bounds(self - other)
        if high < 0 or low >= 0:
            return high < 0
        raise Undecided(f"Whether {self} is below {other}.")

    def __gt__(self, other: object) -> bool:
        low, high = bounds(self - other)
        if low > 0 or high <= 0:
            return low > 0
        raise Undecided(f"Whether {self} is above {other}.")

    def __le__(self, other: object) -> bool:
        return not self > other

    def __ge__(self, other: object) -> bool:
        return not self < other

    def __bool__(self) -> bool:
        return self != 0

    def __index__(self) -> NoReturn:
        raise Undecided(f"The number that {self} stands for.")

    __int__ = __float__ = __index__

    def __truediv__(self, other: object) -> NoReturn:
        raise Undecided(f"A fraction of {self}.")

    __rtruediv__ = __pow__ = __rpow__ = __truediv__

    @property
    def is_plain(self) -> bool:
        """Whether it is written without operators."""
        return len(self.terms) == 1 and self.terms[0][1] == 1 and len(self.terms[0][0]) == 1

    @property
    def is_symbol(self) -> bool:
        """Whether it is one symbol alone."""
        return self.is_plain and self.terms[0][0][0].kind == "symbol"

    def __repr__(self) -> str:
        written = ""
        for monomial, factor in sorted(self.terms, key=lambda term: not term[0]):  # the number last
            parts = [str(abs(factor))] if abs(factor) != 1 or not monomial else []
            sign = " - " if factor < 0 else " + "
            alone = len(monomial) == 1 and not parts
            parts += [str(atom) if alone or atom.kind != "//" else f"({atom})" for atom in monomial]
            written += (sign if written else sign.strip(" +")) + "*".join(parts)
        return written

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"The size {self} has a meaning in its own trace only, and is not stored.")


class _Unknown(Size):
    """The size of which nothing is known; also an attribute of an op of which nothing is known."""

    __slots__ = ()

    def __add__(self, other: object) -> Any:
        return self

    def __neg__(self) -> Any:
        return self

    def __mul__(self, other: object) -> Any:
        return 0 if other.__class__ is int and not other else self

    __radd__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __add__
    __rmul__ = __mul__

    def __lt__(self, other: object) -> bool:
        raise Undecided("A question about a size of which nothing is known.")

    __gt__ = __lt__

    def __hash__(self) -> int:
        return id(self)

    def __len__(self) -> NoReturn:
        raise Undecided("A question about a value that is not known.")

    def __iter__(self) -> NoReturn:
        raise Undecided("A question about a value that is not known.")

    def __getitem__(self, key: Any) -> NoReturn:
        raise Undecided("A question about a value that is not known.")

    def __repr__(self) -> str:
        return "?"


class OpenShape(_Unknown):
    """The shape of a tensor whose rank is not known yet, with what has that shape."""

    __slots__ = ("of",)

    def __init__(self, of: Any) -> None:
        super().__init__(())
        self.of = of


UNKNOWN: Any = _Unknown(())  # (Any: it stands for sizes, for shapes and for attributes of any type)
_FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "//": lambda a, b: a // b if b else UNKNOWN,
    "max": max,
    "min": min,
    "broadcast": lambda a, b: b if a == 1 else a,
}

_NAMES = {"//": "quotient", "max": "larger", "min": "smaller", "broadcast": "common"}

Dim = int | Size
Sizes = tuple[Dim, ...]


def symbol(name: str, least: int = 0, multiple_of: int = 1) -> Any:
    """A size of its own, another one than any other of this name; what it is known to be divisible by divides it."""
    atom = Atom("symbol", (name,), (least // multiple_of, math.inf))
    return _from_terms({(atom,): multiple_of})


def whole_number(name: str) -> Any:
    """A whole number of which nothing is known, not even that it is no negative one: an element of a tensor."""
    return _from_terms({(Atom("symbol", (name,), (-math.inf, math.inf)),): 1})


# --- questions about any sizes ------------------------------------------------------------------------------------------


def same(a: Any, b: Any) -> bool | None:
    """Whether two sizes are equal; None where that depends."""
    if a is UNKNOWN or b is UNKNOWN:
        return None
    if not isinstance(a, Size) and not isinstance(b, Size):
        return bool(a == b)
    if _terms(a) is None or _terms(b) is None:
        return False  # something else than a size
    low, high = bounds(a - b)
    return low == 0 if low == high else None if low <= 0 <= high else False


def surely_equal(a: object, b: object) -> bool:
    """Whether two shapes, or structures of shapes, are equal whatever sizes are that nobody has given yet."""
    try:
        return bool(a == b)
    except Undecided:
        return False


def bounds(size: Any) -> Bounds:
    """What a size is at least and at most."""
    if size is UNKNOWN:
        return 0, math.inf
    if not isinstance(size, Size):
        return size, size
    low = high = 0.0
    for monomial, factor in size.terms:
        least, most = float(factor), float(factor)
        for atom in monomial:
            ends = [_times(a, b) for a in (least, most) for b in atom.bounds]
            least, most = min(ends), max(ends)
        low, high = low + least, high + most
    return low, high


def evaluate(size: object, numbers: Mapping[Any, int]) -> Any:
    """The value of a size for these values of its symbols (given as sizes); UNKNOWN, and a quotient by 0, is unknown."""
    return evaluate_atoms(size, {key.terms[0][0][0]: value // key.terms[0][1] for key, value in numbers.items()})


def evaluate_atoms(size: object, given: Mapping[Atom, int]) -> Any:
    """The same for values of the atoms that are symbols."""

    def value(part: Any) -> Any:
        if not isinstance(part, Size) or part is UNKNOWN:
            return part
        return sum(factor * math.prod(map(of_atom, monomial)) for monomial, factor in part.terms)

    def of_atom(atom: Atom) -> Any:
        return given[atom] if atom.kind == "symbol" else _FUNCTIONS[atom.kind](*map(value, atom.parts))

    return value(size)


def symbols_of(size: object) -> list[Any]:
    """The symbols in a size, as `evaluate` takes them."""
    return [_from_terms({(atom,): 1}) for atom in atoms_of(size)]


def atoms_of(size: object) -> list[Atom]:
    """The atoms in a size that are symbols."""
    found: dict[Atom, None] = {}

    def visit(part: object) -> None:
        for monomial, _ in part.terms if isinstance(part, Size) else ():
            for atom in monomial:
                if atom.kind == "symbol":
                    found[atom] = None
                else:
                    for inner in atom.parts:
                        visit(inner)

    visit(size)
    return list(found)


def written(size: object, names: Mapping[Atom, str], functions: Callable[[str, Callable[..., Any]], str]) -> str:
    """A size as an expression of Python; `names` are those of its symbols, and `functions` names a function of sizes."""

    def text(part: object) -> str:
        if not isinstance(part, Size):
            return f"{part}"
        return " + ".join("*".join([str(factor), *map(of_atom, monomial)]) for monomial, factor in part.terms)

    def of_atom(atom: Atom) -> str:
        if atom.kind == "symbol":
            return names[atom]
        return f"{functions(_NAMES[atom.kind], _FUNCTIONS[atom.kind])}({', '.join(map(text, atom.parts))})"

    return text(size)


def is_known(shape: Iterable[Any]) -> bool:
    """Whether all sizes are numbers."""
    return not any(isinstance(size, Size) for size in shape)


def static(shape: Iterable[Dim] | None) -> tuple[int | None, ...] | None:
    """A shape as users see it: None for what is no number."""
    return None if shape is None else tuple([None if isinstance(size, Size) else size for size in shape])


# --- functions of sizes -------------------------------------------------------------------------------------------------


def larger(a: object, b: object) -> Any:
    """The larger of two sizes."""
    return _one_of("max", a, b)


def smaller(a: object, b: object) -> Any:
    """The smaller of two sizes."""
    return _one_of("min", a, b)


def joined(a: Any, b: Any) -> Any:
    """The size that two operands have in common when they broadcast."""
    if a.__class__ is int is b.__class__:
        if a == b or b == 1:
            return a
        if a != 1:
            raise Mismatch(f"sizes {a} and {b} do not broadcast")
        return b
    if a.__class__ is int or b.__class__ is int:
        number, other = (a, b) if a.__class__ is int else (b, a)
        if number == 1:
            return other
        if same(other, number) is False and same(other, 1) is False:
            raise Mismatch(f"sizes {a} and {b} do not broadcast")
        return number  # the other one is equal to it, or 1
    if a is UNKNOWN or b is UNKNOWN:
        return UNKNOWN
    equal = same(a, b)
    if equal:
        return a
    if equal is False and same(a, 1) is False and same(b, 1) is False:
        raise Mismatch(f"sizes {a} and {b} do not broadcast")
    a, b = sorted((a, b), key=lambda size: [[atom.place for atom in monomial] for monomial, _ in size.terms])
    return _atom("broadcast", a, b)


def matched(a: object, b: object, what: str = "sizes") -> Any:
    """One size from two that must be equal: the more specific one."""
    if same(a, b) is False:
        raise Mismatch(f"{what} {a} and {b} differ")
    return b if a is UNKNOWN or b.__class__ is int else a


def product(sizes: Iterable[Any]) -> Any:
    """How many elements there are; 0 as soon as one size is."""
    total: Any = 1
    for size in sizes:
        total = size * total if total.__class__ is int else total * size
    return total


# --- how expressions are put together -----------------------------------------------------------------------------------


def _place(atom: Atom) -> int:
    return atom.place


def _terms(value: Any) -> tuple[tuple[Monomial, int], ...] | None:
    """What an int or a size is made of; None for UNKNOWN and for what is neither."""
    if isinstance(value, Size):
        return None if value is UNKNOWN else value.terms
    try:
        number = operator.index(value)
    except TypeError:
        return None
    return (((), number),) if number else ()


def _beside(other: object) -> Any:
    if isinstance(other, float):  # NumPy's too
        raise Undecided("Arithmetic with fractions of a size.")
    return UNKNOWN if other is UNKNOWN else NotImplemented


def _from_terms(terms: dict[Monomial, int]) -> Any:
    left = [(monomial, factor) for monomial, factor in terms.items() if factor]
    if not left:
        return 0
    if len(left) == 1 and not left[0][0]:
        return left[0][1]
    return Size(tuple(sorted(left, key=lambda term: [atom.place for atom in term[0]])))


def _atom(kind: str, *parts: object) -> Any:
    key = (kind, *[part.terms if isinstance(part, Size) else part for part in parts])
    found = _ATOMS.get(key)
    if found is None:
        found = _ATOMS[key] = Atom(kind, parts, _bounds_of(kind, parts))
    return _from_terms({(found,): 1})


def _bounds_of(kind: str, parts: tuple[Any, ...]) -> Bounds:
    (low, high), (least, most) = map(bounds, parts)
    if kind == "max":
        return max(low, least), max(high, most)
    if kind == "min":
        return min(low, least), min(high, most)
    if kind == "broadcast":
        return min(low, least), max(high, most)
    if least < 1:
        return -math.inf, math.inf
    return _divided(low, least if low < 0 else most), _divided(high, least if high > 0 else most)


def _one_of(kind: str, a: Any, b: Any) -> Any:
    if a is UNKNOWN or b is UNKNOWN:
        return UNKNOWN
    low, high = bounds(a - b)
    if low >= 0:
        return a if kind == "max" else b
    if high <= 0:
        return b if kind == "max" else a
    return _atom(kind, a, b)


def _quotient(a: object, b: object) -> Any:
    if a is UNKNOWN or b is UNKNOWN:
        return UNKNOWN
    return 1 if same(a, b) else _atom("//", a, b)


def _exact_quotient(terms: tuple[tuple[Monomial, int], ...], divisor: tuple[tuple[Monomial, int], ...]) -> Any:
    """The quotient by one product of symbols, exact where each term has it."""
    ((atoms, number),) = divisor
    found: dict[Monomial, int] = {}
    for monomial, factor in terms:
        left = list(monomial)
        for atom in atoms:
            if atom not in left:
                return _quotient(Size(terms), Size(divisor))
            left.remove(atom)
        found[tuple(left)] = factor
    return _from_terms(found) // number


def _divided(a: float, b: float) -> float:
    """A bound of a quotient; Python's own inf // 2 is nan."""
    if math.isinf(b):
        return 0.0 if a >= 0 else -1.0
    return a if math.isinf(a) else a // b


def _times(a: float, b: float) -> float:
    return 0.0 if not a or not b else a * b
