"""Converted functions do with Python values exactly what the originals do."""

import copy
import fractions
import functools
import heapq
import inspect
import itertools
import shlex
import textwrap
import urllib.parse
import warnings

import pytest

import gradtape as tf
from gradtape.autograph import AutographWarning, calls, convert
from gradtape.autograph.source import definition

SCALE = 3
counter = 0


def loops(n, items=(1, 2, 3)):
    total = 0
    for i in range(n):
        if i == 1:
            continue
        for item in items:
            if item > i:
                break
            total += item * i
    while total > 10:
        total -= 7
    return total, i


def returns(x):
    if x > 10:
        if x > 20:
            return "large"
        y = 1
    elif x > 5:
        return "middle"
    else:
        for i in range(x):
            if i == 2:
                return i
        y = 2
    return y


def logic(x):
    return x and x > 1, x or "nothing", not x, 0 < x < 5, "a" if x else "b", (x if x > 2 else -x)


def comparisons(x):
    numbers = iter(range(x, x + 9))
    chain = 0 < next(numbers) < 6 <= next(numbers) != next(numbers), x in [x] != [], 1 < x is not None
    return chain, next(numbers)


def parameters(a, b=2, /, c=SCALE, *rest, d, e=5, **others):
    return a, b, c, rest, d, e, others


def comprehensions(x):
    squares = [i * i for i in range(x) if i % 2]
    table = {i: [j + 1 for j in range(i)] for i in range(x)}
    return squares, table, {-i for i in squares}, sum(i for i in squares), sorted(squares, key=lambda i: -i)


def tries(x):
    log = []
    try:
        log.append("try")
        if x:
            raise KeyError("k")
    except KeyError as error:
        log.append(repr(error))
    else:
        log.append("else")
    finally:
        log.append("finally")
    for i in range(x):
        try:
            if i == 3:
                return log, i
            log.append(1 / (i - 1))
        except ZeroDivisionError:
            log.append("zero")
    try:
        return error
    except NameError:
        return log


def contexts(x):
    with tf.GradientTape() as tape:
        v = tf.constant(2.0)
        tape.watch(v)
        if x:
            y = v * v
        else:
            y = v
        if x > 5:
            return tape.gradient(y, v).numpy() + 1
    return tape.gradient(y, v).numpy()


def nested(x):
    count = 0

    def add(n):
        nonlocal count
        if n > 0:
            count += n
        return count

    add(x)
    add(1)
    return count, (lambda y: y + count if y else count)(x)


def global_names(x):
    global counter
    counter = 0
    for _ in range(x):
        counter += 1
    return counter


def star_calls(x):
    args, kwargs = (1, x), {"d": 4, "z": 9}
    return parameters(*args, 7, **kwargs), parameters(0, *args, d=1)


def unpacking(x):
    (a, *b), c = range(x + 1), {"k": [1, 2]}
    c["k"][0] += a
    c["n"] = c.get("n", 0) + len(b)
    del a
    for i, (p, q) in enumerate(zip(b, b, strict=True)):
        c[i] = p + q
    return b, c


def items_of_lists(x):
    items = []
    for i in range(x):
        items.append(i)
    items.extend([7, 8])
    stack = [items]
    stack[0].append(9)
    return items, stack, items.pop(), len(items)


def asserts(x):
    assert x is not None, f"{x} is None"
    assert x >= 0
    return x


def strings(x):
    """A docstring: {not a format}."""
    text = (
        f"{x!r:>4}"
        + """
    several
  lines"""
    )
    return text, "yes" if "several" in text and x not in (1, 2) else "no", x is None


def walrus(x):
    if (y := x + 1) > 2:
        return y
    return -y


def recursive(n):
    if n <= 1:
        return 1
    return n * recursive(n - 1)


def evaluates(x):
    y = 2
    return eval("x + y"), sorted(name for name in locals() if name in "xy"), globals()["SCALE"]


