"""An op that gradtape does not have, declared in a package of its own.

    import smoothing

    smoothing.soft_clip(x, limit=2.0)

`soft_clip` is linear near zero and never leaves the interval from -limit to limit. Unlike `tf.clip_by_value` it has a derivative
everywhere, so that what lies beyond the limit can still be learned from.
"""

import gradtape as tf
from gradtape import extend


@extend.elementwise
def smoothing_soft_clip(xp, x, *, limit=1.0):
    """x, squeezed smoothly between -limit and limit: limit * tanh(x / limit)."""
    return limit * xp.tanh(x / limit)


@smoothing_soft_clip.derivative("x")
def _(t, x, limit):
    return t * (1.0 - tf.square(tf.tanh(x / limit)))


@smoothing_soft_clip.samples
def _(draw):
    for shape in [(), (1,), (4,), (0,), (2, 3), (3, 1)]:
        for limit in (0.5, 3.0):
            yield extend.Sample((draw(shape, -4.0, 4.0),), {"limit": limit})


soft_clip = smoothing_soft_clip.public
