"""The methods of `tf.data.Dataset`, by subject. data/dataset.py has what is left: iterating, looking at it, options."""
