"""``wpfs-bench fill`` as a user calls it."""

import functools
import re

import pytest

BLOCK = "<!-- wpfs-bench {} -->\n<!-- end -->\n"


@pytest.fixture
def fill(cli):
    """Return a function that runs the command."""
    return functools.partial(cli, "fill")


@pytest.fixture
def document(tmp_path):
    file = tmp_path / "page.md"
    command = "report --source paper --table main --models wpfs --format markdown"
    file.write_text("# Page\n" + BLOCK.format(command))
    return file


def test_filling_writes_the_numbers_once(fill, document):
    result = fill(document)
    assert result.code == 0
    assert "| prostate | 89.15 |" in document.read_text()
    again = fill("--check", document)
    assert again.code == 0
    assert "up to date" in again.err


def test_checking_finds_a_changed_number_and_writes_nothing(fill, document):
    fill(document)
    changed = document.read_text().replace("89.15", "98.15")
    document.write_text(changed)
    result = fill("--check", document)
    assert result.code == 1
    assert f"out of date: run `wpfs-bench fill {document}`" in result.err
    assert document.read_text() == changed


@pytest.mark.parametrize(
    "command",
    ["run -m wpfs -d synthetic", "bench --quick", "download"],
)
def test_a_block_cannot_start_work(fill, tmp_path, command):
    file = tmp_path / "page.md"
    file.write_text(BLOCK.format(command))
    answer = fill(file)
    assert answer.code == 2
    assert re.search(r"page.md: .*: a block may use report or bench --read", answer.err)


@pytest.mark.parametrize("option", ["--output", "--figures", "--archive"])
def test_a_block_cannot_write_files(fill, tmp_path, option):
    file = tmp_path / "page.md"
    file.write_text(BLOCK.format(f"report --source paper {option} {tmp_path / 'made'}"))
    answer = fill("--check", file)
    assert answer.code == 2
    assert re.search(f"writes nothing: leave out {option}", answer.err)
    assert not (tmp_path / "made").exists()


def test_a_document_that_is_not_text_is_a_users_mistake(fill, tmp_path):
    file = tmp_path / "page.md"
    file.write_bytes(b"\xff\xfe")
    answer = fill(file)
    assert answer.code == 2
    assert re.search("is not text in UTF-8", answer.err)


def test_a_mistake_inside_a_block_names_the_document(fill, tmp_path):
    file = tmp_path / "page.md"
    file.write_text(BLOCK.format("report --source paper --table nonsense"))
    answer = fill(file)
    assert answer.code == 2
    assert re.search(r"page.md: .*: --source paper has no table 'nonsense'", answer.err)


def test_a_wrong_option_inside_a_block_names_the_document(fill, tmp_path):
    file = tmp_path / "page.md"
    file.write_text(BLOCK.format("report --tabel main"))
    answer = fill(file)
    assert answer.code == 2
    assert re.search(r"page.md: .*No such option", answer.err)


def test_a_missing_document_is_a_users_mistake(fill, tmp_path):
    answer = fill(tmp_path / "none.md")
    assert answer.code == 2
    assert re.search(r"cannot read .*No such file", answer.err)
