"""Processes of a trial: started, pinned, waited for, interrupted, tidied up after."""
