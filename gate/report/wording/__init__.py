"""The words that every rendering shares, so that all say a thing alike."""
