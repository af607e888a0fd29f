import pytest

from benchmark.errors import UserError
from benchmark.report.formats.registry import render_tables
from benchmark.speed.tables import build_job_table, build_speed_tables, check_tables

SPEED = {
    "steps": [
        {
            "features": 6000,
            "threads": 2,
            "milliseconds": {"literal": 210.0, "plain": 60.0, "ours": 20.0, "floor": 20.0},
            "plain_process": {"ours": 40.0, "floor": 20.0},
            "skipped": None,
        },
        {
            "features": 6000,
            "threads": 1,
            "milliseconds": {"literal": 400.0, "plain": 100.0, "ours": 50.0, "floor": 40.0},
            "plain_process": {"ours": 60.0, "floor": 40.0},
            "skipped": None,
        },
        {
            "features": 20000,
            "threads": 1,
            "milliseconds": {"plain": 400.0, "ours": 200.0, "floor": 200.0},
            "plain_process": {"ours": 220.0, "floor": 200.0},
            "skipped": "needs about 8 GB, 2 GB are free",
        },
    ],
    "peak_memory_mb": {"6000": {"plain": 700.2, "ours": 600.0, "floor": 500.0}},
}


def cells(table, place):
    return dict(zip(table.columns, (cell.number for cell in table.rows[place].cells), strict=True))


def test_ratios_are_of_numbers_of_the_same_run():
    ratios = build_speed_tables({"speed": SPEED})[1]
    assert cells(ratios, 0)["literal/ours"] == "10.5×"
    assert cells(ratios, 1) == {
        "threads": "1",
        "literal/ours": "8.0×",
        "plain/ours": "2.0×",
        "ours/floor": "1.2×",
        "ours/floor as a library": "1.5×",
    }


def test_what_was_not_measured_is_missing_and_says_why():
    steps, ratios, memory = build_speed_tables({"speed": SPEED})
    assert cells(ratios, 2)["literal/ours"] == "—"
    assert cells(memory, 0)["literal"] == "—"
    assert "literal skipped at 20000: needs about 8 GB, 2 GB are free." in steps.notes
    assert "| 20,000 | 1 | — | 400.0 |" in render_tables([steps], "markdown")


def test_a_jobs_time_is_steps_times_the_pace_of_the_nearest_width_with_one_thread():
    table = build_job_table({"speed": SPEED}, {"prostate": (5966, 25, 36_000)})
    found = cells(table, 0)
    assert found["genes of the pace"] == "6,000"
    assert (found["literal"], found["plain"], found["ours"]) == (
        "4 h 00 min",
        "1 h 00 min",
        "30 min 00 s",
    )


def test_scaling_is_relative_to_the_fewest_jobs():
    jobs = {"1": {"runs": 8, "seconds": 80.0}, "2": {"runs": 8, "seconds": 50.0}}
    scaling = {"features": 6000, "steps": 200, "cores": 2, "jobs": jobs}
    (table,) = build_speed_tables({"scaling": scaling})
    assert [row.cells[0].number for row in table.rows] == ["1.00×", "1.60×"]


def test_what_the_suite_adds_to_a_run():
    runs = {"runs": 1000, "ms_per_run": 11.12, "store_ms_per_run": 5.0}
    (table,) = build_speed_tables({"runner": {"runs": runs}})
    assert [row.cells[0].number for row in table.rows] == ["11.1", "5.0"]
    on_ray = {"runs": 1000, "ms_per_run": 15.0, "store_ms_per_run": 5.0}
    (table,) = build_speed_tables({"runner": {"runs": runs, "ray": on_ray}})
    assert [row.cells[0].number for row in table.rows] == ["11.1", "5.0", "15.0"]


def test_commands_stand_beside_their_bars():
    measured = [
        {"command": "--help", "bar": 0.4, "seconds": 0.312},
        {"command": "status", "bar": None, "seconds": 1.0},
    ]
    (table,) = build_speed_tables({"commands": measured})
    assert [row.label for row in table.rows] == ["--help", "status"]
    assert cells(table, 0) == {"seconds": "0.31", "bar": "0.4"}
    assert cells(table, 1) == {"seconds": "1.00", "bar": "—"}


