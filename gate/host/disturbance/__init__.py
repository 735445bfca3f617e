"""What disturbed a trial from outside, and how that is reported."""
