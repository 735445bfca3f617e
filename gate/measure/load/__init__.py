"""The background load of a trial: started, proven to work, ended."""
