"""A table of the user's: read, joined with its labels, and checked for what spoils a benchmark."""
