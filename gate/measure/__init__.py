"""Plan to session: the order of trials, their processes, resuming, and what disturbed them."""
