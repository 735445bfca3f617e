"""The report for a terminal or a log: verdict first."""