def builtin_functions(x):
    return (
        *(
            len([x]),
            abs(-x),
            min(x, 1),
            max([x, 1]),
            any([x]),
            all([x]),
            int("3"),
            float(x),
            bool(x),
            isinstance(x, int),
        ),
        *(list(enumerate("ab", 1)), list(map(str, range(x))), list(filter(None, [x, 0])), next(iter([x])), round(2.5)),
        *(
            list(reversed([1, x])),
            dict(zip("a", [x], strict=True)),
            tuple(range(x)),
            set(range(x)),
            sum([x, x]),
            sorted([x, 1], reverse=True),
        ),
    )


def library_functions(x):
    return list(itertools.chain([x], [1])), functools.reduce(lambda a, b: a + b, [x, 2, 3])


@pytest.mark.parametrize(
    "function",
    [
        *(
            loops,
            returns,
            logic,
            comparisons,
            comprehensions,
            tries,
            contexts,
            nested,
            global_names,
            star_calls,
            unpacking,
        ),
        *(items_of_lists, asserts, strings, walrus, recursive, evaluates, builtin_functions, library_functions),
    ],
)
@pytest.mark.parametrize("x", [0, 1, 4, 7, 30])
def test_python_values_give_what_python_gives(function, x):
    assert outcome(convert(function), x) == outcome(function, x)


def outcome(function, x):
    try:
        return function(x)
    except Exception as error:
        return type(error), error.args


def test_all_kinds_of_parameters():
    assert convert(parameters)(1, d=0) == parameters(1, d=0)
    assert convert(parameters)(1, 3, 4, 5, 6, d=0, e=1, f=2) == parameters(1, 3, 4, 5, 6, d=0, e=1, f=2)
    with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'd'"):
        convert(parameters)(1)


def test_eager_tensors_have_a_value():
    def clipped(x):
        if x > 5.0:
            return x * 0.0 + 5.0
        while x < 0.0:
            x = x + 1.0
        return x

    for value in (7.0, 2.0, -2.5):
        assert float(convert(clipped)(tf.constant(value))) == float(clipped(tf.constant(value)))


class Base:
    def __init__(self, scale):
        self.scale = scale
        self.__hidden = 10

    def method(self, x):
        if x > 0:
            return self.scale * x + self.__hidden
        return self.other(x)

    def other(self, x):
        return x

    @classmethod
    def made(cls, x):
        if x:
            return cls(x)
        return None

    @staticmethod
    def static(x):
        return -x if x > 0 else x

    @property
    def doubled(self):
        return self.scale * 2 if self.scale else 0

    def __call__(self, x):
        return self.method(x) + self.doubled


class Derived(Base):
    def method(self, x):
        if x > 1:
            return super().method(x) + 1
        return super().method(x) - 1


def test_methods_and_callable_objects():
    item = Derived(2)
    for x in (-1, 1, 5):
        assert convert(item.method)(x) == item.method(x)
        assert convert(item)(x) == item(x)
        assert convert(Derived.method)(item, x) == item.method(x)
        assert convert(Derived.static)(x) == Derived.static(x)
    assert convert(Derived.made)(3).scale == 3


