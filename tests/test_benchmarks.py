"""The benchmark harness: what it measures, compares, judges and refuses. Times are told, never taken."""

from __future__ import annotations

import json
import sys
import types
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path

import numpy as np
import pytest
from benchmarks import against, cli, machine, picture, report, timing, venvs
from benchmarks.agreement import disagreement
from benchmarks.cli import FAILED, REFUSED, main
from benchmarks.crew import CHECKOUT
from benchmarks.dialects import ByHand, TensorFlow
from benchmarks.peers import CONTESTANTS, PEERS
from benchmarks.race import Entry, Failed, Outcome, race
from benchmarks.step import Array, Data, Step, Unavailable
from benchmarks.timing import autorange, timer_of
from benchmarks.worker import Worker, missing_from_gradtape
from benchmarks.workload import THE_BEST, Reading, Tracing, Workload, aim, limit
from benchmarks.workloads import ROWS
from benchmarks.workloads.actor_critic import ActorCritic
from benchmarks.workloads.resnet import ResNet
from benchmarks.workloads.tracing import TracedProduct
from benchmarks.workloads.transformer import Transformer

import gradtape


@dataclass
class Fake:
    """A contestant whose results and times are told beforehand; it notes its turns in a log shared by all."""

    name: str
    log: list[str]
    results: Sequence[Array] = (np.array([1.0, 2.0]),)
    times: Sequence[float] = (1.0, 1.0, 1.0)
    broken: Exception | None = None
    _left: Iterator[float] = field(init=False)

    def __post_init__(self) -> None:
        self._left = iter(self.times)

    def prepare(self) -> tuple[Sequence[Array], int]:
        if self.broken:
            raise self.broken
        return self.results, 7

    def round(self) -> float:
        self.log.append(self.name)
        return next(self._left)


def entries_of(*runners: Fake, rounds: int = 3) -> dict[str, Entry]:
    return race({runner.name: runner for runner in runners}, 1e-6, rounds, settle=lambda: None)


class Toy(Reading):
    name = "toy"
    title = "a toy"
    contestants = ("numpy", "gradtape", "tf", "torch", "jax")
    limits = (limit("gradtape", 0.5, "torch"), aim("gradtape", 0.9, *THE_BEST), limit("gradtape", 3000))
    unit = "ms"
    unit_scale = 1e3

    def read(self, module: str) -> float:
        return 0.0


def row_of(**bests: float) -> report.Row:
    return report.Row(Toy(), {name: Entry(rounds=[best, best + 1]) for name, best in bests.items()})


class TestTiming:
    @pytest.mark.parametrize("cost", [1e-7, 3e-3, 0.5])
    def test_autorange_finds_enough_calls_and_few_more(self, cost: float) -> None:
        calls = autorange(lambda calls: calls * cost, at_least=0.2)
        assert calls * cost >= 0.2
        assert calls == 1 or calls * cost <= 0.3

    def test_autorange_is_not_misled_by_a_slow_first_call(self) -> None:
        first = iter([0.19])
        calls = autorange(lambda calls: next(first, calls * 1e-4), at_least=0.2)
        assert calls * 1e-4 >= 0.2

    def test_autorange_bears_a_clock_that_stands_still(self) -> None:
        assert autorange(lambda calls: 0.0 if calls < 1000 else 1.0, at_least=0.2) == 1000

    def test_a_timer_calls_the_function_with_its_arguments_so_many_times(self) -> None:
        calls: list[tuple[int, ...]] = []
        seconds = timer_of(Step(lambda *arguments: calls.append(arguments), (1, 2)))(3)
        assert calls == [(1, 2)] * 3
        assert seconds >= 0


class TestAgreement:
    reference = (np.array([3.0, 4.0]), np.array(1))

    def test_equal_up_to_the_tolerance(self) -> None:
        assert disagreement([np.array([3.0, 4.0 + 4e-6]), np.array(1)], self.reference, 1e-6) is None

    @pytest.mark.parametrize(
        ("results", "words"),
        [
            ([np.array([3.0, 4.1]), np.array(1)], "result 0 is off by 2.0e-02"),
            ([np.array([3.0, 4.0]), np.array(2)], "result 1 is off"),
            ([np.array([3.0, np.nan]), np.array(1)], "nan"),
            ([np.array([[3.0, 4.0]]), np.array(1)], "shape (1, 2) instead of (2,)"),
            ([np.array([3.0, 4.0])], "1 results instead of 2"),
        ],
    )
    def test_a_difference_is_named(self, results: list[Array], words: str) -> None:
        assert words in (disagreement(results, self.reference, 1e-6) or "")

    def test_where_the_reference_is_zero_nothing_else_will_do(self) -> None:
        assert disagreement([np.array([1e-9])], [np.array([0.0])], 1e-6)


