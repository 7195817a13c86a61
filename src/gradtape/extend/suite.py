"""All checks of one op. gradtape runs them on its own ops (tests/ops/test_registry.py), other packages on theirs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

from .. import nest
from ..api.arrays import convert_to_tensor
from ..base import dtypes
from ..base.context import ACTIVE, STATE
from ..base.errors import OpCheckError
from ..differentiation.tape import GradientTape
from ..op.declaration import Op, Sample
from ..trace import function
from ..values.tensor import to_tensor
from . import checks

# Narrow types, and how far their results may be from those of float64.
NARROW: dict[Any, float] = {np.float32: 2e-5, np.float16: 2e-2, ml_dtypes.bfloat16: 1.2e-1}
FEWEST_SAMPLES, FEWEST_BAD_INPUTS = 12, 4


class Check(NamedTuple):
    """One way to check one op: call it, and it raises OpCheckError where the op breaks its promise.

    `str` of it is a name for the test: `@pytest.mark.parametrize("check", extend.checks_of(my_op), ids=str)`.
    """

    op: Op
    way: Callable[[Op], None]

    def __call__(self) -> None:
        try:
            self.way(self.op)
        except AssertionError as error:
            raise OpCheckError(f"{self.op.name}, {self}: {error}") from error

    def __str__(self) -> str:
        return self.way.__name__


def checks_of(op: Op) -> list[Check]:
    """The checks of an op, one for each way of running it.

    >>> import gradtape as tf
    >>> from gradtape.ops.math.trigonometric import tanh
    >>> len(tf.extend.checks_of(tanh)) > 5
    True

    Args:
        op: An op, as `tf.extend.op` gives it.

    Returns:
        A list of functions without arguments, for `pytest.mark.parametrize`; each raises OpCheckError where the op fails.
    """
    return [Check(op, way) for way in WAYS]


def check(op: Op) -> None:
    """Check an op in every way, on the samples and bad inputs that are declared with it.

    >>> import gradtape as tf
    >>> from gradtape.ops.math.trigonometric import tanh
    >>> tf.extend.check(tanh)

    Args:
        op: An op, as `tf.extend.op` gives it.

    Raises:
        OpCheckError: The first way in which the op breaks its promise.
    """
    for each in checks_of(op):
        each()


# --- the ways ----------------------------------------------------------------------------------------------------------


def declaration(op: Op) -> None:
    """The declaration is complete."""
    name = op.name
    assert op.__doc__, f'the kernel has no docstring. Begin it with """What {name} computes."""'
    assert op.vjps or op.no_derivative is not None, (
        f'there is no derivative. Declare @{name}.derivative("{op.arguments[0]}") or @{name}.vjp("{op.arguments[0]}"), or say '
        f'why there is none: {name}.not_differentiable("the result is an index").'
    )
    assert not (op.vjps and op.no_derivative is not None), (
        f"it has reverse rules, and is declared not differentiable ({op.no_derivative}). Remove one of the two."
    )
    for argument in op.vjps:
        assert argument in op.jvps or argument in op.linear_in, (
            f"{argument} has a reverse rule and no forward rule. Declare @{name}.jvp({argument!r}), or "
            f"{name}.linear({argument!r}) where the op is linear in it."
        )
    assert op.batching is not None or op.no_derivative is not None, (
        f"there is no batching rule. Declare @{name}.batched; {name}.batched(extend.batch_leading) serves an op that works "
        "on the last axes and treats the others as a batch."
    )
    assert op.shape_rule is not None, (
        f"there is no shape rule, which tf.function asks before anything is computed. Declare @{name}.shapes: a function of "
        "the operands and attributes that returns the shape of the output, such as x.shape[:-1]."
    )
    assert op.samplers, (
        f"there are no samples to check it on. Declare @{name}.samples, or call extend.sample_unary({name}) or "
        f"extend.sample_binary({name}) for an elementwise op."
    )
    count = len(list(checks.samples(op, np.float64))) if op.vjps else FEWEST_SAMPLES
    assert count >= FEWEST_SAMPLES, (
        f"there are {count} samples; at least {FEWEST_SAMPLES} are needed: scalars, empty arrays, sizes of one, several ranks."
    )


def values(op: Op) -> None:
    """Values agree with the reference; memory layout does not matter."""
    for sample in checks.samples(op, checks.numeric_kind(op)):
        checks.check_value(op, sample)
        checks.check_strides(op, sample)


def first_derivatives(op: Op) -> None:
    """Reverse and forward mode agree with finite differences."""
    for case in real_cases(op):
        checks.check_reverse(case)
        checks.check_forward(case)


def second_derivatives(op: Op) -> None:
    """A tape inside a tape and forward over reverse agree with finite differences, and reverse rules are linear."""
    for case in real_cases(op):
        checks.check_second(case)
        checks.check_linear_in_cotangent(case)


def complex_derivatives(op: Op) -> None:
    """The same for complex numbers, where the op takes them."""
    if not op.vjps or np.dtype(np.complex128) not in op.dtypes:
        return
    for sample in checks.samples(op, np.complex128):
        if sample.differentiable:
            case = checks.Directional(op, sample)
            checks.check_reverse(case)
            checks.check_forward(case)
            checks.check_second(case)
            checks.check_linear_in_cotangent(case)


def batches(op: Op) -> None:
    """A batch at once (jacobian, vectorized_map) gives what one entry after the other gives."""
    if op.batching is not None:
        for sample in checks.samples(op, checks.numeric_kind(op)):
            checks.check_batched(op, sample)


def jacobians(op: Op) -> None:
    """The Jacobian, contracted, is the gradient."""
    for case in real_cases(op):
        checks.check_jacobian(case)


def narrow_types(op: Op) -> None:
    """float32, float16 and bfloat16 give the values of float64, and keep their type."""
    for dtype in NARROW:
        narrow_type(op, dtype)


def narrow_type(op: Op, dtype: Any) -> None:
    """One of them."""
    if not op.vjps or np.dtype(dtype) not in op.dtypes:
        return
    for sample in checks.samples(op, dtype):
        checks.check_dtype(op, sample, NARROW[dtype])
        case = checks.Directional(op, sample)
        for source, gradient in zip(case.positions, case.gradient, strict=True):
            value, argument = case.values[source], op.arguments[0 if op.variadic else source]
            assert gradient.dtype == value.dtype, f"the gradient of {argument} is {gradient.dtype}, not {value.dtype}"
            assert gradient.shape == value.shape, (
                f"the gradient of {argument} has shape {gradient.shape}, not {value.shape}"
            )


def python_numbers(op: Op) -> None:
    """A Python number beside a tensor is like a tensor."""
    if op.broadcasts and len(op.arguments) == 2 and not op.other and np.dtype(np.float32) in op.dtypes:
        checks.check_numbers(op)


def bad_inputs(op: Op) -> None:
    """Bad inputs raise the declared errors, and leave nothing behind."""
    own = sum(1 for declared in op.bad_inputs for _ in declared())
    assert own >= FEWEST_BAD_INPUTS, (
        f"{own} bad inputs are declared, at least {FEWEST_BAD_INPUTS} are needed: calls against the op's own meaning, such as a "
        f"wrong rank or an attribute out of range. Declare them with @{op.name}.rejects."
    )
    for bad in checks.bad_inputs(op):
        before = len(ACTIVE), len(STATE.tapes)
        try:
            with GradientTape():
                checks.call_bad(op, bad)
        except bad.error:
            pass
        except Exception as error:
            raise AssertionError(f"{bad} raises {type(error).__name__}: {error}") from error
        else:
            raise AssertionError(f"{bad} does not raise. Let @{op.name}.checks or the kernel refuse it.")
        assert (len(ACTIVE), len(STATE.tapes)) == before, f"{bad} leaves a tape recording"


def functions(op: Op) -> None:
    """Inside tf.function, and as a compiled function under a tape, it gives what it gives eagerly."""
    for sample in checks.samples(op, checks.numeric_kind(op)):
        check_function(op, sample)


WAYS: tuple[Callable[[Op], None], ...] = (
    declaration,
    values,
    first_derivatives,
    second_derivatives,
    complex_derivatives,
    batches,
    jacobians,
    narrow_types,
    python_numbers,
    bad_inputs,
    functions,
)


# --- helpers of the ways -----------------------------------------------------------------------------------------------


def real_cases(op: Op) -> Iterator[checks.Directional]:
    """The samples on which derivatives are compared with finite differences."""
    if op.vjps:
        for sample in checks.samples(op, np.float64):
            if sample.differentiable:
                yield checks.Directional(op, sample)


def check_function(op: Op, sample: Sample) -> None:
    """Eager, traced with the tape inside, and traced with the tape around give the same."""
    arrays = [np.asarray(value) for value in checks.operands(op, sample)]
    tensors = [to_tensor(array) for array in arrays]
    positions = checks.differentiable_positions(op, arrays) if op.vjps else []
    value = checks.value_of(op, sample.attributes)

    def with_gradient(compute: Callable[..., Any]) -> Callable[..., Any]:
        def run(*given: Any) -> Any:
            sources = [given[position] for position in positions]
            with GradientTape() as tape:
                tape.watch(sources)
                results = compute(*given)
            targets = [result for result in results if result.dtype.is_differentiable]
            return results, tape.gradient(targets, sources) if targets and sources else []

        return run

    def traced(compute: Callable[..., Any]) -> Callable[..., Any]:
        made = function(compute, autograph=False)
        made.get_concrete_function(*tensors)  # (nobody is warned of a trace that is asked for)
        return made

    expected = with_gradient(value)(*tensors)
    assert_same(traced(with_gradient(value))(*tensors), expected)
    assert_same(with_gradient(traced(value))(*tensors), expected)


def assert_same(given: Any, expected: Any) -> None:
    """Two structures of tensors and Nones are equal in values, types and shapes."""
    for a, b in zip(nest.flatten(given), nest.flatten(expected), strict=True):
        if b is None or a is None:
            assert a is b, f"{a} instead of {b}"
            continue
        a, b = convert_to_tensor(a), convert_to_tensor(b)
        assert a.dtype == b.dtype, f"{a.dtype.name} instead of {b.dtype.name}"
        assert a.shape == b.shape, f"shape {a.shape} instead of {b.shape}"
        if b.dtype == dtypes.string:
            np.testing.assert_array_equal(a.numpy(), b.numpy())
        else:
            np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-9, atol=1e-9)
