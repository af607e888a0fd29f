"""Files as people have them: one reader per format, all giving a ``RawTable``."""