class TestRace:
    def test_rounds_are_interleaved_and_nobody_is_always_first(self) -> None:
        log: list[str] = []
        entries_of(Fake("a", log), Fake("b", log), Fake("c", log))
        assert "".join(log) == "abc" + "bca" + "cab"

    def test_the_best_round_counts(self) -> None:
        entries = entries_of(Fake("a", [], times=(3.0, 1.0, 2.0)))
        assert entries["a"].best == 1.0
        assert entries["a"].rounds == [3.0, 1.0, 2.0]
        assert entries["a"].calls == 7

    def test_one_who_computed_something_else_is_not_timed(self) -> None:
        log: list[str] = []
        entries = entries_of(Fake("a", log), Fake("b", log, results=(np.array([1.0, 2.5]),)))
        assert entries["b"].outcome is Outcome.DISAGREES
        assert entries["b"].best is None
        assert set(log) == {"a"}

    def test_one_who_cannot_run_leaves_the_others_alone(self) -> None:
        log: list[str] = []
        entries = entries_of(
            Fake("a", log, broken=Unavailable("not available yet: tf.nn.conv2d")),
            Fake("b", log, broken=Failed("ValueError: no")),
            Fake("c", log),
        )
        assert [entry.outcome for entry in entries.values()] == [
            Outcome.UNAVAILABLE,
            Outcome.FAILED,
            Outcome.MEASURED,
        ]
        assert entries["a"].detail == "not available yet: tf.nn.conv2d"
        assert log == ["c"] * 3

    def test_every_turn_is_passed_on_to_the_progress_bar(self) -> None:
        passed: list[str] = []
        runners = {"a": Fake("a", []), "b": Fake("b", [], broken=Failed("no"))}
        race(runners, 1e-6, 2, settle=lambda: None, passed=passed.append)
        assert sorted(passed) == ["a"] * 3 + ["b"] * 3


