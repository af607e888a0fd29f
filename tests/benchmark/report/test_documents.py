"""Documents that hold what commands print."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.errors import UserError
from benchmark.report.documents import fill_document

EMPTY = """# Title
before
<!-- wpfs-bench report --table main --results "my runs" -->
<!-- end -->
between
<!-- wpfs-bench bench --read b.json -->
old numbers
<!-- end -->
after
"""


def test_blocks_take_the_command_and_what_it_prints():
    asked = []

    def run(arguments):
        asked.append(arguments)
        return f"printed {len(asked)}\n"

    filled = fill_document(EMPTY, run)
    assert asked == [
        ["report", "--table", "main", "--results", "my runs"],
        ["bench", "--read", "b.json"],
    ]
    assert "```sh\nwpfs-bench bench --read b.json\n```\n\nprinted 2\n<!-- end -->\nafter" in filled
    assert "old numbers" not in filled
    assert filled.startswith("# Title\nbefore\n<!-- wpfs-bench report")


@given(st.text(alphabet="ab |*`\n-<>!", max_size=60).filter(lambda text: "<!--" not in text))
def test_filling_twice_changes_nothing(printed):
    once = fill_document(EMPTY, lambda _: printed)
    assert fill_document(once, lambda _: printed) == once


def test_a_long_note_stands_once_in_a_document():
    note = "The standard error is a coarse yardstick: " + "much can be said about it. " * 3
    table = f"**A title that is long enough to be taken for a note{' and more' * 5}**"
    printed = f"{table}\n\n| a |\n| - |\n\n{note}\n\nShort."
    filled = fill_document(EMPTY, lambda _: printed)
    assert (filled.count(note), filled.count(table), filled.count("Short.")) == (1, 2, 2)
    assert filled.index(note) < filled.index("between"), "below the first table"
    assert fill_document(filled, lambda _: printed) == filled


def test_a_document_without_blocks_is_refused():
    with pytest.raises(UserError, match="no block to fill"):
        fill_document("# Title\n<!-- a comment -->\n", lambda _: "")


def test_a_command_that_fails_is_named():
    def fail(arguments):
        raise UserError("no such table")

    with pytest.raises(UserError, match=r"`wpfs-bench report .*`: no such table"):
        fill_document(EMPTY, fail)


def test_an_unclosed_quote_is_a_users_mistake():
    with pytest.raises(UserError, match="No closing quotation"):
        fill_document(EMPTY.replace('my runs"', "my runs"), lambda _: "")


def test_spaces_behind_the_comments_do_not_matter():
    text = EMPTY.replace(" -->\n", " -->  \n")
    assert fill_document(text, lambda _: "x").count("x\n<!-- end -->") == 2


def test_a_block_without_an_end_is_refused():
    with pytest.raises(UserError, match="begins in line 6 does not end"):
        fill_document(EMPTY.replace("<!-- end -->\nafter", "after"), lambda _: "")
