"""The one table: reasons said once, and the exit status. tests/cli/validate.t has its columns."""

from gpufx_validate.results import Row, as_text, exit_status, waived


def test_the_status_is_that_of_the_worst_row():
    rows = [
        Row("sass", "p, sm_90", agree=12),
        Row("counters", "p: sectors", agree=10, failed=2),
        Row("counters", "p: lines", waived=4, reason="no such metric"),
        Row("counters", "q: lines", waived=1, reason="no such metric"),
        Row("patterns", "l2", agree=1, off=3, said="no aim"),
        *waived("patterns", "there is no GPU").rows,
    ]
    assert as_text(rows).splitlines()[-3:] == [
        "patterns  all             0      0    0       0       0  waived",
        "counters: no such metric",
        "patterns: there is no GPU",
    ]
    assert exit_status(rows) == 1
    assert exit_status(rows[:1]) == 0 and exit_status([rows[0], rows[2]]) == 0
    assert exit_status(rows[2:]) == 77 and exit_status([]) == 77
    assert exit_status(rows[4:5]) == 77 and exit_status([rows[0], rows[4]]) == 0  # what has no aim is no check
    assert exit_status([rows[0], Row("patterns", "l1", agree=9, off=1)]) == 1
