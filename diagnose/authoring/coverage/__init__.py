"""What a package can say, read out of its source, against what the knowledge base knows."""
