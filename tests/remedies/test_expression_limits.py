"""No expression of an entry runs code or takes more than its share, whatever numbers a log puts in."""

from __future__ import annotations

import contextlib
import warnings

import pytest

from diagnose.remedies import syntax
from diagnose.remedies.expressions import ExpressionError, evaluate, explain
from tests.remedies.kit import env

HUGE = 10**100


@pytest.mark.parametrize(
    "expression",
    [
        "n",
        "n * 1",
        "f",
        "round(1, -1000000000)",
        "round(n, 1000000)",
        f"{HUGE}",
        "2 ** 64 ** 64",
        "9 ** 9 ** 9",
        "'a' * 1000000000",
        "[1] * 1000000000",
        "'%1000000000d' % 1",
        "[0 for a in s for b in s for c in s]",
        "sum([sum([1 for a in s]) for b in s])",
        "largest_divisor(10 ** 30, 1, 10 ** 29)",
        "int('9' + '9')",
        "sorted(s, key=len)",
    ],
)
def test_nothing_in_an_expression_takes_more_than_its_share(expression: str) -> None:
    numbers = {"n": HUGE, "f": 1e300, "s": list(range(1_000))}
    for compute in (evaluate, explain):
        with contextlib.suppress(ExpressionError):
            assert len(str(compute(expression, env(numbers)))) < 100_000
    with pytest.raises(ExpressionError):
        evaluate(expression, env(numbers))


@pytest.mark.parametrize(
    "expression",
    [
        "t.__class__",
        "t.upper()",
        "().__class__.__bases__[0].__subclasses__()",
        "[x.y for x in s]",
        "__import__('os').system('id')",
        "getattr(t, '__class__')",
        "open('/etc/passwd')",
        "eval('1')",
        "exec('1')",
        "globals()",
        "(lambda: 1)()",
        "f'{t}'",
        "'{0.__class__}'.format(1)",
        "(x := 1)",
        "{**s}",
        "[*s]",
        "max(s, key=print)",
        "print(1)",
        "(yield)",
        "await t",
        "_private",
        "1 if t.x else 2",
        "cfg.__globals__",
    ],
)
def test_an_expression_reaches_no_attribute_no_builtin_and_no_code(expression: str) -> None:
    for compute in (evaluate, explain):
        with pytest.raises(ExpressionError):
            compute(expression, env({"t": "text", "s": [1, 2]}))


def test_an_expression_with_a_number_run_into_a_word_warns_nobody() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert evaluate("1if 1else 2", env()) == 1


def test_an_expression_has_so_many_characters_parts_and_steps() -> None:
    longest = "1" + " " * (syntax.MAX_LENGTH - 1)
    assert evaluate(longest, env()) == 1
    with pytest.raises(ExpressionError, match="too long"):
        evaluate(longest + " ", env())
    with pytest.raises(ExpressionError, match="too many parts"):
        evaluate("+".join(["1"] * syntax.MAX_NODES), env())
    assert evaluate(f"round(1.5, {syntax.MAX_DIGITS})", env()) == 1.5
    with pytest.raises(ExpressionError, match="digits"):
        evaluate(f"round(1.5, {syntax.MAX_DIGITS + 1})", env())
    several = list(range(syntax.MAX_STEPS // 50))
    with pytest.raises(ExpressionError, match="too many steps"):
        evaluate("[" + "+".join(["a"] * 60) + " for a in s]", env({"s": several}))
    with pytest.raises(ExpressionError, match="too large"):
        evaluate("n", env({"n": 2**syntax.MAX_BITS}))
    with pytest.raises(ExpressionError, match="exponent"):
        evaluate(f"1 ** {syntax.MAX_EXPONENT + 1}", env())
    many = list(range(syntax.MAX_ITEMS))
    assert evaluate("s + []", env({"s": many})) == many
    with pytest.raises(ExpressionError, match="list is too long"):
        evaluate("s + [1]", env({"s": many}))
