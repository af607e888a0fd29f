"""Builders of tables: what stands in which cell, apart from any format."""
