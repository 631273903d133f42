"""``python -m bench``: our whole process against ripgrep with the same patterns, memory, and start-up times.

``python -m bench scan FILE`` runs the scan alone, without records and matching; ``python -m bench watch`` measures the
daemon; ``python -m bench metamorphic`` counts how many transformed logs are diagnosed as the plain ones.
"""

from __future__ import annotations

import argparse
import sys


def scan_only(path: str) -> None:
    """The scan without anything behind it: its share of the whole."""
    from diagnose.analyzer import engine_for
    from diagnose.knowledge import load
    from diagnose.scan import REPEATS, Repeats, Scanner
    from diagnose.scan.ahead import with_hits
    from diagnose.sources import Transcoder, open_source

    scanner = Scanner(engine_for(load()), repeats=Repeats(REPEATS))
    transcoder = Transcoder()
    given = 0
    with open_source(path) as source:
        for block, hits in with_hits(map(transcoder.feed, source.blocks()), scanner.hits, lambda: scanner.is_dense):
            given += sum(1 for _ in scanner.feed(block, hits))
    given += sum(1 for _ in scanner.feed(transcoder.finish())) + sum(1 for _ in scanner.finish())
    print(f"{given} of {scanner.lines_seen} lines")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument(
        "command", nargs="?", choices=["compare", "healthy", "metamorphic", "scan", "watch"], default="compare"
    )
    parser.add_argument("file", nargs="?", help="log for `scan`")
    parser.add_argument("--size-mb", type=int, default=500)
    parser.add_argument("--pipe-gb", type=float, default=10, help="what is sent through a pipe; 0: nothing")
    parser.add_argument("--lines", type=int, default=1_000_000, help="lines for `healthy`")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", choices=["calm", "storm"], action="append")
    parser.add_argument("--quick", action="store_true", help="`watch` with a tenth of everything; no pairs")
    parser.add_argument("--every", type=int, default=20, help="`metamorphic` takes so many-th case of the pairs")
    parser.add_argument("--poll", action="store_true", help="`watch` without file events")
    parser.add_argument("--soak", action="store_true", help="`watch` for 1,000 rotations and 10,000,000 lines")
    options = parser.parse_args()
    if options.command == "watch":
        from bench.watching import Sizes, run, soak

        if options.soak:
            rotations, lines = (100, 1_000_000) if options.quick else (1_000, 10_000_000)
            soak(Sizes(rotations=rotations, lines=lines, poll=options.poll))
            return
        tenth = Sizes(20, 4.0, 100, 100_000, 5, 10_000, 64 * 1024, options.poll)
        run(tenth if options.quick else Sizes(poll=options.poll))
        return
    if options.command == "metamorphic":
        from bench.metamorphic.run import run as run_metamorphic

        sys.exit(run_metamorphic(pairs=not options.quick, every=options.every))
    if options.command == "healthy":
        from bench.healthy import run as run_healthy

        sys.exit(run_healthy(options.lines, options.seed))
    if options.command == "scan":
        if options.file is None:
            parser.error("scan needs a log file")
        scan_only(options.file)
        return
    from bench.compare import compare

    compare(options.size_mb, options.pipe_gb, options.rounds, options.seed, options.kind or ["calm", "storm"])


if __name__ == "__main__":
    main()