def test_partials_and_decorated_functions():
    def twice(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            first = function(*args, **kwargs)
            return first, function(*args, **kwargs)

        return wrapper

    @twice
    def sign(x, scale=1):
        if x > 0:
            return scale
        return -scale

    assert convert(sign)(2) == (1, 1)
    assert convert(functools.partial(sign, scale=5))(-2) == (-5, -5)
    assert convert(functools.partial(functools.partial(sign, 3), scale=2))() == (2, 2)
    cached = functools.lru_cache(sign)
    assert convert(lambda x: cached(x))(1) == (1, 1)


def test_the_converted_function_looks_like_the_original():
    converted = convert(parameters)
    assert converted.__name__ == "parameters"
    assert inspect.signature(converted) == inspect.signature(parameters)
    assert converted.__wrapped__ is parameters


def test_generators_and_coroutines_are_left_alone(recwarn):
    def numbers(n):
        for i in range(n):
            if i % 2:
                yield i

    assert convert(lambda n: list(numbers(n)))(6) == [1, 3, 5]
    assert list(convert(numbers)(6)) == [1, 3, 5]
    assert not recwarn.list


def test_closures_are_shared_with_the_original():
    value = 1

    def read():
        return value if value else None

    converted = convert(read)
    assert converted() == 1
    value = 2
    assert converted() == 2


def test_functions_that_share_code_have_their_own_closures_and_defaults():
    def make(n):
        def add(x, m=n):
            return x + n + m if x else n

        return add

    assert [convert(make(n))(1) for n in (1, 2)] == [3, 5]


def test_two_lambdas_on_one_line():
    first, second = (lambda x: x + 1 if x else 0), (lambda x: x + 2 if x else 0)
    assert (convert(first)(1), convert(second)(1)) == (2, 3)
    inner = lambda x: (lambda x: x * 2)(x) + 1  # noqa: E731
    assert convert(inner)(3) == 7


def test_lambdas_on_one_line_that_differ_in_little():
    one, other = 1, 2

    class Pair:
        __a, __b = 10, 20
        first, second = (lambda self: self.__a if self else 0), (lambda self: self.__b if self else 0)

    pairs = [
        ((lambda x: 1), (lambda x: 1.0)),
        ((lambda x: x or one), (lambda x: x or other)),
        ((lambda x, y=(lambda x: x): x or y(5)), (lambda x, y=(lambda x: x): x or y(6))),
        ((lambda x: [x for _ in (1, 2)]), (lambda x: [x for _ in (1, 2, 3)])),
        ((lambda x: lambda x: x), (lambda x: lambda x: -x)),
        (Pair.first, Pair.second),
    ]
    for pair in pairs:
        first, second = (definition(fn).col_offset for fn in pair)
        assert first < second


def test_the_else_of_loops_and_tries():
    def search(x, items):
        for item in items:
            for part in (item, -item):
                if part == x:
                    break
            else:
                continue
            break
        else:
            item = "none"
        n = 0
        while n < x:
            n += 1
            if n == 3:
                break
        else:
            n = -1
        try:
            value = 10 / x
            if value > 5:
                return "early"
        except ZeroDivisionError as error:
            value = str(error)
        else:
            value = -value
        finally:
            n += 1
        return item, n, value

    for x in range(-4, 6):
        assert convert(search)(x, [1, 2, 3, 4]) == search(x, [1, 2, 3, 4])


@pytest.mark.parametrize(
    "program",
    [
        lambda: textwrap.fill("the quick brown fox jumps over the lazy dog " * 4, 30),
        lambda: shlex.split("a 'b c' \"d e\" f"),
        lambda: fractions.Fraction(3.14159).limit_denominator(100),
        lambda: urllib.parse.urljoin("http://a/b/c?x=1", "../d;e#f"),
        lambda: heapq.nsmallest(2, [5, 1, 9], key=lambda v: -v),
        lambda: copy.deepcopy({"a": [1, (2, 3)], "b": {1, 2}}),
    ],
)
def test_programs_of_the_standard_library_run_converted(program, monkeypatch):
    converted = []

    def all_but_generators(function, requested=False):
        wanted = not function.__code__.co_flags & inspect.CO_GENERATOR and not function.__module__.startswith("re")
        converted.append(function)
        return wanted

    monkeypatch.setattr(calls, "wants_conversion", all_but_generators)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AutographWarning)
        assert convert(program)() == program()
    assert len(converted) > 1


def test_names_bound_in_comprehensions():
    def doubled(x):
        return [x := x * 2.0 for _ in range(2)][-1] + x

    def kept(x):
        both = [y for k in (1.0, 2.0) if (y := x * k) is not None]
        return both[0] + both[1]

    assert tf.function(doubled)(tf.constant(1.0)).numpy() == 8.0
    assert tf.function(kept)(tf.constant(1.0)).numpy() == 3.0
    assert tf.function(lambda x: (y := x * 2.0) + y)(tf.constant(1.0)).numpy() == 4.0


def test_a_lambda_that_binds_its_own_parameter_runs_as_it_is():
    assert tf.function(lambda x: [x := x * 2.0 for _ in range(2)][-1])(tf.constant(1.0)).numpy() == 4.0
