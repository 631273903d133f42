"""The real daemon, put together from the options of the command line."""

from __future__ import annotations

import os
import socket
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TextIO

from diagnose.analyzer import Analyzer, engine_for
from diagnose.knowledge import Knowledge, load
from diagnose.light import dataclass
from diagnose.model import InputError, Lang
from diagnose.redact import Surroundings, surroundings
from diagnose.sources.opening import is_device
from diagnose.watch.alerts import Dispatcher, ThreadRunner, channel_of
from diagnose.watch.daemon import Daemon
from diagnose.watch.discovery import PIPE, Discovery
from diagnose.watch.hiding import HidingSink
from diagnose.watch.keeper import Keeper
from diagnose.watch.locks import FileLocks, Locks, NoLocks
from diagnose.watch.nouns import Mode
from diagnose.watch.opening import Opener
from diagnose.watch.ports import Sender, Sink, Store, Waker
from diagnose.watch.rehearsal import keep_what_is_here, rehearse
from diagnose.watch.signals import Signals
from diagnose.watch.sinks import json_sink, text_sink
from diagnose.watch.systemd import Systemd
from diagnose.watch.tail.nouns import Notice
from diagnose.watch.tail.system import OsFiles
from diagnose.watch.wake import EventWaker, SleepWaker
from diagnose.watch.words import text

BUSY_S = 0.2
"""A locked store is waited for no longer: the tail must go on."""
POLLING = "RBLN_DIAGNOSE_POLLING"
"""Set to 1: no file events (network file systems, some containers)."""
ALERTS = "RBLN_DIAGNOSE_ALERT"
"""Addresses for alerts, separated by white space: they hold tokens, which a command line shows to everybody."""


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line asked for."""

    paths: tuple[str, ...]
    mode: Mode = "checkpoint"
    format: str = "text"
    config: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()
    npu: str | None = None
    listen: str | None = None
    alerts: tuple[str, ...] = ()
    poll: bool = False
    store: bool = True
    view: bool = False


class SystemClock:
    """The clocks of the system."""

    def monotonic(self) -> float:
        return time.monotonic()

    def time(self) -> float:
        return time.time()

    def cpu(self) -> float:
        return time.thread_time()


class Analyzers:
    """Makes analysers over one knowledge base, which can be exchanged. Raises InputError for bad options."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self.use(load())
        self("-")  # a bad --config is said at once

    def use(self, knowledge: Knowledge) -> None:
        self.entries = len(knowledge.entries)
        self._knowledge = knowledge
        self._engine = engine_for(knowledge)

    def __call__(self, name: str) -> Analyzer:
        return Analyzer(
            name=name,
            config=self._options.config,
            sets=self._options.sets,
            npu=self._options.npu,
            all_runs=True,
            knowledge=self._knowledge,
            engine=self._engine,
            repair=False,
        )


def serve(options: Options, lang: Lang, environ: Mapping[str, str] | None = None) -> int:
    """Follow until a signal or the end of the stream; the exit code. Raises InputError."""
    environ = os.environ if environ is None else environ
    if PIPE in options.paths and sys.stdin is not None and sys.stdin.isatty():
        raise InputError(text("terminal"))
    if PIPE in options.paths and (stdin := _stdin()) is not None and is_device(stdin):
        raise InputError(text("device", path=PIPE))
    # A place is remembered under the whole path: the daemon may be started elsewhere the next time.
    paths = [p if p == PIPE else os.path.abspath(p) for p in options.paths]  # noqa: PTH100
    discovery = Discovery(paths, OsFiles())
    addresses = (*options.alerts, *environ.get(ALERTS, "").split())
    about = surroundings(environ, socket.gethostname())
    senders = {channel_of(a): _sender(a, lang, about.machine) for a in addresses}
    with Signals() as signals:
        analyzers = Analyzers(options)
        shown, close_sink = _sink(options, lang, sys.stdout, sys.stderr)
        try:
            return _follow(options, environ, discovery, senders, analyzers, HidingSink(shown, about), about, signals)
        finally:
            close_sink()


