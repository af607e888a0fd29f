"""Ranks, statistics, tables and figures: functions of a data frame of runs."""
