"""What is promised of an operator: non-singular, self-adjoint, positive definite, square. True, False, or None for no promise."""

from __future__ import annotations

from typing import Any, NamedTuple


class Hints(NamedTuple):
    """The four promises, under the names that constructors take."""

    is_non_singular: bool | None = None
    is_self_adjoint: bool | None = None
    is_positive_definite: bool | None = None
    is_square: bool | None = None

    def completed(self) -> Hints:
        """With what follows from them; ValueError where they contradict each other."""
        non_singular, square = self.is_non_singular, self.is_square
        if self.is_positive_definite:
            if non_singular is False:
                raise ValueError("A positive definite matrix is always non-singular.")
            non_singular = True
        if non_singular:
            if square is False:
                raise ValueError("A non-singular matrix is always square.")
            square = True
        if self.is_self_adjoint:
            if square is False:
                raise ValueError("A self-adjoint matrix is always square.")
            square = True
        return Hints(non_singular, self.is_self_adjoint, self.is_positive_definite, square)


def hints_of(operator: object) -> dict[str, Any]:
    """The hints of an operator, for the constructor of one that has the same properties."""
    return {name: getattr(operator, name) for name in Hints._fields}


def always(given: bool | None, message: str) -> bool:
    """A property that every operator of the kind has; ValueError where the user said otherwise."""
    if given is False:
        raise ValueError(message)
    return True


def implied(holds: object, given: bool | None, message: str) -> bool | None:
    """True where the operator is known to have the property, else what the user said; ValueError where they differ."""
    if not holds:
        return given
    if given is False:
        raise ValueError(message)
    return True


def shared(operator: object, name: str, given: bool | None, message: str) -> bool | None:
    """A property that the operator has if and only if the new one has it."""
    own = getattr(operator, name)
    if (own is False and given) or (own and given is False):
        raise ValueError(message)
    if own or given:
        return True
    return False if own is False or given is False else None


def both_non_singular(left: Any, right: Any) -> bool | None:
    """Whether the product of two is non-singular."""
    if left.is_non_singular is False or right.is_non_singular is False:
        return False
    return left.is_non_singular and right.is_non_singular


def commuting_product(left: Any, right: Any) -> dict[str, Any]:
    """The hints of the product of two square operators that commute."""
    self_adjoint = (left.is_self_adjoint, right.is_self_adjoint)
    positive = all(a.is_positive_definite is True and a.is_self_adjoint is True for a in (left, right))
    return {
        "is_non_singular": both_non_singular(left, right),
        "is_self_adjoint": {(True, True): True, (True, False): False, (False, True): False}.get(self_adjoint),
        "is_positive_definite": True if positive else None,
        "is_square": True,
    }


def product(left: Any, right: Any) -> dict[str, Any]:
    """The hints of the product of any two."""
    square = _is_square(left, right)
    if square is False:
        return dict.fromkeys(Hints._fields, False)
    return {"is_non_singular": both_non_singular(left, right) if square else None, "is_square": square}


def _is_square(left: Any, right: Any) -> bool | None:
    if left.is_square and right.is_square:
        return True
    if left.is_square is False and right.is_square is False:
        return bool(left.range_dimension == right.domain_dimension)
    if left.is_square is None or right.is_square is None:
        return None
    return False
