import pytest

from benchmark.errors import UserError
from benchmark.text import parse_duration, parse_megabytes, show_duration


@pytest.mark.parametrize(
    ("text", "seconds"), [("90", 90), ("90s", 90), ("1.5m", 90), ("1h30m", 5400), ("2d", 172800)]
)
def test_durations(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "soon", "5 x", "0s", "m5"])
def test_what_is_no_duration(text: str) -> None:
    with pytest.raises(UserError, match=f"--timeout {text}: "):
        parse_duration(text)


@pytest.mark.parametrize(
    ("text", "megabytes"), [("500M", 500), ("4G", 4096), ("1.5GiB", 1536), ("2 gb", 2048)]
)
def test_memory(text: str, megabytes: float) -> None:
    assert parse_megabytes(text) == megabytes


@pytest.mark.parametrize("text", ["4", "G", "0G", "4K"])
def test_what_is_no_amount_of_memory(text: str) -> None:
    with pytest.raises(UserError, match=f"--memory-limit {text}: "):
        parse_megabytes(text)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.44, "0.4 s"),
        (42.2, "42 s"),
        (59.8, "1 min 00 s"),
        (185, "3 min 05 s"),
        (7620, "2 h 07 min"),
    ],
)
def test_durations_are_shown_as_people_say_them(seconds: float, text: str) -> None:
    assert show_duration(seconds) == text
