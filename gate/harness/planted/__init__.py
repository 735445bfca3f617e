"""Known losses, planted into a harness to see whether the gate finds them."""
