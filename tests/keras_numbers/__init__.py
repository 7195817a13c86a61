"""The same Keras programs on TensorFlow and on gradtape give the same numbers: `python -m tests.keras_numbers`."""
