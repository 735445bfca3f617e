"""What a change may not decide for itself: its merge base judges, its edits are shown."""
