"""What `tf.train` offers, and what importing it costs."""

import subprocess
import sys

import gradtape as tf


def test_messages_of_record_files_are_there_under_their_usual_names():
    feature = tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2]))
    example = tf.train.Example(features=tf.train.Features(feature={"a": feature}))
    again = tf.train.Example.FromString(example.SerializeToString())
    assert list(again.features.feature["a"].int64_list.value) == [1, 2]


def test_every_public_name_is_there():
    assert [name for name in tf.train.__all__ if not hasattr(tf.train, name)] == []


def test_neither_scipy_nor_keras_is_imported_before_it_is_used():
    code = (
        "import sys, gradtape as tf; tf.train, tf.optimize;"
        "print([m for m in ('scipy', 'keras', 'PIL') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
