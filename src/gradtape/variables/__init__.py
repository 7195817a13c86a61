"""Variables, modules that hold them, and Python's operators on both."""
