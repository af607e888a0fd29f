"""Fitted models: kept in a folder, used on new samples, tried on another cohort."""
