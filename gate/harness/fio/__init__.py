"""fio: job files read as fio reads them, refused where unsafe, and its JSON to values."""
