"""The command line: choose rows and peers, see that the machine is quiet, race, report."""

from __future__ import annotations

import argparse
import fnmatch
import json
import math
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import against, machine, picture, report, venvs
from benchmarks.crew import Crew
from benchmarks.peers import CONTESTANTS, PEERS, RIVALS
from benchmarks.race import race
from benchmarks.workload import Workload
from benchmarks.workloads import ROWS
from gradtape.cli.progress import ProgressBar

RESULTS = Path("benchmarks/results")
FAILED, REFUSED, INTERRUPTED = 1, 2, 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Time gradtape against TensorFlow, PyTorch, JAX and gradients written by hand in NumPy, "
        "in turns, on two threads each. The peers are installed into environments of their own.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    add = parser.add_argument
    add("--list", action="store_true", help="show rows, contestants and limits, and do nothing else")
    add(
        "--only",
        type=_rows,
        default="*",
        metavar="ROWS",
        help="rows, divided by commas; * and ? match; * alone: the usual ones",
    )
    add("--peers", type=_peers, default=",".join(RIVALS), metavar="PEERS", help="peers, divided by commas")
    add("--repeats", type=_at_least_one, default=5, metavar="N", help="rounds of which the best counts")
    add("--seconds", type=_positive, default=0.2, metavar="S", help="length of a round")
    add("--out", type=Path, default=RESULTS, metavar="DIR", help="where results.json and results.png go")
    add("--venvs", type=Path, default=venvs.default_folder(), metavar="DIR", help="home of the peers")
    add("--force", action="store_true", help="measure even if the machine is busy")
    add("--against", metavar="COMMIT", help="compare this checkout with another commit of gradtape instead of peers")
    add(
        "--starts",
        type=_at_least_one,
        default=against.STARTS,
        metavar="N",
        help="with --against: starts of each process",
    )
    add("--within", type=_positive, metavar="PERCENT", help="with --against: fail where more than this may be lost")
    return parser


def _rows(text: str) -> list[Workload]:
    patterns = text.split(",")
    if unknown := [pattern for pattern in patterns if not fnmatch.filter(ROWS, pattern)]:
        raise argparse.ArgumentTypeError(f"no row {', '.join(unknown)}; there are {', '.join(ROWS)}")
    if patterns == ["*"]:
        return [row for row in ROWS.values() if row.by_default]
    return [row for name, row in ROWS.items() if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)]


def _peers(text: str) -> list[str]:
    names = [name for name in text.split(",") if name]
    if unknown := [name for name in names if name not in RIVALS]:
        raise argparse.ArgumentTypeError(f"no peer {', '.join(unknown)}; there are {', '.join(RIVALS)}")
    return names


