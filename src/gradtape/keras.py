"""`gradtape.keras`: the real Keras 3, with gradtape as its backend.

This module puts Keras in its own place, so that `from gradtape.keras.layers import Dense` and `tf.keras.layers.Dense` are
Keras's own classes. It is imported on first use.
"""

import sys
from typing import TYPE_CHECKING

from keras_gradtape import hook

if TYPE_CHECKING:
    from keras import *  # noqa: F403
else:
    sys.modules[__name__] = hook.load()
