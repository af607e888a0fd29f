"""Figures as files (PNG, SVG, PDF), drawn with matplotlib."""
