"""The words that every rendering shares, so that no two tell a thing differently."""
