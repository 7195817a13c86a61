"""What every Keras layer inherits from this backend."""


class GradtapeLayer:
    """Nothing is needed: Keras tracks variables and layers itself, and tapes follow variables."""
