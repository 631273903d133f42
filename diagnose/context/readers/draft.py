"""What a file has told so far, while it is being read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from diagnose.context.seen_whole import PARTLY
from diagnose.light import dataclass
from diagnose.model import GivenConfig, Value


@dataclass(slots=True)
class Draft:
    """Collects launches; a later one is laid over an earlier one, the environment lies under both."""

    values: dict[str, Value] = field(default_factory=dict)
    variables: dict[str, Value] = field(default_factory=dict)
    model: str | None = None
    model_class: str | None = None
    form: str | None = None
    phases: list[str] = field(default_factory=list)
    launched: bool = False
    partly: bool = False
    """Something in a launch only a run would know: what stands in the file is not all of it."""

    def environment(self, values: Mapping[str, Value]) -> None:
        self.variables.update(values)

    def launch(self, given: GivenConfig) -> None:
        """Adds a launch. A word with ``$`` in it stands for a value nobody knows here."""
        known = {name: value for name, value in given.values.items() if not _open(value)}
        if given.form == "optimum-python" and not known:
            return  # any script may be started in a shell file; only one with known options is a launch
        self.values.update(known)
        self.partly = self.partly or len(known) < len(given.values)
        if given.model is not None and not _open(given.model):
            self.model = given.model
        self.model_class = given.model_class or self.model_class
        self.form = given.form or self.form
        self.phases.extend(phase for phase in given.phases if phase not in self.phases)
        self.launched = True

    def given(self, name: str, kind: str) -> GivenConfig:
        values = {**self.variables, **self.values, **({PARTLY: True} if self.partly else {})}
        npu = values.get("npu")
        return GivenConfig(
            name=name,
            kind=kind,
            values=values,
            model=self.model,
            model_class=self.model_class,
            npu=npu if isinstance(npu, str) else None,
            form=self.form,
            phases=tuple(self.phases),
        )


def _open(value: Value) -> bool:
    return isinstance(value, str) and ("$" in value or "`" in value)
