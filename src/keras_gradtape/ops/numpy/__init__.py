"""What Keras's backend interface calls `numpy`: NumPy's functions by subject, with Keras's types."""

from __future__ import annotations

from . import creation, elementwise, manipulation, products, reductions, selection

_PUBLIC = {
    creation: """
        arange bartlett blackman empty empty_like eye full full_like geomspace hamming hanning identity
        kaiser linspace logspace ones ones_like tri vander zeros zeros_like
    """,
    elementwise: """
        abs absolute add allclose angle arccos arccosh arcsin arcsinh arctan arctan2 arctanh bitwise_and
        bitwise_invert bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor cbrt ceil
        clip conj conjugate cos cosh deg2rad divide divide_no_nan equal exp exp2 expm1 fabs floor
        floor_divide fmax fmin fmod gcd greater greater_equal heaviside hypot i0 imag isclose isfinite isinf
        isnan isneginf isposinf isreal lcm ldexp left_shift less less_equal log log10 log1p log2 logaddexp
        logaddexp2 logical_and logical_not logical_or logical_xor maximum minimum mod multiply nan_to_num
        negative nextafter not_equal power rad2deg real reciprocal right_shift round select sign signbit sin
        sinc sinh sqrt square subtract tan tanh true_divide trunc where
    """,
    manipulation: """
        append array array_split broadcast_to concatenate copy diag diagflat diagonal dsplit dstack
        expand_dims flip fliplr flipud hsplit hstack meshgrid moveaxis ndim pad ravel repeat reshape roll
        rot90 size split squeeze stack swapaxes tile transpose tril triu view vsplit vstack
    """,
    products: """
        correlate cross diff dot einsum inner kron matmul outer slogdet tensordot trace trapezoid vdot
    """,
    reductions: """
        all amax amin any argmax argmin average corrcoef count_nonzero cumprod cumsum max mean median min
        nanargmax nanargmin nancumprod nancumsum nanmax nanmean nanmedian nanmin nanpercentile nanprod
        nanquantile nanstd nansum nanvar percentile prod ptp quantile std sum var
    """,
    selection: """
        argpartition argsort bincount digitize histogram isin nonzero searchsorted sort take take_along_axis
        unique unravel_index vectorize
    """,
}
_NAMES = {name: getattr(module, name) for module, names in _PUBLIC.items() for name in names.split()}
globals().update(_NAMES)

__all__ = sorted(_NAMES)
