"""Keras's own tests, which come inside its wheel, on the gradtape backend: `python -m tests.keras_suite`."""