def _follow(
    options: Options,
    environ: Mapping[str, str],
    discovery: Discovery,
    senders: Mapping[str, Sender],
    analyzers: Analyzers,
    sink: HidingSink,
    about: Surroundings,
    signals: Signals,
) -> int:
    clock = SystemClock()
    waker = _waker(options, environ, sink)
    keeper = Keeper(_store_opener(options, environ), clock=clock, host=about.machine, say=sink.notice)
    dispatcher = Dispatcher(keeper, tuple(senders), ThreadRunner(senders, waker.wake), clock=clock, say=sink.notice)
    opener = Opener(analyzers, _fingerprint, OsFiles(), keeper, clock, sink, waker, _stdin(), about)
    systemd = Systemd(environ, os.getpid(), time.monotonic)
    daemon = Daemon(
        discovery,
        opener,
        mode=options.mode,
        keeper=keeper,
        dispatcher=dispatcher,
        sink=sink,
        clock=clock,
        waker=waker,
        locks=_locks(options, environ),
        beat=systemd.beat,
        reload=lambda: reload(analyzers, sink),
    )

    def prepare() -> None:
        for path in discovery.awaited():
            sink.notice(Notice("awaited", path))
        if signals.first is None:
            rehearse(analyzers, about)
            keep_what_is_here()

    def stop() -> None:
        systemd.stopping()
        daemon.stop()

    signals.hand_to(stop, daemon.ask_reload)
    if signals.first is not None:
        daemon.stop()
    close_listener = _listen(daemon, options, sink, keeper, dispatcher)
    try:
        daemon.run(prepare)
    finally:
        close_listener()
    if signals.code is not None:
        return signals.code
    return {"healthy": 0, "diagnosed": 1}.get(daemon.outcome(), 3)


def reload(analyzers: Analyzers, sink: Sink) -> bool:
    """Read the knowledge base again; a broken one changes nothing and is said."""
    try:
        analyzers.use(load())
    except Exception as error:
        fields: dict[str, str | int] = {"why": str(error)}
        if isinstance(error, InputError):
            fields = {"why": error.message.en, "why_ko": error.message.ko}
        sink.notice(Notice("reload-failed", "", fields))
        return False
    sink.notice(Notice("reloaded", "", {"entries": analyzers.entries}))
    return True


def _listen(
    daemon: Daemon, options: Options, sink: HidingSink, keeper: Keeper, dispatcher: Dispatcher
) -> Callable[[], None]:
    if options.listen is None:
        return lambda: None
    try:
        import prometheus_client  # noqa: F401
    except ImportError as error:
        raise InputError(text("need_extra", option="--listen", extra="watch")) from error
    from diagnose.watch.listening import Numbers, application, listen

    def down() -> bool:
        return keeper.down

    numbers = Numbers(daemon, down, lambda: (dispatcher.sent, dispatcher.failed), sink.states)
    address, close = listen(options.listen, application(daemon, numbers, time.monotonic, down, sink.states))
    sink.notice(Notice("listening", address))
    return close


def _sink(options: Options, lang: Lang, out: TextIO, err: TextIO) -> tuple[Sink, Callable[[], None]]:
    if options.format == "json":
        return json_sink(lang, out, err), lambda: None
    if not options.view:
        return text_sink(lang, out, err), lambda: None
    from rich.console import Console

    from diagnose.watch.view import LiveView

    view = LiveView(Console(file=out), lang, time.monotonic)
    return view, view.close


def _waker(options: Options, environ: Mapping[str, str], sink: Sink) -> Waker:
    if options.poll or environ.get(POLLING) == "1":
        return SleepWaker()
    try:
        return EventWaker()
    except (OSError, ImportError) as error:
        sink.notice(Notice("polling", "", {"why": getattr(error, "strerror", None) or str(error)}))
        return SleepWaker()


def _store_opener(options: Options, environ: Mapping[str, str]) -> Callable[[], Store] | None:
    if not options.store:
        return None

    def opened() -> Store:
        from diagnose.incidents.place import default_path
        from diagnose.incidents.store import Store as SqliteStore

        return SqliteStore.open(default_path(environ), busy_s=BUSY_S)

    return opened


def _locks(options: Options, environ: Mapping[str, str]) -> Locks:
    if not options.store:
        return NoLocks()
    from diagnose.incidents.place import default_path

    path = default_path(environ)
    return FileLocks(Path(path).with_name(path.name + ".watch-lock"))


def _sender(address: str, lang: Lang, host: str) -> Sender:
    from diagnose.watch.apprising import AppriseSender

    return AppriseSender(address, lang, host)


def _fingerprint(finding: Any, context: Any) -> str:
    from diagnose.incidents.fingerprint import fingerprint

    return fingerprint(finding, context)


def _stdin() -> int | None:
    try:
        return sys.stdin.fileno()
    except (AttributeError, OSError, ValueError):
        return None