def test_the_floor_is_that_of_the_faster_library():
    row = SPEED["steps"][1]
    both = {**row["milliseconds"], "floor-openblas": 25.0}
    alone = {"ours": 60.0, "floor": 40.0, "floor-openblas": 48.0}
    measured = {**SPEED, "steps": [{**row, "milliseconds": both, "plain_process": alone}]}
    steps, ratios, memory = build_speed_tables({"speed": measured})
    assert cells(steps, 0)["floor-openblas"] == "25.0"
    assert cells(ratios, 0)["ours/floor"] == "2.0×"
    assert cells(ratios, 0)["ours/floor as a library"] == "1.5×"
    assert "floor-openblas" not in memory.columns


def test_fits_stand_beside_the_alternative_and_a_missing_package_is_named():
    methods = [
        {"method": "mlp", "steps": [20, 100], "ours": [1.0, 2.0], "other": [1.0, 5.0], "run": 2.5},
        {"method": "lassonet", "steps": [1, 5], "missing": "lassonet is not installed"},
    ]
    (table,) = build_speed_tables({"fits": [{"features": 6000, "methods": methods}]})
    assert cells(table, 0) == {
        "method": "mlp",
        "steps": "100",
        "step, ms": "12.5",
        "other, ms": "50.0",
        "other/ours": "4.0×",
        "fit, s": "2.00",
        "other, s": "5.00",
        "of fits": "2.5×",
        "run, s": "2.50",
    }
    assert cells(table, 1)["other, s"] == "—"
    assert table.notes[-1] == "lassonet: lassonet is not installed."


def test_whole_runs_have_the_bars_of_the_issue():
    seconds = {"mlp": 5.0, "wpfs": 60.0, "gcondnet": 76.0, "protogate": 30.0, "stg": 60.0}
    methods = {
        name: {"seconds": [value - 1, value + 1], "steps": [800, 1000]}
        for name, value in seconds.items()
    }
    (table,) = build_speed_tables({"rivals": [{"dataset": "toxicity", "methods": methods}]})
    judged = {
        shown["method"]: (shown["bar"], shown["holds"])
        for shown in (cells(table, place) for place in range(5))
    }
    assert judged == {
        "mlp": ("—", "—"),
        "wpfs": ("—", "—"),
        "gcondnet": ("75.00", "no"),
        "protogate": ("60.00", "yes"),
        "stg": ("60.00", "yes"),
    }
    assert cells(table, 2)["of mlp"] == "15.2×"
    assert cells(table, 3)["steps"] == "900"


def test_a_quick_run_says_that_its_numbers_are_rough():
    for table in build_speed_tables({"speed": SPEED, "quick": True}):
        assert "rough numbers" in table.notes[-1]


@pytest.mark.parametrize(
    ("table", "suites", "with_job", "message"),
    [
        ("ratios", ["scaling"], False, "there are scaling"),
        ("job", ["steps"], False, "add --results"),
        ("", ["runner"], True, "needs measured training steps"),
    ],
)
def test_a_table_that_will_not_be_there_is_refused(table, suites, with_job, message):
    with pytest.raises(UserError, match=message):
        check_tables(table, suites, with_job)


def test_a_profile_adds_up_to_the_step():
    times = {"literal": 400.0, "ours": 50.0, "products": 32.0, "passes": 8.0, "tanh": 2.0}
    (table,) = build_speed_tables({"profile": {"features": 6000, "milliseconds": times}})
    assert [row.label for row in table.rows] == ["products", "passes", "tanh", "everything else"]
    assert cells(table, 0) == {"ms": "32.0", "share": "64%", "literal/parts so far": "12.5×"}
    assert cells(table, 1)["literal/parts so far"] == "10.0×"
    assert cells(table, 3) == {"ms": "8.0", "share": "16%", "literal/parts so far": "8.0×"}
