"""Cases from the registry: every op's samples and bad inputs, written as calls of the public function."""

from __future__ import annotations

import ast
import string
from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np

import gradtape as tf
from gradtape.extend import checks
from gradtape.op.declaration import REQUIRED, Op

from .case import MODES, SECOND, VALUE, Case
from .names import lookup

DTYPES = (
    np.float32, np.float64, np.float16, ml_dtypes.bfloat16, np.complex64, np.complex128, np.int32, np.int64, np.bool_,
)  # fmt: skip

NAMESPACES = (
    "math",
    "",
    "nn",
    "linalg",
    "bitwise",
    "signal",
    "image",
    "math.special",
    "strings",
    "sparse",
    "raw_ops",
)

# Ops whose public function has another name or other arguments. Fields are the op's arguments and attributes.
# Eigenvectors and singular vectors have free signs and phases: their absolute values are compared.
TEMPLATES = {
    "select": "tf.where({condition}, {x}, {y})",
    "convert": "tf.cast({x}, {dtype})",
    "make_complex": "tf.complex({real}, {imag})",
    "permute": "tf.transpose({a}, {perm})",
    "split_sizes": "tf.split({value}, {sizes}, axis={axis})",
    "unpack": "tf.unstack({value}, axis={axis})",
    "getitem": "{x}.__getitem__({key})",
    "encode_one_hot": "tf.one_hot({indices}, {depth}, {on_value}, {off_value}, {axis}, {dtype})",
    "nonzero": "tf.where({condition})",
    "tensor_scatter_nd_update": "tf.tensor_scatter_nd_update({tensor}, {indices}, {updates})",
    "contract": "tf.einsum({equation}, *{operands})",
    "cross": "tf.linalg.cross({a}, {b})",
    "expint": "tf.math.special.expint({x})",
    "reverse_sequence": "tf.reverse_sequence({input}, {seq_lengths}, {seq_axis}, {batch_axis})",
    "bitcast": "tf.bitcast({input}, {dtype})",
    "scaled_relu": "tf.nn.leaky_relu({features}, {alpha})",
    "silu": "tf.nn.silu({features}, {beta})",
    "gelu_of": "tf.nn.gelu({features}, {approximate})",
    "cross_entropy": "tf.nn.softmax_cross_entropy_with_logits({labels}, {logits})",
    "sparse_cross_entropy": "tf.nn.sparse_softmax_cross_entropy_with_logits({labels}, {logits})",
    "fake_quant": "tf.quantization.fake_quant_with_min_max_vars({inputs}, {min}, {max}, {num_bits}, {narrow_range})",
    "unique": "tf.unique({x}, {dtype})",
    "unique_with_counts": "tf.unique_with_counts({x}, {dtype})",
    "histogram_fixed_width": "tf.histogram_fixed_width({values}, {value_range}, {nbins}, {dtype})",
    "bucketize": "tf.raw_ops.Bucketize(input={input}, boundaries={boundaries})",
    "bessel_j": "tf.math.special.bessel_j{order!s}({x})",
    "bessel_y": "tf.math.special.bessel_y{order!s}({x})",
    "bessel_i": "tf.math.bessel_i{order!s}({x})",
    "bessel_ie": "tf.math.bessel_i{order!s}e({x})",
    "bessel_k": "tf.math.special.bessel_k{order!s}({x})",
    "bessel_ke": "tf.math.special.bessel_k{order!s}e({x})",
    "truncatediv": "tf.truncatediv({x}, {y})",
    "truncatemod": "tf.truncatemod({x}, {y})",
    "running_logsumexp": "tf.math.cumulative_logsumexp({x}, axis={axis}, reverse={reverse})",
    "diag_part": "tf.linalg.diag_part({input}, k={k}, padding_value={padding_value}, align={align})",
    "diag": "tf.linalg.diag({diagonal}, k={k}, num_rows={num_rows}, num_cols={num_cols}, "
    "padding_value={padding_value}, align={align})",
    "inv": "tf.linalg.inv({input}, adjoint={adjoint})",
    "tridiagonal_solve": "tf.linalg.tridiagonal_solve({diagonals}, {rhs}, partial_pivoting={partial_pivoting}, "
    "perturb_singular={perturb_singular})",
    "sort_along": "tf.sort({values}, {axis}, 'DESCENDING' if {descending} else 'ASCENDING')",
    "order_along": "tf.argsort({values}, {axis}, 'DESCENDING' if {descending} else 'ASCENDING', stable=True)",
    "largest": "tf.math.top_k({input}, {k}, index_type={index_type})",
    "eigh": "(lambda e, v: (e, tf.abs(v)))(*tf.linalg.eigh({tensor}))",
    "eig": "tf.sort(tf.abs(tf.linalg.eig({tensor})[0]))",
    "eigvals": "tf.sort(tf.abs(tf.linalg.eigvals({tensor})))",
    "svd": "(lambda s, u, v: (s, tf.abs(u), tf.abs(v)))(*tf.linalg.svd({tensor}, full_matrices={full_matrices}))",
    "singular_values": "tf.linalg.svd({tensor}, compute_uv=False)",
    "take_along": "tf.gather({x}, {indices}, axis={axis}, batch_dims={axis})",
    "lu": "tf.linalg.lu({input}, {output_idx_type})",
    "weighted_cross_entropy": "tf.nn.weighted_cross_entropy_with_logits({labels}, {logits}, {pos_weight})",
    "sigmoid_cross_entropy": "tf.nn.sigmoid_cross_entropy_with_logits({labels}, {logits})",
    "log_poisson": "tf.nn.log_poisson_loss({targets}, {log_input}, {full})",
    "check_numerics": "tf.debugging.check_numerics({tensor}, {message})",
    "reduce_variance": "tf.math.reduce_variance({x}, axis={axis}, keepdims={keepdims})",
    "reduce_std": "tf.math.reduce_std({x}, axis={axis}, keepdims={keepdims})",
    "sparse_segment_sum": "tf.sparse.segment_sum({data}, {indices}, {segment_ids}, {num_segments})",
    "sparse_segment_mean": "tf.sparse.segment_mean({data}, {indices}, {segment_ids}, {num_segments})",
    "sparse_segment_sqrt_n": "tf.sparse.segment_sqrt_n({data}, {indices}, {segment_ids}, {num_segments})",
    "quantize_and_dequantize": "tf.quantization.quantize_and_dequantize_v2({input}, {input_min}, {input_max}, "
    "{signed_input}, {num_bits}, True, {round_mode}, narrow_range={narrow_range})",
    "list_diff": "tf.raw_ops.ListDiff(x={x}, y={y}, out_idx={out_idx})",
    "decode_raw": "tf.io.decode_raw({input_bytes}, {out_type}, little_endian={little_endian})",
    "decode_padded_raw": "tf.io.decode_raw({input_bytes}, {out_type}, {little_endian}, {fixed_length})",
    "fingerprint": "tf.raw_ops.Fingerprint(data={data}, method={method})",
    "string_split": "tf.raw_ops.StringSplitV2(input={input}, sep={sep}, maxsplit={maxsplit})",
}

