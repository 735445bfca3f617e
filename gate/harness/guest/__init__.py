"""Harnesses inside a booted kernel: each trial is one boot of the side under test."""
