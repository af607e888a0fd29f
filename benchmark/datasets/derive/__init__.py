"""From the files of a source to a labelled table: pure functions on data frames."""
