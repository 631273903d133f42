"""For those who write entries: lint, test, statistics. Not imported on a normal run."""
