"""Printed means judged by what mean, spread and count can bear."""
