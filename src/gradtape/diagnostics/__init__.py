"""Questions about what a tape did: why a gradient is None, where a NaN began, what is held, whether a rule is right.

`GradientTape` and `tf.function` import these modules when somebody asks; nothing here runs before.
"""
