"""Put this directory on ``sys.path`` and ``import rebel`` gives the stand-in."""
