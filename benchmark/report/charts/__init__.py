"""Charts: drawn once, shown as SVG on the page and written to files by matplotlib."""
