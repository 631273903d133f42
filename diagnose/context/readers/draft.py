"""What a file has told so far, while it is being read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace

from diagnose.context.sections import kind_of, together
from diagnose.context.seen_whole import PARTLY
from diagnose.light import dataclass
from diagnose.model import GivenConfig, Value

AGAIN = ":"
"""Between the name of a section and the number of a further launch in it."""


@dataclass(slots=True)
class Draft:
    """Collects launches; the environment lies under all of them.

    Launches of different kinds (one compiles, one serves) are steps of one run: a later one is laid over an earlier
    one. Of several of one kind only one is the run's, so each stays a section of its own.
    """

    values: dict[str, Value] = field(default_factory=dict)
    variables: dict[str, Value] = field(default_factory=dict)
    around: dict[str, Value] = field(default_factory=dict)
    """The environment of the launch that is read next."""
    model: str | None = None
    model_class: str | None = None
    form: str | None = None
    phases: list[str] = field(default_factory=list)
    partly: bool = False
    """Something in a launch only a run would know: what stands in the file is not all of it."""
    section: str = ""
    """Name of the section that is read, and …"""
    called: tuple[str, ...] = ()
    """… the names it may have in a log."""
    sections: list[GivenConfig] = field(default_factory=list)

    @property
    def launched(self) -> bool:
        return bool(self.sections)

    def environment(self, values: Mapping[str, Value]) -> None:
        self.variables.update(values)
        self.around = dict(values)

    def launch(self, given: GivenConfig, *, partly: bool = False) -> None:
        """Adds a launch. A word with ``$`` in it stands for a value nobody knows here, and ``partly`` says that a word
        stands for options nobody knows."""
        known = {name: value for name, value in given.values.items() if not _open(value)}
        if given.form == "optimum-python" and not known:
            return  # any script may be started in a shell file; only one with known options is a launch
        self.values.update(known)
        partly = partly or len(known) < len(given.values)
        self.partly = self.partly or partly
        model = None if given.model is not None and _open(given.model) else given.model
        self.model = model or self.model
        self.model_class = given.model_class or self.model_class
        self.form = given.form or self.form
        self.phases.extend(phase for phase in given.phases if phase not in self.phases)
        values = {**self.around, **known, **({PARTLY: True} if partly else {})}
        before = sum(one.section.partition(AGAIN)[0] == self.section for one in self.sections)
        section = f"{self.section}{AGAIN}{before + 1}" if before else self.section
        self.sections.append(
            replace(given, values=values, model=model, npu=_npu(values), section=section, called=self.called)
        )

    def given(self, name: str, kind: str) -> GivenConfig:
        values = {**self.variables, **self.values, **({PARTLY: True} if self.partly else {})}
        whole = GivenConfig(
            name=name,
            kind=kind,
            values=values,
            model=self.model,
            model_class=self.model_class,
            npu=_npu(values),
            form=self.form,
            phases=tuple(self.phases),
        )
        kinds = [kind_of(section) for section in self.sections]
        if len(kinds) == 1:
            only = self.sections[0]
            return replace(whole, section=only.section, called=only.called, additional=only.additional)
        if len(set(kinds)) == len(kinds):
            return whole
        named = (replace(s, name=f"{name}#{s.section}", kind=kind) for s in self.sections)
        return together(whole, tuple(named))


def _npu(values: Mapping[str, Value]) -> str | None:
    npu = values.get("npu")
    return npu if isinstance(npu, str) else None


def _open(value: Value) -> bool:
    return isinstance(value, str) and ("$" in value or "`" in value)
