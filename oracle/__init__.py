"""An oracle instead of opinion: the real optimum-rbln raises its real errors, and the offered changes are tried on it.

``python -m oracle`` (in the environment ``oracle/setup.sh`` makes) draws random configurations, runs the library over a
stand-in for ``rebel``, gives every error to ``diagnose.diagnose_bytes``, applies each computed remedy and runs the
library again. The score says, per entry and remedy, how often the error was gone.
"""
