"""Writers of tables: terminal, Markdown, LaTeX, CSV, JSON."""
