"""What happens to logs on their way to us, and the promise that none of it changes a diagnosis."""