# Ops that no public function is: they are parts of composites or of derivatives, and are compared where those are.
INTERNAL = {
    "zero_safe_divide": "the derivatives of tf.math.divide_no_nan and the norms",
    "logistic_error": "the derivative of tf.nn.sigmoid_cross_entropy_with_logits",
    "bell": "the derivative of tf.math.erf",
    "beta_density": "the derivative of tf.math.betainc",
    "half_pi_squared": "the derivatives of tf.math.special.fresnel_sin and fresnel_cos",
    "sum_to_shape": "the derivative of anything that broadcasts",
    "pad_constant": "tf.pad",
    "crop": "tf.slice and the derivative of tf.pad",
    "setitem_zeros": "the derivative of x[...]",
    "pick": "tf.boolean_mask",
    "put_picked": "the derivative of tf.boolean_mask",
    "take": "tf.gather",
    "get_row": "TensorArray.read in compiled loops",
    "put_row": "the derivative of TensorArray.read in compiled loops",
    "set_row": "TensorArray.write in compiled loops",
    "repeated_positions": "tf.repeat in functions",
    "place_below": "TensorArray.read in compiled loops that make the array longer",
    "resize_rows": "TensorArray.write in compiled loops of unknown length",
    "set_open_row": "TensorArray.write in compiled loops of elements of unknown rank",
    "get_open_row": "its derivative",
    "resize_open_rows": "TensorArray.write in compiled loops of unknown length and elements of unknown rank",
    "written_rows": "TensorArray.stack of elements of unknown rank",
    "checked_shape": "tf.ensure_shape in functions",
    "box": "tf.slice with tensors in functions",
    "put_box": "its derivative",
    "permute_back": "the derivative of tf.transpose with a tensor as perm in functions",
    "add_row": "the derivative of TensorArray.read in compiled loops",
    "put": "the derivative of tf.gather",
    "take_nd": "tf.gather_nd",
    "put_nd": "tf.scatter_nd",
    "search_sorted": "tf.searchsorted",
    "conv": "tf.nn.conv1d, conv2d, conv3d and their transposes",
    "conv_input_gradient": "tf.nn.conv2d_transpose, and the derivative of convolutions",
    "conv_filter_gradient": "the derivative of convolutions",
    "linear_recurrence": "the derivative of tf.math.cumprod",
    "sylvester": "the derivative of tf.linalg.sqrtm",
    "gamma_density": "the derivative of tf.math.igamma",
    "igamma_in_a": "the derivative of tf.math.igamma by its first argument",
    "extract_windows": "tf.image.extract_patches",
    "overlay_windows": "the derivative of tf.image.extract_patches",
    "window_max": "tf.nn.max_pool",
    "window_max_gradient": "the derivative of tf.nn.max_pool",
    "window_max_pick": "the second derivative of tf.nn.max_pool",
    "window_argmax": "tf.nn.max_pool_with_argmax",
    "window_sum": "tf.nn.avg_pool",
    "window_spread": "the derivative of tf.nn.avg_pool",
    "count_bins": "tf.math.bincount",
    "put_along": "the derivative of tf.sort",
    "cofactors": "the derivative of tf.linalg.det",
    "gamma_sample": "the derivative of tf.random.gamma",
    "ctc_states": "tf.nn.ctc_loss",
    "fft": "tf.signal.fft, fft2d, fft3d, fftnd",
    "ifft": "tf.signal.ifft, ifft2d, ifft3d, ifftnd",
    "rfft": "tf.signal.rfft, rfft2d, rfft3d, rfftnd",
    "irfft": "tf.signal.irfft, irfft2d, irfft3d, irfftnd",
    "dct": "tf.signal.dct, idct, mdct",
    "frames": "tf.signal.frame",
    "overlap_add": "tf.signal.overlap_and_add",
    "resample": "tf.image.resize",
    "sparse_dense_matmul": "tf.sparse.sparse_dense_matmul",
    "moments": "tf.nn.moments",
    "weighted_moments": "tf.nn.weighted_moments",
    "segment_softmax": "tf.sparse.softmax",
    "apply_dropout": "tf.nn.dropout",
    "gelu_grad": "the derivative of tf.nn.gelu",
    "silu_grad": "the derivative of tf.nn.silu",
    "space_to_batch_nd": "tf.space_to_batch",
    "batch_to_space_nd": "tf.batch_to_space",
    "mirror_pad": "tf.pad that mirrors",
    "mirror_pad_grad": "the derivative of tf.pad that mirrors",
    "reduce_norm": "tf.norm",
    "standardize_image": "tf.image.per_image_standardization",
    "dilation2d": "tf.nn.dilation2d, erosion2d",
    "dilation2d_backprop_input": "the derivative of tf.nn.dilation2d",
    "dilation2d_backprop_filter": "the derivative of tf.nn.dilation2d",
    "dilation2d_pick_input": "the forward derivative of tf.nn.dilation2d",
    "dilation2d_pick_filter": "the forward derivative of tf.nn.dilation2d",
    "length_mask": "tf.sequence_mask",
    "split_rows": "tf.strings.split",
    "character_rows": "tf.strings.unicode_split",
    "byte_rows": "tf.strings.bytes_split",
    "unicode_decode": "tf.strings.unicode_decode",
    "unicode_encode": "tf.strings.unicode_encode",
}

