"""The one place that asks Linux: /proc, /sys and perf events, replayable from a recording."""
