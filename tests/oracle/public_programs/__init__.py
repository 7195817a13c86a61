"""Public programs on gradtape and on TensorFlow: `python -m tests.oracle.public_programs --sources DIR`."""
