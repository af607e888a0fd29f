from benchmark.report.writing import render_tables
from benchmark.speed.tables import build_job_table, build_speed_tables

SPEED = {
    "steps": [
        {
            "features": 6000,
            "threads": threads,
            "milliseconds": {"literal": 400.0, "plain": 100.0, "ours": 50.0, "floor": 40.0},
            "plain_process": {"ours": 60.0, "floor": 40.0},
            "skipped": None,
        }
        for threads in (1, 2)
    ]
    + [
        {
            "features": 20000,
            "threads": 1,
            "milliseconds": {"plain": 400.0, "ours": 200.0, "floor": 200.0},
            "plain_process": {"ours": 220.0, "floor": 200.0},
            "skipped": "needs about 8 GB, 2 GB are free",
        }
    ],
    "peak_memory_mb": {"6000": {"plain": 700.2, "ours": 600.0, "floor": 500.0}},
    "nmf": {"6000": {"ours": 10.0, "scikit-learn": 20.0}},
}


def cells(table, place):
    return dict(zip(table.columns, (cell.number for cell in table.rows[place].cells), strict=True))


def test_ratios_are_of_numbers_of_the_same_run():
    ratios = build_speed_tables({"speed": SPEED})[1]
    assert cells(ratios, 0) == {
        "threads": "1",
        "literal/ours": "8.0×",
        "plain/ours": "2.0×",
        "ours/floor": "1.2×",
        "ours/floor as a library": "1.5×",
    }


def test_what_was_not_measured_is_missing_and_says_why():
    steps, ratios, memory, _ = build_speed_tables({"speed": SPEED})
    assert cells(ratios, 2)["literal/ours"] == "—"
    assert cells(memory, 0)["literal"] == "—"
    assert "literal skipped at 20000: needs about 8 GB, 2 GB are free." in steps.notes
    assert "| 20,000 | 1 | — | 400.0 |" in render_tables([steps], "markdown")


def test_a_jobs_time_is_steps_times_the_pace_of_the_nearest_width_with_one_thread():
    table = build_job_table({"speed": SPEED}, {"prostate": (5966, 25, 36_000)})
    found = cells(table, 0)
    assert found["genes of the pace"] == "6,000"
    assert (found["literal"], found["plain"], found["ours"]) == ("4.0 h", "60 min", "30 min")


def test_scaling_is_relative_to_the_fewest_jobs():
    jobs = {"1": {"runs": 8, "seconds": 80.0}, "2": {"runs": 8, "seconds": 50.0}}
    scaling = {"features": 6000, "steps": 200, "cores": 2, "jobs": jobs}
    (table,) = build_speed_tables({"scaling": scaling})
    assert [row.cells[0].number for row in table.rows] == ["1.00×", "1.60×"]
