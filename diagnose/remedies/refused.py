"""Why nothing is computed: a value of the configuration in force that no change of a remedy can go with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from diagnose.knowledge.schema import Knowledge
from diagnose.model import RunContext, Text, Value
from diagnose.remedies.constraints import violations
from diagnose.remedies.defaults import explicit
from diagnose.remedies.environment import Environment

POSITIVE = ("max_seq_len", "batch_size", "num_devices", "kvcache_partition_len")
"""Parameters every formula about the pool divides or multiplies by."""

_NOT_POSITIVE = Text(
    "`{0}` = {1} in the configuration cannot be right, so nothing is computed from it. Give the value the run had.",
    "설정에 있을 수 없는 값이 있어 계산하지 않았습니다: `{0}` = {1}. 실행할 때 실제로 쓴 값을 지정하세요.",
)
_BREAKS = Text(
    "Nothing is computed, because the configuration breaks a rule by itself ({1}): {0}. Correct that value first.",
    "설정 자체가 규칙을 어겨({1}) 계산하지 않았습니다: {0}. 이 값을 먼저 바로잡으세요.",
)


def not_positive(context: RunContext) -> Text | None:
    """Said of a size of zero or less."""
    for name in POSITIVE:
        setting = context.setting(name)
        if setting is not None and _number(setting.value) and setting.value < 1:
            return _NOT_POSITIVE.filled(name, setting.value)
    return None


def own_fault(changes: Mapping[str, Value], context: RunContext, knowledge: Knowledge) -> Text | None:
    """The rule that the configuration in force breaks without the change and with it; None when the change itself is
    what breaks one."""
    after = violations(changes, context, knowledge)
    before = violations({}, context, knowledge, touched={name for rule in after for name in rule.touches})
    rule = next((r for r in after if r in before), None)
    if rule is None:
        return None
    values = ", ".join(_values(rule.touches, context, knowledge))
    return _BREAKS.filled(rule.text, values)


def _values(names: Iterable[str], context: RunContext, knowledge: Knowledge) -> Iterable[str]:
    """The values somebody chose, of those the rule looks at."""
    env = Environment({}, context, knowledge)
    for name in names:
        if explicit(context, name) is not None and env.config(name) is not None:
            yield f"{name} = {env.config(name)}"


def _number(value: Value) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
