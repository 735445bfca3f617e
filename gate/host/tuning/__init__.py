"""Settings of the host for the time of a measurement, always put back."""
