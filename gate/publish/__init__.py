"""Publishing: a report to GitHub, as summary, annotations, outputs, comment and check."""
