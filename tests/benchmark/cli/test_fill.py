"""``wpfs-bench fill`` as a user calls it."""

import pytest
from typer.testing import CliRunner

from benchmark.cli.app import app
from benchmark.errors import UserError

BLOCK = "<!-- wpfs-bench {} -->\n<!-- end -->\n"


def call(*arguments):
    return CliRunner().invoke(app, ["fill", *map(str, arguments)], catch_exceptions=False)


@pytest.fixture
def document(tmp_path):
    file = tmp_path / "page.md"
    command = "report --source paper --table main --models wpfs --format markdown"
    file.write_text("# Page\n" + BLOCK.format(command))
    return file


def test_filling_writes_the_numbers_once(document):
    result = call(document)
    assert result.exit_code == 0
    assert "| prostate | 89.15 |" in document.read_text()
    again = call("--check", document)
    assert again.exit_code == 0
    assert "up to date" in again.output


def test_checking_finds_a_changed_number_and_writes_nothing(document):
    call(document)
    changed = document.read_text().replace("89.15", "98.15")
    document.write_text(changed)
    result = call("--check", document)
    assert result.exit_code == 1
    assert f"out of date: run `wpfs-bench fill {document}`" in result.output
    assert document.read_text() == changed


@pytest.mark.parametrize(
    "command",
    ["run -m wpfs -d synthetic", "bench --quick", "download"],
)
def test_a_block_cannot_start_work(tmp_path, command):
    file = tmp_path / "page.md"
    file.write_text(BLOCK.format(command))
    with pytest.raises(UserError, match=r"page.md: .*: a block may use report or bench --read"):
        call(file)


@pytest.mark.parametrize("option", ["--output", "--figures", "--archive"])
def test_a_block_cannot_write_files(tmp_path, option):
    file = tmp_path / "page.md"
    file.write_text(BLOCK.format(f"report --source paper {option} {tmp_path / 'made'}"))
    with pytest.raises(UserError, match=f"writes nothing: leave out {option}"):
        call("--check", file)
    assert not (tmp_path / "made").exists()


def test_a_document_that_is_not_text_is_a_users_mistake(tmp_path):
    file = tmp_path / "page.md"
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(UserError, match="is not text in UTF-8"):
        call(file)


def test_a_mistake_inside_a_block_names_the_document(tmp_path):
    file = tmp_path / "page.md"
    file.write_text(BLOCK.format("report --source paper --table nonsense"))
    with pytest.raises(UserError, match=r"page.md: .*: --source paper has no table 'nonsense'"):
        call(file)


def test_a_wrong_option_inside_a_block_names_the_document(tmp_path):
    file = tmp_path / "page.md"
    file.write_text(BLOCK.format("report --tabel main"))
    with pytest.raises(UserError, match=r"page.md: .*No such option"):
        call(file)


def test_a_missing_document_is_a_users_mistake(tmp_path):
    with pytest.raises(UserError, match=r"cannot read .*No such file"):
        call(tmp_path / "none.md")
