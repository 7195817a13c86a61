"""TensorFlow's own test files on gradtape, through public names: `python -m tests.oracle.tf_tests --source DIR`."""
