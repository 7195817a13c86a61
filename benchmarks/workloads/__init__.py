"""The rows, in the order of the table. A new one is a class in a file of this folder and a line here."""

from benchmarks.workload import Tracing, Workload, limit
from benchmarks.workloads.actor_critic import ActorCritic
from benchmarks.workloads.calls import CALLS_BY_KIND
from benchmarks.workloads.cnn import CNN
from benchmarks.workloads.composites import Composites, EagerLayers
from benchmarks.workloads.elementwise import Elementwise, Transposed
from benchmarks.workloads.embedding import Embedding, EmbeddingStep
from benchmarks.workloads.installation import ImportTime, InstalledSize
from benchmarks.workloads.jacobian import Jacobian
from benchmarks.workloads.keras import KerasFirstFit, KerasFit, KerasSecondProcess
from benchmarks.workloads.loops import Heat, LoopedLSTM, Lorenz, LSTMOfUnknownLength, Rounds, RoundsGradient, RungeKutta
from benchmarks.workloads.lstm import LSTM
from benchmarks.workloads.mixture import Mixture
from benchmarks.workloads.mlp import MLP, MLPWithAdamInOps
from benchmarks.workloads.per_example import ClippedCNN, ClippedMLP
from benchmarks.workloads.pipeline import Pipeline, ShuffledBatches
from benchmarks.workloads.problems import LBFGS, Burgers, OutsideOfSciPy, Rosenbrock, SmallMLP
from benchmarks.workloads.resnet import ResNet
from benchmarks.workloads.small import (
    Add,
    Increment,
    ScalarGradient,
    ScalarGradientOfVariable,
    SmallOps,
    SmallOpsOnVariables,
)
from benchmarks.workloads.tracing import FIRST_CALLS, DeepTransformer, TracedProduct
from benchmarks.workloads.transformer import Transformer
from benchmarks.workloads.variables import AccessedVariables, ChangedVariables, WatchedVariables

ROWS: dict[str, Workload] = {
    row.name: row
    for row in (
        ScalarGradient(),
        ScalarGradientOfVariable(),
        Add(),
        Increment(),
        SmallOps(),
        SmallOpsOnVariables(),
        Composites(),
        EagerLayers(),
        Elementwise(),
        Transposed(),
        MLPWithAdamInOps(),
        MLP(),
        CNN(),
        Transformer(),
        LSTM(),
        Rounds(),
        RoundsGradient(),
        Heat(),
        RungeKutta(),
        Lorenz(),
        LoopedLSTM(),
        LSTMOfUnknownLength(),
        SmallMLP(),
        Burgers(),
        Rosenbrock(),
        LBFGS(),
        OutsideOfSciPy(),
        Jacobian(),
        Mixture(),
        Embedding(),
        EmbeddingStep(),
        ClippedMLP(),
        ClippedCNN(),
        AccessedVariables(),
        WatchedVariables(),
        ChangedVariables(),
        Pipeline(),
        ShuffledBatches(),
        KerasFit("mlp", "MLP 784-512-512-10", 1.3),
        KerasFit("lstm", "LSTM(64) over 28 steps", 1.3),
        KerasFit("cnn", "two convolutions", 2.0),
        KerasFit("attention", "two attention blocks", 2.0),
        KerasFirstFit("mlp", "MLP 784-512-512-10", 1.0),
        KerasSecondProcess("mlp", "MLP 784-512-512-10", 0.5),
        *CALLS_BY_KIND,
        TracedProduct(3),
        TracedProduct(3000),
        Tracing("trace-mlp", MLP()),
        Tracing("trace-transformer", DeepTransformer(), *FIRST_CALLS),
        Tracing("trace-resnet-50", ResNet(), *FIRST_CALLS),
        Tracing("trace-actor-critic", ActorCritic(), limit("gradtape function", 1.0, "tf function")),
        ImportTime(),
        InstalledSize(),
    )
}
