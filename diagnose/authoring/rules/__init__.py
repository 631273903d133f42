"""What an entry must keep: one small validator per rule, some over all entries together."""
