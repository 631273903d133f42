"""Entry of the console script and of ``python -m diagnose``."""

from __future__ import annotations

import gc
import sys

YOUNG_OBJECTS = 100_000
"""New containers at which unused ones are looked for (Python's own: 700): twice what a start makes."""


def main() -> int:
    """Run the command line on ``sys.argv``; returns the exit code."""
    # What is imported and loaded now stays to the end: looking for garbage in it over and over is 5 % of a start.
    gc.set_threshold(YOUNG_OBJECTS)
    argv = sys.argv[1:]
    # Nothing else is imported for it: package managers and scripts ask for the version all the time.
    if argv[:1] == ["--version"]:
        from diagnose.version import __version__

        sys.stdout.write(f"rbln-diagnose {__version__}\n")
        return 0
    if "watch" in argv[:3]:  # ``--lang`` may stand before it
        from diagnose.watch.signals import end_quietly

        end_quietly()
    try:
        from diagnose.cli.app import main as run
    except KeyboardInterrupt:
        return 130
    return run(argv)


if __name__ == "__main__":
    sys.exit(main())
