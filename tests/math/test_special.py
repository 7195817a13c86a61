"""Special functions against values that mpmath computed with 40 digits; derivatives at delicate points."""

import numpy as np
import pytest

import gradtape as tf

REFERENCE: dict[str, list[tuple[tuple[float, ...], float]]] = {
    "math.lgamma": [
        ((-1.5,), 0.860047015376481), ((-0.25,), 1.589575312551186), ((0.0001,), 9.210282658633963),
        ((0.25,), 1.2880225246980774), ((1.0,), 0.0), ((2.5,), 0.2846828704729192),
        ((8.0,), 8.525161361065415), ((40.0,), 106.63176026064346),
    ],
    "math.digamma": [
        ((-1.5,), 0.7031566406452432), ((-0.25,), 2.9141391202135276), ((0.0001,), -10000.577051183514),
        ((0.25,), -4.2274535333762655), ((1.0,), -0.5772156649015329), ((2.5,), 0.7031566406452432),
        ((8.0,), 2.01564147795561), ((40.0,), 3.676327374034843),
    ],
    "math.erf": [
        ((-7.3,), -1.0), ((-1.5,), -0.9661051464753108), ((-0.25,), -0.27632639016823696), ((0.0,), 0.0),
        ((1e-05,), 1.1283791670579e-05), ((0.75,), 0.7111556336535151), ((2.0,), 0.9953222650189527),
        ((6.5,), 1.0), ((30.0,), 1.0),
    ],
    "math.erfc": [
        ((-7.3,), 2.0), ((-1.5,), 1.9661051464753108), ((-0.25,), 1.276326390168237), ((0.0,), 1.0),
        ((1e-05,), 0.9999887162083294), ((0.75,), 0.28884436634648486), ((2.0,), 0.004677734981047266),
        ((6.5,), 3.8421483271206475e-20),
    ],
    "math.erfinv": [
        ((-0.999,), -2.3267537655135246), ((-0.3,), -0.2724627147267543), ((0.0,), 0.0),
        ((1e-05,), 8.862269254759594e-06), ((0.5,), 0.4769362762044699), ((0.97,), 1.5344856217777179),
    ],
    "math.ndtri": [
        ((1e-06,), -4.753424308822899), ((0.01,), -2.326347874040841), ((0.3,), -0.5244005127080408),
        ((0.5,), 0.0), ((0.77,), 0.7388468491852137), ((0.999,), 3.090232306167813),
    ],
    "math.erfcinv": [
        ((1e-10,), 4.572824967389486), ((0.01,), 1.8213863677184496), ((0.5,), 0.4769362762044699),
        ((1.25,), -0.2253120550121781), ((1.9,), -1.1630871536766738),
    ],
    "math.special.bessel_i0": [
        ((-7.3,), 222.65879987301187), ((-1.5,), 1.646723189772891), ((-0.25,), 1.015686141223608),
        ((0.0,), 1.0), ((1e-05,), 1.000000000025), ((0.75,), 1.1456467780440014),
        ((2.0,), 2.2795853023360673), ((6.5,), 106.2928582439956), ((30.0,), 781672297823.9775),
    ],
    "math.special.bessel_i1": [
        ((-7.3,), -206.79167004622548), ((-1.5,), -0.9816664285779075), ((-0.25,), -0.12597910894546793),
        ((0.0,), 0.0), ((1e-05,), 5.0000000000625004e-06), ((0.75,), 0.4019924615809222),
        ((2.0,), 1.590636854637329), ((6.5,), 97.73501077403152), ((30.0,), 768532038938.957),
    ],
    "math.special.bessel_i0e": [
        ((-7.3,), 0.15041465295234574), ((-1.5,), 0.36743360905415834), ((-0.25,), 0.7910171621397194),
        ((0.0,), 1.0), ((1e-05,), 0.9999900000749996), ((0.75,), 0.5411652192034954),
        ((2.0,), 0.30850832255367105), ((6.5,), 0.15980484901763226), ((30.0,), 0.0731459464822373),
    ],
    "math.special.bessel_i1e": [
        ((-7.3,), -0.13969579150331676), ((-1.5,), -0.21903938742092569), ((-0.25,), -0.09811262869736824),
        ((0.0,), 0.0), ((1e-05,), 4.999950000312499e-06), ((0.75,), 0.18988779330485503),
        ((2.0,), 0.21526928924893765), ((6.5,), 0.1469386457237643), ((30.0,), 0.07191633059864755),
    ],
    "math.special.bessel_j0": [
        ((-7.3,), 0.2882169476350144), ((-1.5,), 0.5118276717359181), ((-0.25,), 0.9844359292958527),
        ((0.0,), 1.0), ((1e-05,), 0.999999999975), ((0.75,), 0.8642422751666486),
        ((2.0,), 0.22389077914123567), ((6.5,), 0.2600946055816064), ((30.0,), -0.08636798358104021),
    ],
    "math.special.bessel_j1": [
        ((-7.3,), -0.08257043049325784), ((-1.5,), -0.5579365079100996), ((-0.25,), -0.12402597732272692),
        ((0.0,), 0.0), ((1e-05,), 4.9999999999375e-06), ((0.75,), 0.34924360217486217),
        ((2.0,), 0.5767248077568734), ((6.5,), -0.15384130140997185), ((30.0,), -0.11875106261662294),
    ],
    "math.special.bessel_y0": [
        ((0.0001,), -5.937289069709337), ((0.25,), -0.9315730249300587), ((1.0,), 0.08825696421567696),
        ((2.5,), 0.4980703596152319), ((8.0,), 0.22352148938756622), ((40.0,), 0.12593641705826092),
    ],
    "math.special.bessel_y1": [
        ((0.0001,), -6366.198036455761), ((0.25,), -2.7041052293152825), ((1.0,), -0.7812128213002887),
        ((2.5,), 0.1459181379667858), ((8.0,), -0.1580604617312475), ((40.0,), -0.005793505821549633),
    ],
    "math.special.bessel_k0": [
        ((0.0001,), 9.326271913450276), ((0.25,), 1.5415067512483027), ((1.0,), 0.42102443824070834),
        ((2.5,), 0.06234755320036619), ((8.0,), 0.0001464707052228154), ((40.0,), 8.392861100099567e-19),
    ],
    "math.special.bessel_k1": [
        ((0.0001,), 9999.999508686404), ((0.25,), 3.7470259744407115), ((1.0,), 0.6019072301972346),
        ((2.5,), 0.07389081634774707), ((8.0,), 0.00015536921180500115), ((40.0,), 8.497131954861039e-19),
    ],
    "math.special.bessel_k0e": [
        ((0.0001,), 9.327204587274533), ((0.25,), 1.9793338485985688), ((1.0,), 1.144463079806895),
        ((2.5,), 0.7595486903280996), ((8.0,), 0.4366230186015861), ((40.0,), 0.19755558495729816),
    ],
    "math.special.bessel_k1e": [
        ((0.0001,), 10000.999558638938), ((0.25,), 4.811276588171025), ((1.0,), 1.6361534862632583),
        ((2.5,), 0.900174423907878), ((8.0,), 0.4631490928704961), ((40.0,), 0.20000996725443349),
    ],
    "math.special.dawsn": [
        ((-7.3,), -0.06915479483562113), ((-1.5,), -0.4282490710853986), ((-0.25,), -0.23983916356289822),
        ((0.0,), 0.0), ((1e-05,), 9.999999999333333e-06), ((0.75,), 0.5230127677445182),
        ((2.0,), 0.30134038892379195), ((6.5,), 0.07786781898606987),
    ],
    "math.special.expint": [
        ((-7.3,), -8.238724444880837e-05), ((-1.5,), -0.10001958240663265),
        ((-0.25,), -1.0442826344437381), ((0.0001,), -8.633024704574595), ((0.25,), -0.5425432646619137),
        ((1.0,), 1.8951178163559368), ((2.5,), 7.0737658945786), ((8.0,), 440.3798995348383),
        ((40.0,), 6039718263611242.0),
    ],
    "math.special.fresnel_cos": [
        ((-7.3,), -0.5392680156584625), ((-1.5,), -0.4452611760398215), ((-0.25,), -0.2497591503565432),
        ((0.0,), 0.0), ((1e-05,), 1e-05), ((0.75,), 0.693525990787136), ((2.0,), 0.48825340607534073),
        ((6.5,), 0.48160345989096404), ((30.0,), 0.4999962473706099),
    ],
    "math.special.fresnel_sin": [
        ((-7.3,), -0.5189473278581442), ((-1.5,), -0.6975049600820931), ((-0.25,), -0.008175600235777757),
        ((0.0,), 0.0), ((1e-05,), 5.23598775598299e-16), ((0.75,), 0.20887711123338357),
        ((2.0,), 0.34341567836369824), ((6.5,), 0.5453764552432335), ((30.0,), 0.4893896744421938),
    ],
    "math.special.spence": [
        ((0.0,), 1.6449340668482264), ((0.0001,), 1.6439129842561455), ((0.25,), 0.9784693929303061),
        ((1.0,), 0.0), ((2.5,), -1.1473806603755707), ((8.0,), -3.4001620444283867),
        ((40.0,), -8.330297527721036),
    ],
    "math.polygamma": [
        ((0.0, 0.25), -4.2274535333762655), ((0.0, 1.0), -0.5772156649015329),
        ((0.0, 8.0), 2.01564147795561), ((1.0, 0.25), 17.19732915450711), ((1.0, 1.0), 1.6449340668482264),
        ((1.0, 8.0), 0.1331370146940314), ((3.0, 0.25), 1538.7821440091884),
        ((3.0, 1.0), 6.493939402266829), ((3.0, 8.0), 0.004699239795945104),
    ],
    "math.zeta": [
        ((1.25, 0.25), 9.877308776761414), ((1.25, 1.0), 4.5951118258429435),
        ((1.25, 8.0), 2.4165429036728843), ((2.0, 0.25), 17.19732915450711),
        ((2.0, 1.0), 1.6449340668482264), ((2.0, 8.0), 0.1331370146940314),
        ((7.5, 0.25), 32768.190028482226), ((7.5, 1.0), 1.005826727536523),
        ((7.5, 8.0), 3.046914856104609e-07),
    ],
    "math.igamma": [
        ((0.05, 0.01), 0.815559805741285), ((0.5, 2.0), 0.9544997361036416),
        ((1.0, 1.0), 0.6321205588285577), ((3.0, 0.5), 0.014387677966970687),
        ((2.5, 10.0), 0.9987502694369687), ((30.0, 25.0), 0.18210391597745512),
        ((200.0, 210.0), 0.7639696745011538), ((5000.0, 4900.0), 0.07794495622651391),
    ],
    "math.igammac": [
        ((0.05, 0.01), 0.18444019425871508), ((0.5, 2.0), 0.04550026389635842),
        ((1.0, 1.0), 0.36787944117144233), ((3.0, 0.5), 0.9856123220330293),
        ((2.5, 10.0), 0.0012497305630313753), ((30.0, 25.0), 0.8178960840225449),
        ((200.0, 210.0), 0.23603032549884614), ((5000.0, 4900.0), 0.9220550437734861),
    ],
    "math.betainc": [
        ((0.5, 0.5, 0.25), 0.3333333333333333), ((1.0, 3.0, 0.75), 0.984375),
        ((2.5, 0.25, 0.5), 0.033424807613690065), ((20.0, 30.0, 0.4), 0.507700199657648),
        ((5.0, 1.0, 0.01), 1.0000000000000002e-10),
    ],
}  # fmt: skip

