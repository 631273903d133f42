"""The command line, thin: parse, call the room that does the work, write, exit."""
