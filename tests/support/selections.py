"""What a selection stands for, as a list of rows."""

from paimon_ksy.evaluation.selection import Selection


def selected_rows(selection: Selection, num_rows: int | None = None) -> list[int]:
    """Return the rows that a selection selects, in order.

    `selection.rows or []` is empty for "all" too, so a test that compares it with [] passes on the
    opposite answer.

    Args:
        num_rows: How many rows the file has, where the selection does not know it.

    Raises:
        AssertionError: for "all" of a file whose number of rows is not known.
    """
    if selection.kind == "skip":
        return []
    if selection.kind == "all":
        count = selection.num_rows if num_rows is None else num_rows
        assert count is not None, "all rows, of a file whose number of rows is not known"
        return list(range(count))
    assert selection.rows is not None
    return list(selection.rows)