# Ops that TensorFlow has no function for. Those under NumPy's names are compared with NumPy (tests/numpy_names), the others
# with what they are made of (tests/nn/test_fused.py).
_OWN_NAMES = """
    cbrt exp2 log2 log10 logaddexp logaddexp2 deg2rad rad2deg sinc hypot copysign heaviside fmax fmin trunc spacing signbit
    nan_to_num modf frexp floor_divide ldexp gcd lcm isclose isneginf isposinf isreal iscomplex nansum nanmean nanmax nanmin
    nanvar nancumsum
    nanargmax nanargmin ptp average quantile cov diff unwrap interp interp_interval convolve powers polyval trapezoid vecdot kron
    matrix_power argpartition lexsort isin histogram packbits unpackbits
    standardize rms_standardize scaled_softmax lstm_step gru_step dense
"""
OWN = frozenset(_OWN_NAMES.split())


def public_name(op: Op) -> str | None:
    """The public function with the name of the op."""
    for namespace in NAMESPACES:
        own = op.name.removeprefix("string_") if namespace == "strings" else op.name
        name = f"tf.{namespace}.{own}".replace("..", ".")
        if callable(lookup(tf, name)):
            return name
    return None


def template(op: Op) -> str | None:
    """The call of an op's public function, None where there is none."""
    if op.name in INTERNAL or op.name in OWN:
        return None
    if op.name in TEMPLATES:
        text = TEMPLATES[op.name]
        fields = {field for _, field, _, _ in string.Formatter().parse(text) if field}
        return text if fields <= {*op.arguments, *op.attributes} else None
    name = public_name(op)
    if name is None:
        return raw_template(op)
    arguments = [f"{{{a}}}" for a in op.arguments]
    return f"{name}({', '.join([*arguments, *(f'{a}={{{a}}}' for a in op.attributes)])})"