# The derivatives of igamma in its first argument, of order 1, 2 and 3.
IN_A: list[tuple[float, float, float, float, float]] = [
    (0.05, 0.01, -3.3571508489859876, 12.583577481280013, -39.9459173698344),
    (0.5, 2.0, -0.13561933520399724, -0.18285354926300593, 0.008024311169671849),
    (1.0, 1.0, -0.4317297106348987, 0.033618035299959194, 0.40356539791166174),
    (3.0, 0.5, -0.02852023587882894, 0.0526886081780625, -0.08821881509716087),
    (2.5, 10.0, -0.0021281869603254535, -0.0030223275646622644, -0.003393915686711558),
    (30.0, 25.0, -0.049954877425834855, 0.009137883116240923, -2.8904664919073673e-06),
    (200.0, 210.0, -0.021619881014598382, -0.001055232261781031, 5.664200106855678e-05),
    (5000.0, 4900.0, -0.0020684190598600784, 4.178836824601466e-05, -4.305618184770307e-07),
]


def named(name: str):
    value = tf
    for part in name.split("."):
        value = getattr(value, part)
    return value


@pytest.mark.parametrize("name", REFERENCE)
def test_value_has_float64_precision(name):
    arguments, expected = zip(*REFERENCE[name], strict=True)
    found = named(name)(*(tf.constant(column, tf.float64) for column in zip(*arguments, strict=True)))
    np.testing.assert_allclose(found.numpy(), expected, rtol=2e-13, atol=1e-300)


