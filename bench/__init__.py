"""Speed and memory against ripgrep, on logs generated here. Not part of the tests."""