def raw_template(op: Op) -> str | None:
    """The call of an op that TensorFlow has as a kernel only."""
    name = f"tf.raw_ops.{op.tf_name}"
    if not callable(lookup(tf, name)):
        return None
    return f"{name}({', '.join(f'{a}={{{a}}}' for a in (*op.arguments, *op.attributes))})"


class Writer(string.Formatter):
    """Fills a template with expressions; arrays become inputs of the case."""

    def __init__(self) -> None:
        self.inputs: dict[str, Any] = {}

    def expression(self, value: Any) -> str:
        """The value as Python text."""
        if isinstance(value, np.ndarray | np.generic):
            name = "abcdefgh"[len(self.inputs)] if len(self.inputs) < 8 else f"v{len(self.inputs)}"
            self.inputs[name] = np.asarray(value)
            return name
        if isinstance(value, tf.Tensor):
            return self.expression(value.numpy())
        if isinstance(value, tf.DType):
            return f"tf.{value.name}"
        if isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic)):
            return f"tf.{np.dtype(value).name}"
        if isinstance(value, list | tuple) and type(value) in (list, tuple):
            items = ", ".join(self.expression(v) for v in value)
            return f"[{items}]" if isinstance(value, list) else f"({items}{',' * (len(value) == 1)})"
        if isinstance(value, dict):
            return "{" + ", ".join(f"{k!r}: {self.expression(v)}" for k, v in value.items()) + "}"
        if isinstance(value, float) and not np.isfinite(value):
            return f"float('{value}')"
        if callable(value):
            return "(lambda: 1)"
        if type(value) is object:
            return "object()"
        return "..." if value is Ellipsis else repr(value)

    def format_field(self, value: Any, format_spec: str) -> str:
        return self.expression(value)

    def convert_field(self, value: Any, conversion: str | None) -> Any:
        """`{order!s}` pastes the value into a name."""
        return _Pasted(value) if conversion == "s" else value

    def check_unused_args(self, used_args: Any, args: Any, kwargs: Any) -> None:
        """Attributes that the template does not name keep TensorFlow's default."""


class _Pasted:
    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        return str(self.value)


def from_sample(op: Op, text: str, args: Any, attributes: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The call, and its inputs."""
    writer = Writer()
    fields: dict[str, Any] = {n: v for n, v in op.attributes.items() if v is not REQUIRED}
    fields |= op.optional | attributes
    fields |= dict(zip(op.arguments, [list(args[0])] if op.variadic else args, strict=False))
    return writer.vformat(text, (), fields), writer.inputs


def sample_cases(op: Op, text: str) -> Iterator[Case]:
    """Every sample in every type the op is defined for, and two samples in the types it is not."""
    for dtype in map(np.dtype, DTYPES):
        try:
            samples = list(checks.samples(op, dtype))
        except (TypeError, ValueError, np.exceptions.DTypePromotionError):
            continue
        for sample in samples if dtype in op.dtypes else samples[:2]:
            call, inputs = from_sample(op, text, sample.args, sample.attributes)
            yield Case("sample", op.name, call, dtype.name, inputs, MODES.get(dtype.name, SECOND))


def bad_cases(op: Op, text: str) -> Iterator[Case]:
    """Every bad input that can be written as a call."""
    for bad in checks.bad_inputs(op):
        if len(bad.args) > len(op.arguments) or not set(bad.attributes) <= set(op.attributes):
            continue  # too many arguments and unknown keywords: Python's own errors
        if op.variadic and not isinstance(bad.args[0], list | tuple):
            continue
        try:
            call, inputs = from_sample(op, text, bad.args, bad.attributes)
            ast.parse(call)
        except (KeyError, SyntaxError):  # an argument is missing, or part of the function's name
            continue
        if any(array.dtype.names for array in inputs.values()):
            continue  # records cannot be written down as a case
        yield Case("bad input", op.name, call, "", inputs, VALUE)


def unmapped(ops: list[Op]) -> list[str]:
    """Ops that are neither called nor declared to be compared through others."""
    return [op.name for op in ops if op.name not in INTERNAL and op.name not in OWN and template(op) is None]


def cases(ops: list[Op]) -> Iterator[Case]:
    """All of the registry, each distinct call once."""
    seen: set[tuple[Any, ...]] = set()
    for op in ops:
        text = template(op)
        if text is None:
            continue
        for case in (*sample_cases(op, text), *bad_cases(op, text)):
            key = (case.text, *[(a.dtype.name, a.shape, a.tobytes()) for a in case.inputs.values()])
            if key not in seen:
                seen.add(key)
                yield case
