"""tf.compat: v2 is the package, v1 says that it is not there."""

import importlib
import pathlib

import pytest

import gradtape as tf


def test_v2_is_the_package():
    assert tf.compat.v2 is tf
    assert importlib.import_module("gradtape.compat.v2") is tf


def test_v1_names_what_to_use():
    with pytest.raises(AttributeError, match=r"tf\.compat\.v1\.Session.*GradientTape"):
        tf.compat.v1.Session  # noqa: B018
    assert not hasattr(tf.compat.v1, "placeholder")
    assert "not offered" in repr(tf.compat.v1)
    assert importlib.import_module("gradtape.compat.v1") is tf.compat.v1


def test_text_and_bytes():
    assert (tf.compat.as_bytes("a"), tf.compat.as_bytes(b"a"), tf.compat.as_text(b"a")) == (b"a", b"a", "a")
    assert (tf.compat.as_str("a"), tf.compat.as_str_any(1), tf.compat.as_str_any(b"x")) == ("a", "1", "x")
    assert tf.compat.path_to_str(pathlib.PurePosixPath("a/b")) == "a/b"
    assert tf.compat.dimension_value(3) == 3
    for convert in (tf.compat.as_bytes, tf.compat.as_text):
        with pytest.raises(TypeError):
            convert(1)


def test_v1_advises_a_name_only_where_it_exists():
    with pytest.raises(AttributeError, match=r"Use tf\.reduce_sum\."):
        tf.compat.v1.reduce_sum  # noqa: B018
    with pytest.raises(AttributeError) as caught:
        tf.compat.v1.Session  # noqa: B018
    assert "tf.Session" not in str(caught.value)
