"""The command line: `gradtape run`, `launch`, `demo`, `plot`, `trace`, `cache`, `explain`, `profile`, `view`, `doctor`."""

import argparse
import math
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from ..stand_in import TensorFlowIsImported
from ..version import __version__
from . import demo, doctor, explain, kernel_cache, launch, plot, processes, profile, show_trace, view

__all__ = ["main"]

# 128 + SIGINT, as shells report a program that Ctrl-C ended.
_INTERRUPTED = 130


def _number(kind: Callable[[str], float], expected: str, accept: Callable[[float], bool]) -> Callable[[str], float]:
    """Make an argparse type whose refusal says what was expected and what was given."""

    def parse(text: str) -> float:
        try:
            value = kind(text)
        except ValueError:
            value = math.nan
        if not accept(value):
            raise argparse.ArgumentTypeError(f"expected {expected}, got {text!r}")
        return value

    return parse


_count = _number(int, "a whole number of at least 1", lambda value: value >= 1)
_seed = _number(int, "a whole number from 0 to 2147483647", lambda value: 0 <= value < 2**31)
_rate = _number(float, "a number greater than 0", lambda value: 0 < value < math.inf)


def _argument(text: str) -> Any:
    """An argparse type for what a function is given."""
    try:
        return show_trace.argument(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="gradtape", description="tf.GradientTape as a library of its own, on NumPy.")
    parser.add_argument("--version", action="version", version=f"gradtape {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)

    program = commands.add_parser(
        "run",
        help="run a script, a module or a command written for TensorFlow or Keras, unchanged",
        description="Run PROGRAM as the main program. In it, `import tensorflow as tf` imports gradtape, and Keras runs on "
        "gradtape. PROGRAM is a Python file, a module after -m, or an installed command such as pytest.",
    )
    program.add_argument("-m", dest="module", action="store_true", help="PROGRAM is a module, as in python -m PROGRAM")
    program.add_argument("program", metavar="PROGRAM", help="a Python file, a module, or a command")
    program.add_argument(
        "arguments", nargs=argparse.REMAINDER, metavar="ARGUMENTS", help="what PROGRAM finds in sys.argv"
    )

    together = commands.add_parser(
        "launch",
        help="run a script in several processes that compute together",
        description="Run SCRIPT as `gradtape run` does, in several processes. They find each other in "
        "tf.distribute.MultiWorkerMirroredStrategy, keras.distribution.initialize or "
        "tf.experimental.dtensor.initialize_accelerator_system. When one ends with an error, the others are ended, too.",
    )
    together.add_argument("--processes", type=_count, default=2, metavar="N", help="how many (default 2)")
    together.add_argument("--devices", type=_count, default=1, metavar="N", help="CPUs of each process (default 1)")
    together.add_argument(
        "--restarts", type=int, default=0, metavar="N", help="how often to begin again after an error (default 0)"
    )
    together.add_argument("program", metavar="SCRIPT", help="the Python file")
    together.add_argument(
        "arguments", nargs=argparse.REMAINDER, metavar="ARGUMENTS", help="what SCRIPT finds in sys.argv"
    )

    explained = commands.add_parser(
        "explain",
        help="run a script, and explain every gradient that is None and every nan or inf",
        description="Run SCRIPT as `gradtape run` does. At the end, say for each gradient that was None which line cuts the "
        "way, and for each nan or inf which op made it. Every op is looked at, so the script takes longer.",
    )
    explained.add_argument("script", metavar="SCRIPT", help="the Python file")
    explained.add_argument(
        "arguments", nargs=argparse.REMAINDER, metavar="ARGUMENTS", help="what SCRIPT finds in sys.argv"
    )

    measured = commands.add_parser(
        "profile",
        help="run a script, and show where its time goes: by line, op and layer",
        description="Run SCRIPT as `gradtape run` does, then print the time by line, op and layer, forward and backward.",
    )
    measured.add_argument("--svg", metavar="FILE", help="write a flame picture")
    measured.add_argument("--json", metavar="FILE", help="write the events for chrome://tracing and Perfetto")
    measured.add_argument("--steps", action="store_true", help="run functions op by op, to see the time of their lines")
    measured.add_argument("script", metavar="SCRIPT", help="the Python file")
    measured.add_argument(
        "arguments", nargs=argparse.REMAINDER, metavar="ARGUMENTS", help="what SCRIPT finds in sys.argv"
    )

    seen = commands.add_parser(
        "view",
        help="run a script, and write a picture of what its tapes and functions have recorded",
        description="Run SCRIPT as `gradtape run` does, and write what was recorded as a picture: for each line that asks a tape "
        "for a gradient the first one, and every tf.function. A page (.html) has all of them; .svg, .png and .dot the first.",
    )
    seen.add_argument(
        "-o",
        "--output",
        default="view.html",
        metavar="FILE",
        help="where the picture goes: .html, .svg, .png or .dot (default: %(default)s)",
    )
    seen.add_argument("script", metavar="SCRIPT", help="the Python file")
    seen.add_argument("arguments", nargs=argparse.REMAINDER, metavar="ARGUMENTS", help="what SCRIPT finds in sys.argv")

    commands.add_parser(
        "doctor",
        help="show versions and engines, test each part, and say how to repair what is missing",
        description="Show versions, processor, threads and optional packages, run a small test of each part, and print the "
        "command that repairs what is missing. The exit code is 1 if a test fails.",
    )

    demonstration = commands.add_parser(
        "demo",
        help="train a classifier of handwritten digits with a tape and show derivatives of it",
        description="Train a classifier of handwritten digits with a custom tape loop, report its loss, test "
        "accuracy and time, and show a gradient, a Hessian and a Jacobian of the trained model.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    default = demo.Settings()
    add = demonstration.add_argument
    add("--epochs", type=_count, default=default.epochs, metavar="N", help="passes over the training images")
    add("--batch-size", type=_count, default=default.batch_size, metavar="N", help="images in one step")
    add("--learning-rate", type=_rate, default=default.learning_rate, metavar="X", help="length of a step")
    add("--hidden", type=_count, default=default.hidden, metavar="N", help="units in the hidden layer")
    add("--seed", type=_seed, default=default.seed, metavar="N", help="start of the random numbers")
    add("--quiet", action="store_true", help="show no progress bar")

    picture = commands.add_parser(
        "plot",
        help="draw a run's losses and gradient norms from its event files",
        description="Read the event files below LOGDIR, as tf.summary writes them, and draw one picture: losses, gradient "
        "norms (tf.summary.gradients), and the other scalars. Folders below LOGDIR are runs of their own.",
    )
    add = picture.add_argument
    add("logdir", metavar="LOGDIR", help="the folder given to tf.summary.create_file_writer")
    add(
        "-o",
        "--output",
        default=plot.Settings.output,
        metavar="FILE",
        help="where the picture goes: .png, .svg or .pdf (default: %(default)s)",
    )
    add("--title", metavar="TEXT", help="what stands above it (default: LOGDIR)")

    recorded = commands.add_parser(
        "trace",
        help="print what a function is recorded as, and the program it becomes",
        description="Run FILE.py, record its function NAME as tf.function does, and print the graph, the program of plain ops "
        "that it becomes for given sizes, and that program after optimisation. A function with an input_signature or one that "
        "the file calls needs no --arg.",
    )
    add = recorded.add_argument
    add("target", metavar="FILE.py:NAME", help="the function; NAME may have dots, as in model.step")
    add(
        "--arg",
        dest="args",
        action="append",
        type=_argument,
        default=[],
        metavar="SPEC",
        help="an argument, once for each: a tensor such as 'float32[None,3]' or 'int32[]', or a Python value",
    )
    add(
        "--size",
        type=_count,
        default=show_trace.Settings.size,
        metavar="N",
        help="what the program has for sizes that are not known (default: %(default)s)",
    )
    add(
        "--stage",
        choices=show_trace.STAGES,
        help="one stage alone; groups, llvm and asm: the native functions of a program on small arrays",
    )

    kept = commands.add_parser(
        "cache",
        help="show or clear the machine code that is kept on disk",
        description="Kernels are compiled when they are first needed, and kept for the programs that follow. Show where they lie "
        "and how much there is, or remove them. GRADTAPE_CACHE in the environment is another folder for them, or 0 for none.",
    )
    kept.add_argument("action", nargs="?", choices=kernel_cache.ACTIONS, default="show", help="(default: %(default)s)")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code: 0, 1 for a failure, 2 for bad usage, 130 for Ctrl-C."""
    options = vars(_parser().parse_args(arguments))
    command = options.pop("command")
    try:
        if command == "run":
            launch.run(**options)
        elif command == "launch":
            processes.run(**options)
        elif command == "explain":
            explain.run(**options)
        elif command == "profile":
            profile.run(**options)
        elif command == "view":
            print(f"wrote {view.run(**options)}")
        elif command == "doctor":
            return doctor.run()
        elif command == "plot":
            print(f"wrote {plot.run(plot.Settings(**options))}")
        elif command == "trace":
            settings = options["target"], tuple(options["args"]), options["size"], options["stage"]
            show_trace.run(show_trace.Settings(*settings))
        elif command == "cache":
            print(kernel_cache.run(**options))
        else:
            demo.run(demo.Settings(**options))
        sys.stdout.flush()
    except (
        demo.Diverged,
        plot.NothingToPlot,
        view.NothingToView,
        launch.NoSuchProgram,
        processes.ProcessFailed,
        TensorFlowIsImported,
        show_trace.CannotShow,
        kernel_cache.CannotUse,
    ) as error:
        print(f"gradtape {command}: error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"gradtape {command}: stopped", file=sys.stderr)
        return _INTERRUPTED
    except BrokenPipeError:
        # The reader (head, less) has gone. Point stdout elsewhere, or the interpreter complains at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return 0
