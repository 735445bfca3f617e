"""Which losses can be detected, and what more would buy."""
