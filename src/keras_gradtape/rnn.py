"""Loops over time: what recurrent layers run on, and whole sequences of LSTM and GRU at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from keras.src import tree

import gradtape
from gradtape.base.traceable import traceable
from keras_gradtape.ops.core import cast, convert_to_tensor


def rnn(
    step_function: Callable[[Any, Any], Any],
    inputs: Any,
    initial_states: Any,
    go_backwards: bool = False,
    mask: Any = None,
    constants: Any = None,
    unroll: bool = False,
    input_length: Any = None,
    time_major: bool = False,
    zero_output_for_mask: bool = False,
    return_all_outputs: bool = True,
) -> Any:
    """Carry states over the time axis: `output, states = step_function(input, states)`.

    Where `mask` is false, states stay as they are and the output is the one before, or zeros with `zero_output_for_mask`.

    Returns:
        The last output, all outputs (with `return_all_outputs`, else the last one alone) along the time axis, and the last
        states.
    """
    if any(x.shape[0 if time_major else 1] is None for x in tree.flatten(inputs)):
        # Inside a function that was traced for sequences of any length: the loop is one step of it.
        if not time_major:
            inputs = tree.map_structure(_time_and_batch_swapped, inputs)
            mask = None if mask is None else _time_and_batch_swapped(mask)
        given = (step_function, inputs, tuple(initial_states), go_backwards, mask, tuple(constants or ()))
        output, stacked, final = whole_rnn(*given, False, None, True, zero_output_for_mask, return_all_outputs)
        return output, stacked if time_major else _time_and_batch_swapped(stacked), final
    steps = _steps(inputs, time_major)
    count = len(steps[0]) if steps else 0
    if not count:
        raise ValueError(
            "Unrolling requires a fixed number of timesteps." if unroll else "The sequence has no timesteps."
        )
    masks = None if mask is None else _mask_steps(mask, time_major)
    constants = tuple(constants or ())
    states: Any = tuple(initial_states)
    outputs: list[Any] = []
    output = None
    for t in reversed(range(count)) if go_backwards else range(count):
        row = tree.pack_sequence_as(inputs, [column[t] for column in steps])
        new, new_states = step_function(row, states + constants)
        if masks is None:
            output, states = new, tuple(new_states)
        else:
            before = gradtape.zeros_like(new) if output is None or zero_output_for_mask else output
            output = _where(masks[t], new, before)
            states = tree.map_structure(lambda n, o, here=masks[t]: _where(here, n, o), tuple(new_states), states)
        if return_all_outputs:
            outputs.append(output)
    stacked = gradtape.stack(outputs if return_all_outputs else [output], axis=0 if time_major else 1)
    return output, stacked, list(states)


def _trace_rnn(
    trace: Any, step_function: Any, inputs: Any, states: Any, go_backwards: bool, mask: Any, constants: Any, *rest: Any
) -> Any:
    """The loop as a step that takes the graph of its step function."""
    inputs, states, constants = tree.map_structure(trace.symbolic, (inputs, states, constants))
    row = tree.map_structure(trace.slice_like, inputs)
    graph, _ = trace.subgraph(step_function, (row, states + constants), "step")
    return trace.step(whole_rnn, (graph, inputs, states, go_backwards, mask, constants, *rest), {})


whole_rnn = traceable(rnn, on_trace=_trace_rnn)


def _time_and_batch_swapped(x: Any) -> Any:
    return gradtape.transpose(x, [1, 0, *range(2, x.ndim)])


def _steps(inputs: Any, time_major: bool) -> list[list[Any]]:
    """For each tensor of the inputs its entries along the time axis."""
    return [gradtape.unstack(convert_to_tensor(x), axis=0 if time_major else 1) for x in tree.flatten(inputs)]


def _mask_steps(mask: Any, time_major: bool) -> list[Any]:
    return gradtape.unstack(cast(mask, "bool"), axis=0 if time_major else 1)


def _where(mask: Any, new: Any, old: Any) -> Any:
    """`new` in the rows where the mask is true; the mask has as many axes as it needs."""
    return gradtape.where(gradtape.reshape(mask, [mask.shape[0]] + [1] * (new.ndim - 1)), new, old)


# --- whole sequences -------------------------------------------------------------------------------------------------


def cudnn_ok(*args: Any, **kwargs: Any) -> bool:
    """Always False: there is no GPU."""
    return False


@traceable
def lstm(
    inputs: Any,
    initial_state_h: Any,
    initial_state_c: Any,
    mask: Any,
    kernel: Any,
    recurrent_kernel: Any,
    bias: Any,
    activation: Any,
    recurrent_activation: Any,
    return_sequences: bool = False,
    go_backwards: bool = False,
    unroll: bool = False,
) -> Any:
    """A whole LSTM with the usual activations: the input's share of all gates is one product for all times."""
    _check_fast(mask, (activation, "tanh"), (recurrent_activation, "sigmoid"))
    rows = _projected(inputs, kernel, bias)
    recurrent_kernel = convert_to_tensor(recurrent_kernel)
    h, c = initial_state_h, initial_state_c
    outputs = []
    for t in reversed(range(len(rows))) if go_backwards else range(len(rows)):
        h, c, _ = gradtape.nn.experimental.lstm_step(rows[t] + gradtape.matmul(h, recurrent_kernel), c)
        outputs.append(h)
    return h, gradtape.stack(outputs if return_sequences else [h], axis=1), [h, c]


@traceable
def gru(
    inputs: Any,
    initial_state: Any,
    mask: Any,
    kernel: Any,
    recurrent_kernel: Any,
    bias: Any,
    activation: Any,
    recurrent_activation: Any,
    return_sequences: bool = False,
    go_backwards: bool = False,
    unroll: bool = False,
    reset_after: bool = True,
) -> Any:
    """A whole GRU with the usual activations, the reset gate applied after the product."""
    _check_fast(mask, (activation, "tanh"), (recurrent_activation, "sigmoid"))
    if not reset_after:
        raise NotImplementedError
    input_bias, recurrent_bias = (None, None) if bias is None else gradtape.unstack(convert_to_tensor(bias))
    rows = _projected(inputs, kernel, input_bias)
    recurrent_kernel = convert_to_tensor(recurrent_kernel)
    h = initial_state
    outputs = []
    for t in reversed(range(len(rows))) if go_backwards else range(len(rows)):
        recurrent = gradtape.matmul(h, recurrent_kernel)
        if recurrent_bias is not None:
            recurrent = recurrent + recurrent_bias
        h, _ = gradtape.nn.experimental.gru_step(rows[t], recurrent, h)
        outputs.append(h)
    return h, gradtape.stack(outputs if return_sequences else [h], axis=1), [h]


def _check_fast(mask: Any, *activations: tuple[Any, str]) -> None:
    """Keras falls back to the loop above on NotImplementedError."""
    if mask is not None or any(getattr(function, "__name__", None) != name for function, name in activations):
        raise NotImplementedError


def _projected(inputs: Any, kernel: Any, bias: Any) -> list[Any]:
    """The input's share of the gates, for each time."""
    kernel = convert_to_tensor(kernel)
    rows = gradtape.matmul(gradtape.transpose(convert_to_tensor(inputs, kernel.dtype), [1, 0, 2]), kernel)
    if bias is not None:
        rows = rows + convert_to_tensor(bias)
    return gradtape.unstack(rows)


def bidirectional_lstm(*args: Any, **kwargs: Any) -> Any:
    """Not fused: two passes are as fast as one, so Keras runs the two layers one after the other."""
    raise NotImplementedError


bidirectional_gru = bidirectional_lstm
