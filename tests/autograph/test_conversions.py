"""The conversions that are kept, by code object."""

from __future__ import annotations

import gc
import linecache

import gradtape as tf
from gradtape.autograph import transpile


def test_a_cell_that_is_run_again_while_the_old_one_goes_away(monkeypatch):
    """Code objects of the same text are equal: the new one finds the entry of the old one, which dies during conversion."""
    text = "def f(x):\n    return x if x > 0 else -x\n"

    def cell(file):
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        names = {}
        exec(compile(text, file, "exec"), names)
        return names["f"]

    old = [cell("<cell 1>")]
    transpile.conversion_of(old[0])
    convert = transpile._convert

    def converting(function):
        old.clear()
        gc.collect()
        return convert(function)

    monkeypatch.setattr(transpile, "_convert", converting)
    assert tf.function(cell("<cell 2>"))(tf.constant(-3.0)).numpy() == 3.0