@pytest.mark.parametrize("name", REFERENCE)
def test_value_has_float32_precision(name):
    arguments, _ = zip(*REFERENCE[name], strict=True)
    columns = [np.array(column, np.float32) for column in zip(*arguments, strict=True)]
    wide = named(name)(*(tf.constant(column.astype(np.float64)) for column in columns)).numpy()
    found = named(name)(*(tf.constant(column) for column in columns))
    assert found.dtype == tf.float32
    np.testing.assert_allclose(found.numpy(), wide, rtol=1e-6, atol=1e-37)


def test_math_and_special_share_the_first_bessel_functions():
    for name in ("bessel_i0", "bessel_i0e", "bessel_i1", "bessel_i1e"):
        assert getattr(tf.math, name) is getattr(tf.math.special, name)


# --- igamma in its first argument ---------------------------------------------------------------------------


@pytest.mark.parametrize("function", [tf.math.igamma, tf.math.igammac])
def test_igamma_in_a_to_third_order(function):
    sign = 1.0 if function is tf.math.igamma else -1.0
    a, x, first, second, third = (np.array(column) for column in zip(*IN_A, strict=True))
    a, x = tf.constant(a), tf.constant(x)
    with tf.GradientTape() as outermost:
        outermost.watch(a)
        with tf.GradientTape() as outer:
            outer.watch(a)
            with tf.GradientTape() as tape:
                tape.watch(a)
                y = function(a, x)
            once = tape.gradient(y, a)
        twice = outer.gradient(once, a)
    thrice = outermost.gradient(twice, a)
    for found, expected in ((once, first), (twice, second), (thrice, third)):
        np.testing.assert_allclose(found.numpy(), sign * expected, rtol=1e-9)


