"""What an editor shows: hover and completion, asked of a language server (basedpyright's, a wheel) as an editor asks."""

import itertools
import json
import pathlib
import shutil
import subprocess
import sys
import sysconfig

import pytest

pytest.importorskip("basedpyright")

ROOT = pathlib.Path(__file__).parents[2]
PROGRAM = """import gradtape as tf

x = tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    y = tf.reduce_sum(tf.square(x))
slope = tape.gradient(y, x)
model = tf.keras.layers.Dense(3)
root = tf.linalg.cholesky(tf.eye(2))
early = tf.raw_ops.MatMul
pairs = tf.data.Dataset.range(3).batch(2)


@tf.function
def step(t: tf.Tensor, rate: float) -> tf.Tensor:
    return t * rate


step(x.read_value(), 0.1)
"""


class Editor:
    """A program that is open in an editor: asks the language server what stands at a place."""

    def __init__(self, folder: pathlib.Path) -> None:
        paths = [str(ROOT / "src"), sysconfig.get_path("purelib")]
        (folder / "pyrightconfig.json").write_text(json.dumps({"extraPaths": paths}), encoding="utf-8")
        self.uri = (folder / "program.py").as_uri()
        server = shutil.which("basedpyright-langserver", path=str(pathlib.Path(sys.executable).parent))
        assert server, "the wheel of basedpyright has the server"
        self._process = subprocess.Popen([server, "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder)
        self._numbers = itertools.count(1)
        self.lines: list[str] = []
        workspace = {"uri": folder.as_uri(), "name": "programs"}
        self.ask(
            "initialize",
            processId=None,
            rootUri=folder.as_uri(),
            workspaceFolders=[workspace],
            capabilities={"textDocument": {"hover": {"contentFormat": ["plaintext"]}}},
        )
        self._tell("initialized")
        self._tell("textDocument/didOpen", textDocument=self._document(PROGRAM))

    def close(self) -> None:
        self.ask("shutdown")
        self._tell("exit")
        self._process.communicate(timeout=60)

    def hover(self, word: str) -> str:
        """What is shown over the last part of a word, such as `tf.reduce_sum`."""
        line, text = next((i, text) for i, text in enumerate(PROGRAM.splitlines()) if word in text)
        shown = self.ask("textDocument/hover", **self._place(line, text.index(word) + len(word) - 1))
        return shown["contents"]["value"] if shown else ""

    def completions(self, typed: str) -> dict[str, dict]:
        """What is offered behind a line that was typed at the end of the program, by name."""
        text = PROGRAM + typed
        self._tell(
            "textDocument/didChange",
            textDocument={"uri": self.uri, "version": next(self._numbers)},
            contentChanges=[{"text": text}],
        )
        lines = text.splitlines()
        answer = self.ask("textDocument/completion", **self._place(len(lines) - 1, len(lines[-1])))
        return {item["label"]: item for item in answer["items"]}

    def ask(self, method: str, **parameters: object):
        number = next(self._numbers)
        self._send({"id": number, "method": method, "params": parameters})
        while True:
            message = self._received()
            if message.get("id") == number and "method" not in message:
                assert "error" not in message, message
                return message["result"]
            if "method" in message and "id" in message:  # the server asks the editor for its settings
                asked = message["params"].get("items", []) if isinstance(message.get("params"), dict) else []
                self._send({"id": message["id"], "result": [None] * len(asked)})

    def _document(self, text: str) -> dict[str, object]:
        return {"uri": self.uri, "languageId": "python", "version": next(self._numbers), "text": text}

    def _place(self, line: int, character: int) -> dict[str, object]:
        return {"textDocument": {"uri": self.uri}, "position": {"line": line, "character": character}}

    def _tell(self, method: str, **parameters: object) -> None:
        self._send({"method": method, "params": parameters})

    def _send(self, message: dict[str, object]) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self._process.stdin.flush()

    def _received(self):
        length = 0
        while line := self._process.stdout.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.partition(b":")[2])
        assert length, "the server has ended"
        return json.loads(self._process.stdout.read(length))


@pytest.fixture(scope="module")
def editor(tmp_path_factory):
    found = Editor(tmp_path_factory.mktemp("programs"))
    yield found
    found.close()


@pytest.mark.parametrize(
    ("word", "signature", "text"),
    [
        ("tf.Variable", "class Variable", "A tensor-valued cell"),
        ("tf.GradientTape", "class GradientTape", "Record operations, then differentiate them."),
        ("tf.reduce_sum", "axis: AxisLike | None", "The sum of all elements"),
        ("tf.square", "-> Tensor", "x * x"),
        ("tape.gradient", "unconnected_gradients", "sources"),
        ("tf.linalg.cholesky", "-> Tensor", "lower triangular"),
        ("tf.keras.layers.Dense", "units: int", "kernel_initializer"),
        ("tf.eye", "num_rows", "identity"),
        ("tf.raw_ops.MatMul", "transpose_a", ""),
        (").batch", "drop_remainder", "batch"),
        ("tf.function", "function", "recorded once"),
    ],
)
def test_hover_shows_signature_and_text(editor, word, signature, text):
    shown = editor.hover(word)
    assert signature in shown
    assert text.lower() in shown.lower()


@pytest.mark.parametrize(
    ("name", "type_"),
    [("slope", "Gradient"), ("root", "Tensor"), ("pairs", "Dataset[Tensor]"), ("def step", "rate: float")],
)
def test_hover_shows_types_of_values(editor, name, type_):
    assert type_ in editor.hover(name)


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("tf.redu", {"reduce_sum", "reduce_mean", "reduce_max", "reduce_logsumexp"}),
        ("tf.Grad", {"GradientTape"}),
        ("tf.linalg.ch", {"cholesky", "cholesky_solve"}),
        ("tf.nn.sof", {"softmax", "softplus"}),
        ("tf.keras.layers.Den", {"Dense"}),
        ("tape.", {"gradient", "jacobian", "batch_jacobian", "watch", "explain"}),
        ("x.assi", {"assign", "assign_add", "assign_sub"}),
        ("y.", {"numpy", "shape", "dtype"}),
        ("pairs.", {"map", "batch", "shuffle", "prefetch"}),
        ("tf.autodiff.", {"grad", "value_and_grad", "jacrev", "vmap"}),
        ("tf.raw_ops.MatM", {"MatMul"}),
        ("tf.compat.v1.get_v", {"get_variable"}),
    ],
)
def test_completion_offers_names(editor, typed, offered):
    assert offered <= editor.completions(typed).keys()


def test_completion_of_the_package_offers_what_is_public(editor):
    offered = editor.completions("tf.").keys()
    assert {"constant", "data", "keras", "linalg", "GradientTape"} <= offered
    assert not {"np", "sys", "philox", "entry"} & offered