class TestReport:
    def test_ratios_say_how_many_times_their_figure_ours_is(self) -> None:
        row = row_of(gradtape=1.0, torch=4.0)
        assert row.ratio("torch") == 0.25
        assert row.figure("torch") == 4000.0
        assert row.ratio("jax") is None

    def test_limits_are_judged(self) -> None:
        row = row_of(gradtape=2.0, tf=8.0, torch=4.0, jax=2.1)
        assert [(v.measured, v.word) for v in row.verdicts()] == [
            (0.5, "pass"),
            (pytest.approx(2.0 / 2.1), "not yet"),
            (2000.0, "pass"),
        ]
        assert row.problems() == []

    def test_a_required_limit_that_is_missed_is_a_problem(self) -> None:
        row = row_of(gradtape=3.5, tf=8.0, torch=4.0, jax=5.0)
        assert [verdict.word for verdict in row.verdicts()] == ["FAIL", "pass", "FAIL"]
        assert row.problems() == ["gradtape <= 0.5 x torch", "gradtape <= 3000 ms"]

    def test_nobody_is_called_the_best_before_all_have_run(self) -> None:
        assert [v.word for v in row_of(gradtape=1.0, torch=4.0).verdicts()] == ["pass", "unknown", "pass"]

    def test_a_disagreement_is_a_problem_and_a_missing_function_is_not(self) -> None:
        entries = {
            "gradtape": Entry(Outcome.UNAVAILABLE, "not available yet: tf.nn.conv2d"),
            "torch": Entry(Outcome.DISAGREES, "result 0 is off"),
        }
        row = report.Row(Toy(), entries)
        assert row.problems() == ["torch disagrees: result 0 is off"]
        text = "\n".join(report.table([row]))
        assert "not available yet: tf.nn.conv2d" in text
        assert "limits: 0 pass, 0 FAIL, 0 noisy, 2 unknown" in text

    def test_the_table_shows_figures_ratios_and_verdicts(self) -> None:
        text = "\n".join(report.table([row_of(gradtape=1.0, torch=4.0)]))
        assert "torch                      4000 ms   gradtape takes 0.25 x" in text
        assert "limit  gradtape <= 0.5 x torch" in text

    def test_on_a_noisy_machine_nothing_is_won_or_lost(self) -> None:
        row = report.Row(Toy(), row_of(gradtape=3.5, torch=4.0).entries, cores_taken=1.5)
        assert [verdict.word for verdict in row.verdicts()] == ["noisy", "unknown", "noisy"]
        assert row.problems() == []
        assert "NOISY: others took 1.50 cores" in "\n".join(report.table([row]))

    def test_the_picture_is_written(self, tmp_path: Path) -> None:
        path = tmp_path / "bars.png"
        assert str(path) in picture.draw([row_of(gradtape=1.0, torch=4.0)], path, "a caption")
        assert path.read_bytes().startswith(b"\x89PNG")

    def test_without_matplotlib_the_message_says_what_to_install(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
        said = picture.draw([row_of(gradtape=1.0)], tmp_path / "bars.png", "a caption")
        assert "pip install matplotlib" in said


class TestMachine:
    def test_a_quiet_machine_is_not_refused(self) -> None:
        assert machine.refusal(0.05) is None
        assert machine.refusal(None) is None

    def test_a_busy_machine_is_refused_before_anything_is_built(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        folder = tmp_path / "venvs"
        assert main(["--venvs", str(folder), "--out", str(tmp_path)], cores_taken=lambda: 1.0) == REFUSED
        said = capsys.readouterr()
        assert "load: 1.00 cores" in said.out
        assert "--force" in said.err
        assert not folder.exists()

    def test_what_our_own_processes_take_is_not_taken_by_others(self, monkeypatch: pytest.MonkeyPatch) -> None:
        walls, busy, worker = iter([0.0, 2.0]), iter([100.0, 105.0]), iter([10.0, 12.0])
        monkeypatch.setattr("time.monotonic", lambda: next(walls))
        monkeypatch.setattr("os.times", lambda: (0.0, 0.0, 0.0, 0.0, 0.0))
        monkeypatch.setattr(machine, "_busy_seconds", lambda: next(busy))
        monkeypatch.setattr(machine, "_seconds_of", lambda process: next(worker))
        assert machine.Meter(lambda: [4321]).cores_taken() == 1.5

    def test_everybody_gets_the_same_number_of_threads(self) -> None:
        assert {machine.ENVIRONMENT[name] for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")} == {"2"}

    def test_nobody_is_kept_to_the_kernels_of_an_older_processor(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")
        monkeypatch.setenv("SOMETHING_ELSE", "kept")
        found = machine.environment()
        assert "OPENBLAS_CORETYPE" not in found
        assert found["SOMETHING_ELSE"] == "kept"
        assert found["OMP_NUM_THREADS"] == "2"


class TestCommandLine:
    def test_list_shows_every_row_with_its_limits(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["--list"]) == 0
        said = capsys.readouterr().out
        assert all(name in said for name in ROWS)
        assert "limit: gradtape <= 0.6 x torch" in said

    @pytest.mark.parametrize("arguments", [["--only", "nonsense"], ["--peers", "mxnet"], ["--repeats", "0"]])
    def test_bad_arguments_are_refused_by_name(self, arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit):
            main(arguments)
        assert arguments[1] in capsys.readouterr().err

    def test_a_run_writes_what_it_measured(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """The whole way, with worker processes, on a row that has no limit of time."""
        arguments = ["--only", "variables-watched", "--peers", "", "--repeats", "2", "--seconds", "0.001"]
        assert main([*arguments, "--out", str(tmp_path)], cores_taken=lambda: 0.0) == 0
        figures = json.loads((tmp_path / "results.json").read_text())
        (row,) = figures["rows"]
        assert {name: len(it["rounds"]) for name, it in row["contestants"].items()} == {
            "numpy": 2,
            "gradtape": 2,
        }
        assert figures["versions"]["numpy"] == np.__version__
        assert (tmp_path / "results.png").exists()


def compared(new: Sequence[float], old: Sequence[float]) -> against.Comparison:
    """Six starts of five rounds each, around these figures."""
    noise = np.random.default_rng(0).normal(1, 0.01, (6, 5))
    return against.Comparison(Toy(), "gradtape", *((noise * np.resize(side, (6, 5))).tolist() for side in (new, old)))


class TestAgainst:
    def test_the_ratio_is_that_of_the_medians(self) -> None:
        assert compared([3.0], [2.0]).ratio == pytest.approx(1.5)

    def test_the_interval_holds_the_ratio_and_is_narrow_where_rounds_agree(self) -> None:
        low, high = compared([1.01], [1.0]).interval()
        assert low <= 1.01 <= high
        assert high - low < 0.03

    def test_one_start_that_went_astray_widens_the_interval(self) -> None:
        steady, astray = compared([1.0], [1.0]), compared([1.0], [1.0])
        astray.new[:3] = [[1.2 * seconds for seconds in rounds] for rounds in astray.new[:3]]
        assert astray.interval()[1] > steady.interval()[1] + 0.05

    @pytest.mark.parametrize(("new", "verdict"), [(1.0, "pass"), (1.2, "FAIL")])
    def test_what_is_within_is_told_by_the_upper_end(self, new: float, verdict: str) -> None:
        assert compared([new], [1.0]).verdict(within=2) == verdict

    def test_what_the_interval_leaves_open_is_not_shown(self) -> None:
        comparison = compared([1.0], [1.0])
        comparison.new[:3] = [[1.2 * seconds for seconds in rounds] for rounds in comparison.new[:3]]
        assert comparison.verdict(within=2) == "not shown"

    def test_the_table_has_a_line_for_each_comparison_and_says_what_went_wrong(self) -> None:
        broken = against.Comparison(Toy(), "gradtape", problem="this checkout failed: ValueError: no")
        _head, line, other = against.table([compared([1.0], [1.0]), broken], within=2)
        assert "1.000" in line
        assert line.endswith("pass")
        assert "ValueError: no" in other

    def test_rows_that_measure_no_time_do_not_take_part(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["--against", "HEAD", "--only", "installed-size"], cores_taken=lambda: 0.0) == FAILED
        assert "installed-size" in capsys.readouterr().out

    def test_a_commit_that_is_not_there_is_refused_by_name(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["--against", "no-such-commit", "--only", "add"], cores_taken=lambda: 0.0) == FAILED
        assert "'no-such-commit'" in capsys.readouterr().err

    def test_within_belongs_to_against(self, capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit):
            main(["--within", "2"])
        assert "--against" in capsys.readouterr().err

    def test_both_commits_run_in_processes_of_their_own(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        if not (CHECKOUT / ".git").exists():
            pytest.skip("not a git checkout: there is no other commit")
        monkeypatch.setattr(against, "ROUNDS", 2)
        arguments = [
            "--against",
            "HEAD",
            "--only",
            "add",
            "--starts",
            "1",
            "--repeats",
            "1",
            "--seconds",
            "0.001",
            "--out",
            str(tmp_path),
        ]
        assert main(arguments, cores_taken=lambda: 0.0) == 0
        (comparison,) = json.loads((tmp_path / "against.json").read_text())["comparisons"]
        assert [len(rounds) for rounds in (*comparison["new"], *comparison["old"])] == [2, 2]


class TestRows:
    @pytest.mark.parametrize("row", ROWS.values(), ids=lambda row: row.name)
    def test_contestants_and_limits_name_each_other(self, row: Workload) -> None:
        assert set(row.contestants) <= set(CONTESTANTS)
        for each in row.limits:
            assert each.contestant in row.contestants
            assert set(each.of) <= set(CONTESTANTS)
            assert not each.of or set(each.of) & set(row.contestants)

    @pytest.mark.parametrize(
        "name",
        [
            "scalar-gradient",
            "scalar-gradient-variable",
            "add",
            "small-ops",
            "small-ops-variables",
            "composites",
            "keras-eager",
            "mlp-adam-in-ops",
            "mlp",
            "cnn",
            "transformer",
            "lstm",
            "jacobian",
            "variables-accessed",
            "variables-watched",
            "pipeline",
            "shuffled-batches",
        ],
    )
    def test_the_tape_computes_what_was_written_by_hand(self, name: str) -> None:
        row = ROWS[name]
        data = row.data(np.random.default_rng(0))

        def numbers(speaker: ByHand | TensorFlow) -> Sequence[Array]:
            copy = Data([array.copy() for array in data.parameters], data.inputs)
            step = speaker.build(row, copy)
            return row.observed(data, list(speaker.numbers([step(), step.state()])))

        try:
            found = numbers(TensorFlow(gradtape))
        except AttributeError as error:
            if missing := missing_from_gradtape(error):
                pytest.skip(f"not available yet: {missing}")
            raise
        assert disagreement(found, numbers(ByHand(np)), row.tolerance) is None


class SmallTransformer(Transformer):
    blocks, sequences = 1, 1


class TestTracing:
    @pytest.mark.parametrize(
        "row",
        [
            pytest.param(ResNet((1, 1), width=8, pixels=32), id="resnet"),
            pytest.param(SmallTransformer(), id="transformer"),
            pytest.param(ActorCritic(), id="actor-critic"),
        ],
    )
    def test_a_traced_step_computes_what_an_eager_one_does(self, row: Workload) -> None:
        tracing = Tracing("trace-small", row)
        data = tracing.data(np.random.default_rng(0))

        def numbers(speaker: TensorFlow) -> Sequence[Array]:
            step = speaker.build(tracing, data)
            return tracing.observed(data, list(speaker.numbers([step(), step.state()])))

        traced = numbers(TensorFlow(gradtape, gradtape.function))
        assert disagreement(traced, numbers(TensorFlow(gradtape)), row.tolerance) is None

    def test_resnet_50_has_its_parameters(self) -> None:
        parameters = ResNet().data(np.random.default_rng(0)).parameters
        assert len(parameters) == 3 * 53 + 2
        assert sum(array.size for array in parameters) == 25_557_032  # as published, without moving averages

    def test_what_is_measured_is_the_first_call_less_the_second(self, monkeypatch: pytest.MonkeyPatch) -> None:
        times = iter([10.0, 13.0, 14.0])
        monkeypatch.setattr(timing, "clock", lambda: lambda: next(times))
        assert timing.first_call_less_second(lambda: Step(lambda: None)) == 2.0

    @pytest.mark.parametrize("size", [3, 30])
    def test_tracing_a_product_gives_its_shape(self, size: int) -> None:
        row = TracedProduct(size)
        step = row.step(TensorFlow(gradtape, gradtape.function), row.data(np.random.default_rng(0)))
        assert step().tolist() == [size, size]

    def test_long_rows_run_only_where_they_are_named(self) -> None:
        assert not any(isinstance(row, Tracing) for row in cli._rows("*"))
        assert [row.name for row in cli._rows("trace-m*")] == ["trace-matmul-3", "trace-matmul-3000", "trace-mlp"]

    def test_a_worker_measures_a_new_function_in_each_round(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(ROWS, "trace-small", Tracing("trace-small", ResNet((1,), width=4, pixels=16)))
        worker = Worker("gradtape")
        assert worker.prepare("trace-small", "gradtape function", 0.001, str(tmp_path / "numbers.npz")) == {"calls": 1}
        with np.load(tmp_path / "numbers.npz") as found:
            assert len(found) == 1 + 5 * 3 + 2  # the loss, and how far each parameter moved
        assert worker.round("gradtape function")["measured"] > 0


class TestWhatIsMissing:
    def test_a_missing_function_is_named_as_the_user_writes_it(self) -> None:
        nn = types.ModuleType("gradtape.nn")
        with pytest.raises(AttributeError) as caught:
            attrgetter("conv2d")(nn)
        assert missing_from_gradtape(caught.value) == "tf.nn.conv2d"

    def test_a_mistake_elsewhere_is_no_missing_function(self) -> None:
        with pytest.raises(AttributeError) as caught:
            attrgetter("no_such_thing")(np)
        assert missing_from_gradtape(caught.value) is None
        assert missing_from_gradtape(ValueError("no")) is None

    def test_a_peer_without_requirements_runs_right_here(self, tmp_path: Path) -> None:
        assert venvs.interpreter(PEERS["gradtape"], tmp_path) == Path(sys.executable)
        assert list(tmp_path.iterdir()) == []
