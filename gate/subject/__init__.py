"""What is under test: its sides, how each is activated and proven."""
