"""The functions of the top level, by subject; `gradtape/__init__.py` gathers them."""
