"""Keras is there before the modules of its backend are imported: they belong to it."""

import gradtape.keras  # noqa: F401
