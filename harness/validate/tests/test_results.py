"""The one table: columns, verdicts, reasons said once, and the exit status."""

from gpufx_validate.results import Row, as_text, exit_status, waived


def test_the_table():
    rows = [
        Row("sass", "p, sm_90", agree=12),
        Row("counters", "p: sectors", agree=10, failed=2),
        Row("counters", "p: lines", waived=4, reason="no such metric"),
        Row("counters", "q: lines", waived=1, reason="no such metric"),
        Row("patterns", "l2", agree=1, off=3, said="no aim"),
        *waived("patterns", "there is no GPU").rows,
    ]
    assert as_text(rows) == (
        "check     what        cases  agree  off  waived  failed  verdict\n"
        "sass      p, sm_90       12     12    0       0       0  agrees\n"
        "counters  p: sectors     12     10    0       0       2  FAILED\n"
        "counters  p: lines        4      0    0       4       0  waived\n"
        "counters  q: lines        1      0    0       1       0  waived\n"
        "patterns  l2              4      1    3       0       0  no aim\n"
        "patterns  all             0      0    0       0       0  waived\n"
        "counters: no such metric\n"
        "patterns: there is no GPU\n"
    )
    assert exit_status(rows) == 1
    assert exit_status(rows[:1]) == 0 and exit_status([rows[0], rows[2]]) == 0
    assert exit_status(rows[2:]) == 77 and exit_status([]) == 77
    assert exit_status(rows[4:5]) == 77 and exit_status([rows[0], rows[4]]) == 0  # what has no aim is no check
    assert exit_status([rows[0], Row("patterns", "l1", agree=9, off=1)]) == 1
