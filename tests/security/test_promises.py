"""SECURITY.md: every promise names tests, and they are there."""

from __future__ import annotations

import ast
import pathlib
import re

import pytest

from fuzz.readers import READERS

ROOT = pathlib.Path(__file__).parents[2]
PAGE = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
ROWS = [
    line
    for line in PAGE.splitlines()
    if line.startswith("| ") and not line.startswith(("| ---", "| promise", "| format"))
]
TEST = re.compile(r"`((?:\w+/)*test_\w+\.py)(?:::(\w+))?`")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[1].strip(" *")[:30])
def test_each_promise_names_tests_that_are_there(row):
    named = TEST.findall(row.rsplit("|", 2)[1])
    assert named, "Name the tests of the promise, as `folder/test_file.py` or `folder/test_file.py::test`."
    for file, test in named:
        path = ROOT / "tests" / file
        assert path.exists(), file
        functions = {node.name for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.FunctionDef)}
        assert not test or test in functions, f"{file}::{test}"


FORMATS = {
    "saved model": {"saved_model", "saved_model_index"},
    "safetensors": {"safetensors"},
    "checkpoint": {"checkpoint", "checkpoint_index", "checkpoint_state"},
    "TFRecord": {"tfrecord", "tfrecord_gzip", "tfrecord_zlib"},
    "SequenceExample": {"example", "sequence_example", "json_example"},
    "serialized tensor": {"parse_tensor", "decode_raw", "decode_base64"},
    "event file": {"events"},
    "saved dataset": {"dataset"},
    "CSV": {"text_lines", "csv_dataset", "decode_csv", "vocabulary"},
    "WAV": {"wav"},
    "JPEG": {"image"},
    ".keras": {"keras", "keras_config"},
}


def test_each_reader_that_is_fuzzed_belongs_to_a_format_of_the_page():
    assert set().union(*FORMATS.values()) == set(READERS), (
        "A new reader needs a row in SECURITY.md and a place in FORMATS."
    )
    for name in FORMATS:
        assert any(name in row.split("|")[1] for row in ROWS), name
