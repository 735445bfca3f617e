"""Which machine this is: stable facts, epoch facts, facts of the moment."""