def test_igamma_in_a_at_the_ends():
    a = tf.constant([1.0, 2.0, 3.0, -1.0, 0.0, 2.0], tf.float64)
    x = tf.constant([0.0, np.inf, 1e4, 1.0, 1.0, np.nan], tf.float64)
    with tf.GradientTape() as tape:
        tape.watch([a, x])
        y = tf.math.igamma(a, x)
    in_a, in_x = tape.gradient(y, [a, x])
    np.testing.assert_array_equal(in_a.numpy(), [0.0, 0.0, -0.0, np.nan, np.nan, np.nan])
    np.testing.assert_array_equal(in_x.numpy(), [1.0, 0.0, 0.0, np.nan, np.nan, np.nan])


def test_igamma_in_a_of_many_elements_at_once():
    rng = np.random.default_rng(0)
    a, x = rng.uniform(0.1, 50.0, (3, 5000)), rng.uniform(0.1, 50.0, (3, 5000))
    variable = tf.Variable(a)
    with tf.GradientTape() as tape:
        y = tf.math.igamma(variable, x)
    step = 1e-5
    numeric = (tf.math.igamma(a + step, x) - tf.math.igamma(a - step, x)) / (2 * step)
    np.testing.assert_allclose(tape.gradient(y, variable).numpy(), numeric.numpy(), rtol=1e-5, atol=1e-9)


# --- removable singularities, and what TensorFlow leaves out ------------------------------------------------


def derivatives_at(function, point):
    x = tf.constant(point, tf.float64)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        first = tape.gradient(y, x)
    return first.numpy(), outer.gradient(first, x).numpy()


@pytest.mark.parametrize(
    ("name", "point", "expected"),
    [
        ("bessel_i0", 0.0, (0.0, 0.5)),
        ("bessel_i1", 0.0, (0.5, 0.0)),
        ("bessel_j0", 0.0, (0.0, -0.5)),
        ("bessel_j1", 0.0, (0.5, 0.0)),
        ("spence", 1.0, (-1.0, 0.5)),
        ("dawsn", 0.0, (1.0, 0.0)),
        ("fresnel_cos", 0.0, (1.0, 0.0)),
    ],
)
def test_derivatives_where_a_formula_would_divide_by_zero(name, point, expected):
    assert derivatives_at(getattr(tf.math.special, name), point) == expected


def test_no_derivative_in_orders_and_shapes_as_in_tensorflow():
    a, b, x = (tf.constant(value, tf.float64) for value in (2.0, 3.0, 0.4))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([a, b, x])
        beta, poly, zeta = tf.math.betainc(a, b, x), tf.math.polygamma(a, x), tf.math.zeta(a, x)
    assert tape.gradient(beta, [a, b]) == [None, None]
    assert tape.gradient(poly, a) is None
    assert tape.gradient(zeta, a) is None
    np.testing.assert_allclose(tape.gradient(beta, x).numpy(), 12 * 0.4 * 0.6**2, rtol=1e-13)


def test_polygamma_of_an_order_that_is_none():
    assert np.isnan(tf.math.polygamma([1.5, -1.0], [2.0, 2.0]).numpy()).all()


def test_lbeta_is_the_logarithm_of_the_beta_function():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]], tf.float64)
    np.testing.assert_allclose(tf.math.lbeta(x).numpy(), [-np.log(2.0), -np.log(60.0)], rtol=1e-14)
    exact, numeric = tf.test.compute_gradient(tf.math.lbeta, [x], delta=1e-5)
    np.testing.assert_allclose(exact[0], numeric[0], rtol=1e-7, atol=1e-9)
    np.testing.assert_array_equal(tf.math.lbeta(tf.zeros([2, 0])).numpy(), [-np.inf, -np.inf])
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.math.lbeta(1.0)