def _at_least_one(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number of at least 1, got {text!r}")
    return int(text)


def _positive(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"expected a number greater than 0, got {text!r}")
    return value


def main(arguments: Sequence[str] | None = None, cores_taken: Callable[[], float | None] = machine.cores_taken) -> int:
    """Run the command line.

    Returns 0 if all agree and no required limit is missed, 1 if not, 2 if refused, 130 if interrupted.
    """
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.list:
        _show([*ROWS.values()] if options.only == _rows("*") else options.only)
        return 0
    if options.within is not None and options.against is None:
        parser.error("--within belongs to --against")
    if options.against is not None:
        return _compare(options, cores_taken())
    if not _quiet_enough(cores_taken()) and not options.force:
        return REFUSED

    peers = [*(name for name in PEERS if name not in RIVALS), *options.peers]
    try:
        interpreters = {name: venvs.interpreter(PEERS[name], options.venvs) for name in peers}
    except subprocess.CalledProcessError as error:
        print(f"installing a peer failed: {error}", file=sys.stderr)
        return FAILED

    context = _context(options)
    results: list[report.Row] = []
    status = 0
    with Crew(interpreters, options.seconds) as crew:
        try:
            _run(crew, options.only, peers, options.repeats, results)
        except KeyboardInterrupt:
            status = INTERRUPTED
        context["versions"] = crew.versions()
    if results:
        _publish(results, options.out, context)
    return status or (FAILED if any(row.problems() for row in results) else 0)


def _context(options: argparse.Namespace) -> dict[str, Any]:
    return {
        "started": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "machine": machine.description(),
        "settings": {"repeats": options.repeats, "seconds": options.seconds},
    }


def _compare(options: argparse.Namespace, taken: float | None) -> int:
    """This checkout against another commit. Processor time can be compared on a busy machine too."""
    rows = [row for row in options.only if against.contestants(row)]
    if not rows:
        print(f"none of these rows measures the time of gradtape: {', '.join(row.name for row in options.only)}")
        return FAILED
    _introduce(taken)
    done = status = 0
    found: list[against.Comparison] = []
    try:
        with (
            against.checkout_of(options.against) as other,
            ProgressBar(against.turns(rows, options.starts, options.repeats)) as bar,
        ):

            def passed() -> None:
                nonlocal done
                done += 1
                bar.update(done, "in turns")

            found.extend(against.compare(rows, other, options.starts, options.repeats, options.seconds, passed))
    except against.NoSuchCommit as error:
        print(error, file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        status = INTERRUPTED
    print("\n".join(against.table(found, options.within)))
    _write_json(options.out / "against.json", against.as_json(found, _context(options)))
    lost = [each for each in found if each.problem or (options.within and each.verdict(options.within) != "pass")]
    return status or (FAILED if lost else 0)


def _quiet_enough(taken: float | None) -> bool:
    _introduce(taken)
    refusal = machine.refusal(taken)
    if refusal:
        print(refusal, file=sys.stderr)
    return refusal is None


def _introduce(taken: float | None) -> None:
    about = machine.description()
    load = "unknown" if taken is None else f"{taken:.2f} cores taken by others"
    print(f"{about['processor']}, {about['cores']} cores, {about['system']}; load: {load}")


def _run(
    crew: Crew,
    rows: Sequence[Workload],
    peers: Sequence[str],
    repeats: int,
    results: list[report.Row],
) -> None:
    """Race row after row; `results` grows as they finish, so that an interruption loses one row only."""
    starters = {
        row.name: [name for name, it in CONTESTANTS.items() if name in row.contestants and it.peer in peers]
        for row in rows
    }
    rounds = {row.name: min(repeats, row.most_rounds) for row in rows}
    turns = sum(len(names) * (1 + rounds[name]) for name, names in starters.items())
    done = 0
    with ProgressBar(turns) as bar:
        for row in rows:

            def passed(contestant: str, row: Workload = row) -> None:
                nonlocal done
                done += 1
                bar.update(done, f"{row.name}: {contestant}")

            runners = {name: crew.runner(row.name, name) for name in starters[row.name]}
            meter = machine.Meter(crew.ids)
            entries = race(runners, row.tolerance, rounds[row.name], passed=passed)
            results.append(report.Row(row, entries, meter.cores_taken()))
            crew.release()


def _publish(results: Sequence[report.Row], folder: Path, context: Mapping[str, Any]) -> None:
    """Print the table; write it as JSON and as a picture."""
    print(", ".join(f"{name} {version}" for name, version in context["versions"].items()), end="\n\n")
    print("\n".join(report.table(results)))
    _write_json(folder / "results.json", report.as_json(results, context))
    processor, repeats = context["machine"]["processor"], context["settings"]["repeats"]
    caption = f"{processor}, {machine.THREADS} threads, best of {repeats} rounds in turns"
    print(picture.draw(results, folder / "results.png", caption))


def _write_json(path: Path, figures: Mapping[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(figures, indent=1) + "\n")
    print(f"figures: {path}")


def _show(rows: Sequence[Workload]) -> None:
    for row in rows:
        print(f"{row.name:<20} {row.title}")
        print(f"{'':<20} {', '.join(row.contestants)}")
        for limit in row.limits:
            print(f"{'':<20} {'limit' if limit.required else 'aim'}: {limit.describe(row.unit)}")
